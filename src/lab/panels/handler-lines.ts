import type { TraceInput } from '../../core/trace.ts';

export interface LineRange {
  readonly first: number; // counted from 0
  readonly last: number;
}

const programStart = /^\s+program(\(|: )/;

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

/** Finds the handler of an event in the text of its algorithm by name. Returns null if it is in another file. */
export function handlerLines(
  source: readonly string[],
  algorithm: string,
  input: TraceInput,
): LineRange | null {
  const handler = handlerOf(input);
  if (handler === null) return null;
  const nameLine = source.findIndex((line) => line.includes(`name: '${algorithm}'`));
  if (source.some((line) => programStart.test(line))) return inProgram(source, nameLine, handler.name);
  for (const start of nameLine > 0 ? [nameLine, 0] : [0]) {
    const found = within(source, start, handler.table, handler.name);
    if (found) return found;
  }
  return null;
}

/** Searches only the algorithm's own program: a mutant inherits the lines that it lacks from another file. */
function inProgram(source: readonly string[], nameLine: number, name: string): LineRange | null {
  const indent = source[nameLine]?.search(/\S/) ?? 0;
  const end = source.findIndex((line, i) => i > nameLine && line.trim() !== '' && line.search(/\S/) < indent);
  return within(end < 0 ? source : source.slice(0, end), Math.max(0, nameLine), null, name);
}

function within(
  source: readonly string[],
  start: number,
  table: string | null,
  name: string,
): LineRange | null {
  const opens =
    table === null
      ? start
      : source.findIndex((line, i) => i >= start && new RegExp(`^\\s+${table}: \\{`).test(line));
  if (opens < 0) return null;
  const end = table === null ? source.length - 1 : blockEnd(source, opens);
  const key = `(?:'${escaped(name)}'|"${escaped(name)}"|${escaped(name)})`;
  const isHandler = new RegExp(`^(?:\\s+|\\s+${table}: \\{ )${key}(?:\\(|:|,| \\})`);
  const first = source.findIndex((line, i) => i >= opens && i <= end && isHandler.test(line));
  if (first < 0) return null;
  const definedAs = new RegExp(`${key}: ([a-zA-Z]\\w*)(?:,$| \\})`).exec(source[first]!)?.[1] ?? name;
  const isShort = new RegExp(`(?:^\\s+|\\{ )${key}(?:: [a-zA-Z]\\w*)?(?:,$| \\})`).test(source[first]!);
  return (isShort && definition(source, definedAs)) || { first, last: blockEnd(source, first) };
}

function definition(source: readonly string[], name: string): LineRange | null {
  const first = source.findIndex((line) =>
    new RegExp(`^\\s*(?:export )?(?:function|const) ${name}\\b`).test(line),
  );
  return first < 0 ? null : { first, last: blockEnd(source, first) };
}

/** Returns the line that closes the block opened on a line: the next one that is indented no deeper. */
function blockEnd(source: readonly string[], first: number): number {
  const line = source[first]!;
  if (!/[({[]$|=>$/.test(line)) return first;
  const indent = line.search(/\S/);
  const next = source.findIndex(
    (other, i) => i > first && other.trim() !== '' && other.search(/\S/) <= indent,
  );
  return next < 0 ? first : next;
}

const escaped = (text: string): string => text.replace(/[^\w]/g, '\\$&');
