// Links of the reference: from a name to its page and anchor, and from a doc comment to a page of the documentation.
import { existsSync, readFileSync } from 'node:fs';
import { join, relative } from 'node:path';

export const folder = 'docs/reference/api';

/** Returns the anchor that GitHub gives to a heading. */
export const slug = (heading) =>
  heading
    .toLowerCase()
    .replace(/`|\[([^\]]*)\]\([^)]*\)/g, '$1')
    .replace(/[^\p{L}\p{N}\s_-]/gu, '')
    .trim()
    .replace(/\s/g, '-');

export const headingOf = ({ name, kind }) => `${name} (${kind})`;
export const memberHeading = (entry, { name, kind }) =>
  kind === 'constructor' ? `new ${entry.name}()` : `${entry.name}.${name}()`;

export class Links {
  #root;
  #byName = new Map();
  #fileOf = new Map();
  #anchors = new Map(); // of pages of the documentation
  /** Links without a target, a sentence each. */
  errors = [];

  constructor(root, pages) {
    this.#root = root;
    for (const { subpath, file, entries } of pages) {
      this.#fileOf.set(subpath, file);
      for (const entry of entries) {
        if (this.#byName.has(entry.name))
          this.errors.push(`Two exports are called ${entry.name}. Rename one.`);
        this.#byName.set(entry.name, entry);
      }
    }
  }

  /** The address of an export, seen from a page of the reference. */
  addressOf(entry, fromFile) {
    const file = this.#fileOf.get(entry.subpath);
    return `${file === fromFile ? '' : file}#${slug(headingOf(entry))}`;
  }

  /** A link to an export, by its name. */
  toName(name, fromFile) {
    const entry = this.#byName.get(name);
    return entry === undefined ? `\`${name}\`` : `[\`${name}\`](${this.addressOf(entry, fromFile)})`;
  }

  /** Resolves the links of a doc comment. `symbol` is named if one has no target. */
  resolve(text, symbol, fromFile) {
    return text
      .split(/(```[\s\S]*?```|`[^`\n]*`)/)
      .map((part, k) => (k % 2 === 1 ? part : this.#resolveProse(part, symbol, fromFile)))
      .join('');
  }

  #resolveProse(text, symbol, fromFile) {
    return text
      .replace(
        /\]\((?!https?:|mailto:)([^)\s]+)\)/g,
        (_whole, target) => `](${this.#pageAddress(target, symbol)})`,
      )
      .replace(/\{@link(?:code|plain)?\s+([^}|\s]+)\s*(?:\|?\s*([^}]*))?\}/g, (whole, target, label) => {
        if (/^https?:/.test(target)) return `[${label || target}](${target})`;
        const address = this.#memberAddress(target, symbol, fromFile);
        if (address !== null) return `[${label || `\`${target}\``}](${address})`;
        this.errors.push(`${symbol}: ${whole} names no export of the package, and no member of one.`);
        return label || target;
      });
  }

  #memberAddress(target, symbol, fromFile) {
    const own = this.#byName.get(symbol.split('.')[0]);
    const [name, ...rest] = target.replace(/\(\)$/, '').split(/[.#]/);
    const entry = this.#byName.get(name);
    if (entry === undefined) return own && rest.length === 0 ? this.#addressIn(own, name, fromFile) : null;
    return rest.length === 0
      ? this.addressOf(entry, fromFile)
      : this.#addressIn(entry, rest.join('.'), fromFile);
  }

  /** The address of a member: its heading if it is a method, else the heading of its type. */
  #addressIn(entry, path, fromFile) {
    const member = entry.members.find(({ name }) => name === path);
    if (member === undefined) return null;
    const address = this.addressOf(entry, fromFile);
    return member.kind === 'property'
      ? address
      : address.replace(/#.*/, `#${slug(memberHeading(entry, member))}`);
  }

  /** A link to a file, which a doc comment writes relative to the root of the repository. */
  #pageAddress(target, symbol) {
    const [path, anchor] = target.split('#');
    const file = join(this.#root, path);
    if (path === '' || !existsSync(file))
      this.errors.push(
        `${symbol}: the link to ${target} has no target. Write the path from the root, like docs/fences.md.`,
      );
    else if (anchor !== undefined && path.endsWith('.md') && !this.#anchorsOf(file).has(anchor))
      this.errors.push(`${symbol}: the link to ${target} has no target: ${path} has no such heading.`);
    return `${relative(folder, path)}${anchor === undefined ? '' : `#${anchor}`}`;
  }

  #anchorsOf(file) {
    if (!this.#anchors.has(file)) {
      const headings = readFileSync(file, 'utf8').matchAll(/^#+ (.*)$/gm);
      this.#anchors.set(file, new Set([...headings].map(([, heading]) => slug(heading))));
    }
    return this.#anchors.get(file);
  }
}
