// The pages of the reference, as Markdown.
import { existsSync } from 'node:fs';
import { join, relative } from 'node:path';
import { firstSentence } from './comments.js';
import { folder, headingOf, Links, memberHeading } from './links.js';

/** What each subpath is for. */
const about = {
  batonjs: 'Locks and leader election between processes.',
  'batonjs/core':
    'The contracts of algorithms, and what every host shares: topologies, bounds, randomness, traces.',
  'batonjs/machine': 'One process that takes one step, for hosts of your own.',
  'batonjs/algorithms': 'The algorithms that groups run: locks by messages, and elections.',
  'batonjs-lab/algorithms': 'The whole catalogue: also clocks, and locks on shared memory.',
  'batonjs-lab/mutants': 'Algorithms with one mistake each, for testing checkers.',
  'batonjs-lab/compositions': 'Algorithms made of algorithms: recovery from crashes, snapshots.',
  'batonjs-lab/causality': 'Happened-before, and the timestamps of logical clocks.',
  'batonjs-lab/sim': 'The simulator: scenarios, runs, faults, recording and replay.',
  'batonjs-lab/check': 'The model checker and random walks.',
  'batonjs-lab/diagram': 'Traces as text, SVG, Mermaid and ShiViz logs, and the layouts behind them.',
  'batonjs/cluster': 'All of the root, and functions that look at groups without joining them.',
  'batonjs/fences': 'Fences for PostgreSQL, MySQL, Redis and HTTP servers.',
  'batonjs/etcd': 'etcd as the engine, with certificates of your own.',
  'batonjs/ioredis': 'Redis as the engine, by your own client of the package ioredis.',
  'batonjs/mysql': 'MySQL and MariaDB as the engine, by your own pool.',
  'batonjs/nats': 'NATS as the engine, by your own connection.',
  'batonjs/postgres': 'PostgreSQL as the engine, by your own pool.',
  'batonjs/redis': 'Redis as the engine, by your own client of the package redis.',
  'batonjs-lab/engine-conformance': 'Tests for an engine of your own.',
};

const note = '<!-- Written by `npm run api` from the doc comments in src/. Change those, not this page. -->';

/**
 * Renders the reference. Throws if a link has no target.
 *
 * @returns {Map<string, string>} the text of each page, by its path
 */
export function renderApi(root, pages) {
  const links = new Links(root, pages);
  const texts = new Map([[join(folder, 'README.md'), indexText(pages, links)]]);
  for (const page of pages) texts.set(join(folder, page.file), new PageRenderer(root, page, links).text());
  if (links.errors.length > 0) throw new Error([...new Set(links.errors)].join('\n'));
  return texts;
}

function indexText(pages, links) {
  const sections = pages.map(({ subpath, file, entries }) => {
    const lines = entries.map((entry) => {
      const sentence = links.resolve(firstSentence(entry.doc.text), entry.name, 'README.md');
      return `- [\`${entry.name}\`](${links.addressOf(entry, 'README.md')})${sentence === '' ? '' : `: ${sentence}`}`;
    });
    return `## [${subpath}](${file})\n\n${about[subpath]}\n\n${lines.join('\n')}`;
  });
  const intro =
    'Every export of the two packages, by the subpath to import it from. Each has an example, which the tests run.\n' +
    'For guides, see [locks and leaders](../../locks.md), [the contract of algorithms](../contract.md) and [the command line](../cli.md).';
  return `${note}\n\n# API reference\n\n${intro}\n\n${sections.join('\n\n')}\n`;
}

class PageRenderer {
  #root;
  #page;
  #links;

  constructor(root, page, links) {
    if (about[page.subpath] === undefined)
      throw new Error(
        `scripts/api/render.js does not say what ${page.subpath} is for. Add a line to \`about\`.`,
      );
    this.#root = root;
    this.#page = page;
    this.#links = links;
  }

  text() {
    const { subpath, entries, elsewhere } = this.#page;
    const [compact, full] = [entries.filter(isOfCatalogue), entries.filter((entry) => !isOfCatalogue(entry))];
    const parts = [
      note,
      `# ${subpath}`,
      about[subpath],
      '[All subpaths](README.md)',
      ...full.map((entry) => this.#entry(entry)),
    ];
    if (compact.length > 0) parts.push('## Algorithms', this.#catalogue(compact));
    if (elsewhere.length > 0) {
      const names = elsewhere.map(({ name }) => this.#links.toName(name, this.#page.file));
      parts.push('## Also exported here', `Documented on another page: ${names.join(', ')}.`);
    }
    return `${parts.join('\n\n')}\n`;
  }

  #entry(entry) {
    const { doc, members } = entry;
    const properties = members.filter(({ kind }) => kind === 'property' || kind === 'index');
    const callable = members.filter(({ kind }) => kind === 'method' || kind === 'constructor');
    const uses = entry.uses.map((name) => this.#links.toName(name, this.#page.file));
    const source = `[${entry.source}](${relative(folder, entry.source)})`;
    return [
      `## ${headingOf(entry)}`,
      fence(entry.signature),
      ...this.#doc(doc, entry.name),
      ...(properties.length > 0 ? [this.#table(entry, properties)] : []),
      ...this.#contents(entry),
      ...callable.map((member) => this.#method(entry, member)),
      `${uses.length > 0 ? `Uses: ${uses.join(', ')}. ` : ''}Source: ${source}`,
    ].join('\n\n');
  }

  #method(entry, member) {
    const heading = memberHeading(entry, member);
    const signature = `${member.isStatic ? 'static ' : ''}${member.signature}`;
    return [
      `### ${heading}`,
      fence(signature),
      ...this.#doc(member.doc, `${entry.name}.${member.name}`),
    ].join('\n\n');
  }

  #resolve(text, symbol) {
    return this.#links.resolve(text, symbol, this.#page.file);
  }

  #doc(doc, symbol) {
    const resolve = (text) => this.#resolve(text, symbol);
    const parts = [];
    if (doc.deprecated !== '') parts.push(`**Deprecated.** ${resolve(doc.deprecated)}`);
    if (doc.text !== '') parts.push(resolve(doc.text));
    if (doc.params.length > 0)
      parts.push(doc.params.map(({ name, text }) => `- \`${name}\`: ${resolve(hanging(text))}`).join('\n'));
    if (doc.returns !== '') parts.push(`**Returns** ${resolve(doc.returns)}`);
    if (doc.defaultValue !== '') parts.push(`Defaults to ${resolve(doc.defaultValue)}`);
    if (doc.throws.length > 0) parts.push(this.#throws(doc.throws, resolve));
    for (const example of doc.examples) parts.push(fence(example));
    for (const see of doc.see) parts.push(`See ${resolve(see)}`);
    return parts;
  }

  #throws(throws, resolve) {
    const rows = throws.map(({ type, text }) => {
      const link = type === '' ? '' : `${this.#links.toName(type, this.#page.file)} `;
      return `- ${link}${resolve(hanging(text))}`;
    });
    return `**Throws**\n\n${rows.join('\n')}`;
  }

  #table(entry, properties) {
    const rows = properties.map(({ name, type, isOptional, isStatic, doc }) => {
      const { defaultValue } = doc;
      const said = this.#resolve(doc.text, `${entry.name}.${name}`);
      const byDefault = defaultValue === '' ? '' : ` Defaults to ${defaultValue.replace(/\.?$/, '.')}`;
      const shown = `${isStatic ? 'static ' : ''}${name}${isOptional ? '?' : ''}`;
      return row([`\`${shown}\``, `\`${type}\``, `${said}${byDefault}${this.#thrown(doc)}`]);
    });
    return [row(['property', 'type', '']), '| --- | --- | --- |', ...rows].join('\n');
  }

  #thrown({ throws }) {
    return throws
      .map(
        ({ type, text }) =>
          ` Throws ${type === '' ? '' : `${this.#links.toName(type, this.#page.file)} `}${text}`,
      )
      .join('');
  }

  /** The algorithms of a page: they share a type, and each has a page of its own. */
  #catalogue(entries) {
    const rows = entries.map((entry) => {
      const said = this.#resolve(firstSentence(entry.doc.text), entry.name);
      const anchor = `<a id="${headingOf(entry)
        .replace(/ \((.*)\)/, '-$1')
        .toLowerCase()}"></a>`;
      return row([`${anchor}\`${entry.name}\``, said, this.#algorithmPage(entry.value.name)]);
    });
    return [row(['name', '', 'page']), '| --- | --- | --- |', ...rows].join('\n');
  }

  /** The elements of a list of mutants. */
  #contents({ value }) {
    if (!Array.isArray(value) || !value.every((one) => typeof one?.lie === 'string')) return [];
    const rows = value.map(({ name, lie, of }) => row([`\`${name}\``, lie, this.#algorithmPage(of)]));
    return [[row(['mutant', 'its mistake', 'of']), '| --- | --- | --- |', ...rows].join('\n')];
  }

  /** A link to the page of an algorithm. A variant is on the page of the original, a composition on that of recovery or snapshots. */
  #algorithmPage(name) {
    const parts = name.split('-');
    const prefixes = parts.map((_, k) => parts.slice(0, parts.length - k).join('-'));
    const own = prefixes.map((prefix) => `docs/algorithms/${prefix}.md`);
    const composed = name.endsWith('+chandy-lamport')
      ? 'docs/algorithms/chandy-lamport.md'
      : 'docs/recovery.md';
    const page = name.includes('+') ? composed : own.find((path) => existsSync(join(this.#root, path)));
    if (page === undefined) throw new Error(`${name} has no page in docs/algorithms.`);
    return `[${name}](${relative(folder, page)})`;
  }
}

/** Whether an export is an algorithm or a logical clock of the catalogue. */
const isOfCatalogue = ({ kind, value, source }) =>
  kind === 'constant' && source.startsWith('src/algorithms/') && typeof value?.paper === 'string';

const fence = (code) => `\`\`\`ts\n${code}\n\`\`\``;
const hanging = (text) => text.replace(/\n/g, '\n  ');
const row = (cells) =>
  `| ${cells
    .map((cell) =>
      cell
        .replace(/\n\s*\n/g, '<br>')
        .replace(/\n/g, ' ')
        .replace(/\|/g, '\\|'),
    )
    .join(' | ')} |`;
