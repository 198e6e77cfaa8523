import { type EitherAlgorithm, isMutant, resolve } from '../../catalogue/index.ts';
import type { TraceInput } from '../../core/trace.ts';

export interface LineRange {
  readonly first: number; // counted from 0
  readonly last: number;
}

/** Returns the table of the contract that holds the handler of an input, and the handler's name there. */
export function handlerOf(
  input: TraceInput,
): { readonly table: string | null; readonly name: string } | null {
  switch (input.kind) {
    case 'call':
      return { table: 'calls', name: input.name };
    case 'recv':
    case 'timer':
      return { table: 'on', name: input.message.type };
    case 'step':
      return { table: 'program', name: input.line };
    case 'appears':
    case 'goes':
      return { table: 'links', name: input.kind };
    case 'begin':
      return { table: null, name: 'begin' };
    case 'restart':
      return { table: null, name: 'recover' };
    case 'corrupt':
      return { table: 'stabilises', name: 'scramble' };
    default:
      return null;
  }
}

type Source = readonly string[];

/**
 * Finds the handler of an event in the texts of an algorithm. A text may hold several algorithms: only the object of the algorithm counts,
 * then the objects it spreads, then what belongs to no named algorithm, like a factory.
 * @param names of the algorithm, and of the ones it builds on
 */
export function handlerLines(
  sources: readonly Source[],
  names: readonly string[],
  input: TraceInput,
): (LineRange & { readonly file: number }) | null {
  const handler = handlerOf(input);
  if (handler === null) return null;
  const spread = new Set<string>(); // constants that the objects of earlier texts spread
  for (const [file, source] of sources.entries()) {
    const statements = statementsOf(source);
    const shared = statements.filter((statement) => !isNamed(source, statement));
    for (const statement of [...ownStatements(source, statements, names, spread), ...shared]) {
      const found = within(source, statement, handler.table, handler.name);
      if (found === null) continue;
      const definition = found.definedAs && definitionOf(source, [statement, ...shared], found.definedAs);
      return { file, ...(definition || found.lines) };
    }
  }
  return null;
}

/** Returns the name of an algorithm, and the names of those it builds on: the original of a mutant, the parts of a composition. */
export function namesOf(algorithm: EitherAlgorithm): string[] {
  const { name } = algorithm;
  if (isMutant(algorithm)) return [name, ...namesOf(resolve(algorithm.of))];
  return name.includes('+') ? [name, ...name.split('+')] : [name];
}

/** Returns the top-level statements of a text. Only closing brackets and indented lines continue a statement. */
function statementsOf(source: Source): LineRange[] {
  const starts = source.flatMap((line, i) => (/^[^\s)\]}]/.test(line) ? [i] : []));
  return starts.map((first, k) => ({ first, last: (starts[k + 1] ?? source.length) - 1 }));
}

const linesOf = (source: Source, { first, last }: LineRange) => source.slice(first, last + 1);

/** Whether a statement is an algorithm or a mutant, not a factory or a helper. */
const isNamed = (source: Source, statement: LineRange): boolean =>
  linesOf(source, statement).some((line) => /^\s+(?:name|of): ['"]/.test(line));

/** Returns the statements that declare the named algorithms or the spread constants, and those they spread. Adds to `spread`. */
function ownStatements(
  source: Source,
  statements: readonly LineRange[],
  names: readonly string[],
  spread: Set<string>,
): LineRange[] {
  const own = new Set<LineRange>();
  const add = (statement: LineRange) => {
    if (own.has(statement)) return;
    own.add(statement);
    for (const line of linesOf(source, statement)) {
      const [, constant] = /^ {2}\.\.\.(\w+),$/.exec(line) ?? [];
      if (constant) spread.add(constant);
    }
  };
  for (const name of names) {
    const declares = new RegExp(`(?:\\bname: |\\w\\()['"]${escaped(name)}['"]`);
    for (const statement of statements)
      if (linesOf(source, statement).some((line) => declares.test(line))) add(statement);
  }
  for (const constant of spread) {
    // grows on the way
    const declares = new RegExp(`^(?:export )?const ${constant}\\b`);
    for (const statement of statements) if (declares.test(source[statement.first]!)) add(statement);
  }
  return [...own];
}

function within(
  source: Source,
  statement: LineRange,
  table: string | null,
  name: string,
): { readonly lines: LineRange; readonly definedAs: string | null } | null {
  const find = (from: number, to: number, pattern: RegExp) =>
    source.findIndex((line, i) => i >= from && i <= to && pattern.test(line));
  const isProgram = linesOf(source, statement).some((line) => /^\s+program(?:\(|: )/.test(line));
  const { first: start, last: end } = statement;
  const opens = table === null || isProgram ? start : find(start, end, new RegExp(`^\\s+${table}: \\{`));
  if (opens < 0) return null;
  const closes = opens === start ? end : blockEnd(source, opens);
  const key = `(?:'${escaped(name)}'|"${escaped(name)}"|${escaped(name)})`;
  const before = `(?:(?:\\.\\.\\.[\\w.]+|\\w+(?:: \\w+)?), )*`; // other entries of a table on one line
  const isEntry = new RegExp(`^(?:\\s+|\\s+${table}: \\{ ${before})${key}(?:\\(|:|,| \\})`);
  const inLine = find(opens, closes, isEntry);
  const first = inLine < 0 && isProgram ? find(opens, closes, new RegExp(`, ${key}: \\{`)) : inLine;
  if (first < 0) return null;
  const isShort = new RegExp(`(?:^\\s+|\\{ |, )${key}(?:: ([a-zA-Z]\\w*))?(?:,| \\})`).exec(source[first]!);
  const definedAs = isShort && !isProgram ? (isShort[1] ?? name) : null;
  return { lines: { first, last: blockEnd(source, first) }, definedAs };
}

function definitionOf(source: Source, statements: readonly LineRange[], name: string): LineRange | null {
  const defines = new RegExp(`^\\s*(?:export )?(?:function|const) ${name}\\b`);
  for (const { first: start, last: end } of statements) {
    const first = source.findIndex((line, i) => i >= start && i <= end && defines.test(line));
    if (first >= 0) return { first, last: blockEnd(source, first) };
  }
  return null;
}

/** Returns the line that closes the block opened on a line: the next one that is indented no deeper. */
function blockEnd(source: Source, first: number): number {
  const line = source[first]!;
  if (!/[({[]$|=>$/.test(line)) return first;
  const indent = line.search(/\S/);
  const next = source.findIndex(
    (other, i) => i > first && other.trim() !== '' && other.search(/\S/) <= indent,
  );
  return next < 0 ? first : next;
}

const escaped = (text: string): string => text.replace(/[^\w]/g, '\\$&');
