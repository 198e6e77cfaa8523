// Parses the pages of docs/algorithms and other documents.
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { algorithms } from '../../src/algorithms/index.ts';

type Named = { readonly name: string };

export const folder = 'docs/algorithms';
export const headings = ['Idea', 'Assumptions', 'Bounds', 'What breaks it'];

/** Returns the page of an algorithm. A variant without a page of its own is on the page of the original. */
export function pathOf({ name }: Named): string {
  const own = join(folder, `${name}.md`);
  const of = algorithms.find((other) => other.name !== name && name.startsWith(`${other.name}-`));
  const shared = of === undefined ? own : join(folder, `${of.name}.md`);
  return existsSync(own) || !existsSync(shared) ? own : shared;
}

export const read = (path: string): string => readFileSync(path, 'utf8');

export function sectionOf(text: string, heading: string): string {
  const sections = text.split(/^## /m);
  return sections.find((section) => section.startsWith(`${heading}\n`))?.slice(heading.length + 1) ?? '';
}

const fenced = /^```(\w*)\n([\s\S]*?)^```/gm;

/** Returns the sentences of the prose, without code and tables, where a full stop need not end a sentence. */
export function sentencesOf(text: string): string[] {
  const prose = text
    .replace(fenced, '')
    .replace(/^\|.*$/gm, '')
    .replace(/`[^`]*`/g, 'code')
    .replace(/\s+/g, ' ');
  return prose.split(/(?<=[.!?][)*_]*) /).filter((sentence) => /\w/.test(sentence));
}

/** Returns the rows of all tables, as cells. */
export const rowsOf = (text: string): string[][] =>
  [...text.matchAll(/^\| (.*) \|$/gm)].map(([, row]) => row!.split(' | ').map((cell) => cell.trim()));

export interface Command {
  readonly args: readonly string[];
  readonly status: readonly number[]; // the allowed exit codes
  readonly shows: readonly string[]; // texts that it must print
}

/**
 * Returns the commands of a page. In an `sh` block each line is a command. `# ok` follows one that passes, and `# property` one that
 * violates the property. Both may add `, text` that is printed too. Without a comment a command may pass or fail. In a `console` block
 * `$ command` precedes lines that it prints.
 */
export function commandsOf(text: string): Command[] {
  return [...text.matchAll(fenced)].flatMap(([, language, block]) => {
    if (language === 'sh') return block!.split('\n').filter(isCommand).map(shellCommand);
    if (language === 'console') return block!.split(/^\$ /m).filter(isCommand).map(consoleCommand);
    return [];
  });
}

const isCommand = (line: string) => line.startsWith('baton ');
const argsOf = (command: string) => command.trim().split(/\s+/).slice(1);

function shellCommand(line: string): Command {
  const [command, comment] = line.split(' # ') as [string, string?];
  if (comment === undefined) return { args: argsOf(command), status: [0, 1], shows: [] };
  const [ok, ...rest] = comment.split(', ');
  if (ok === 'ok')
    return { args: argsOf(command), status: [0], shows: rest.length > 0 ? [rest.join(', ')] : [] };
  const status = ok === 'not complete' ? 3 : 1;
  return { args: argsOf(command), status: [status], shows: [comment] };
}

function consoleCommand(block: string): Command {
  const [command, ...printed] = block.trimEnd().split('\n') as [string, ...string[]];
  const shows = printed.filter((line) => line.trim() !== '..');
  return {
    args: argsOf(command),
    status: [
      shows.some((line) => line.includes(': VIOLATED'))
        ? 1
        : shows.some((line) => line.includes(': not complete'))
          ? 3
          : 0,
    ],
    shows,
  };
}

/** Returns the diagram that a command printed: everything after its report. */
const drawingOf = (printed: string): string => printed.slice(printed.indexOf('\n\n') + 2).trimEnd();

/** Draws the diagrams of a page again. A diagram that ends with two dots keeps its length. */
export function redraw(path: string, printedBy: (args: readonly string[]) => string): void {
  const diagrams = /^(\$ (baton .* --diagram)\n)([^`]*?)(?=^```)/gm;
  const text = read(path).replace(diagrams, (_block, head, command, old) => {
    const drawn = drawingOf(printedBy(argsOf(command))).split('\n');
    const shown = old.trimEnd().split('\n');
    const isCut = shown.at(-1).trim() === '..';
    return `${head}${(isCut ? [...drawn.slice(0, shown.length - 1), shown.at(-1)] : drawn).join('\n')}\n`;
  });
  writeFileSync(path, text);
}

/** Returns the traces that a page mentions, by their names in test/golden. */
export const tracesIn = (text: string): string[] =>
  [...text.matchAll(/(?:test\/golden\/)?([a-z][a-z+-]*\/[a-z0-9-]+\.trace)\b/g)].map(([, trace]) => trace!);

/** Returns the words in code that look like the name of an algorithm. */
export const namesIn = (text: string): string[] =>
  [...text.matchAll(/`([a-z]{2,}(?:[-+][a-z]+)+)`/g)].map(([, name]) => name!);

const marks = (name: string | null) => {
  const of = name === null ? '' : ` ${name}`;
  return [`<!-- measured${of} -->`, `<!-- /measured${of} -->`] as const;
};

/** Returns the text between the marks of an algorithm; null if there are none. */
export function blockOf(text: string, name: string | null): string | null {
  const [begin, end] = marks(name);
  return text.includes(begin) ? text.split(`${begin}\n`)[1]!.split(`\n${end}`)[0]! : null;
}

/** Writes a block between its marks, and adds missing marks under Bounds. */
export function writeBlock(path: string, name: string | null, block: string): void {
  const [begin, end] = marks(name);
  let text = read(path);
  if (!text.includes(begin)) text = text.replace(/^## Bounds\n/m, `## Bounds\n\n${begin}\n${end}\n`);
  const [before, after] = [text.split(begin)[0]!, text.split(end)[1]!];
  writeFileSync(path, `${before}${begin}\n${block}\n${end}${after}`);
}

export const hasOwnPage = ({ name }: Named): boolean => existsSync(join(folder, `${name}.md`));

/** Returns the files that a page links to. */
export function linksOf(path: string): string[] {
  const targets = [...read(path).matchAll(/\]\(((?:[^()\s]|\([^()]*\))+)\)/g)].map(([, target]) => target!);
  return targets
    .filter((target) => !/^[a-z]+:|^#/.test(target))
    .map((target) => join(dirname(path), target.replace(/#.*/, '')));
}
