// An algorithm from the editor as the page knows it: without its code, which runs in a worker.
import type { EitherAlgorithm } from '../../machine/index.ts';

const facts = [
  ...['name', 'problem', 'paper', 'assumes', 'knows', 'elects', 'electsAgain', 'synchronises', 'timers'],
  ...['perpetual', 'addresses', 'processes', 'request', 'release', 'failingRun', 'crashNotice', 'rounds'],
];
const functions = ['init', 'begin', 'recover', 'registers', 'program'];
const tables = ['calls', 'on', 'stabilises'];

/** The plain data of an algorithm, and the names of its functions. */
export interface AlgorithmDescription {
  readonly facts: Readonly<Record<string, unknown>>;
  readonly functions: readonly string[];
  readonly tables: readonly (readonly [name: string, keys: readonly string[]])[]; // of functions
}

export function describeAlgorithm(algorithm: EitherAlgorithm): AlgorithmDescription {
  const all = algorithm as unknown as Readonly<Record<string, object | undefined>>;
  const has = (field: string): boolean => all[field] !== undefined;
  return {
    facts: JSON.parse(JSON.stringify(Object.fromEntries(facts.map((field) => [field, all[field]])))),
    functions: functions.filter(has),
    tables: tables.filter(has).map((table) => [table, Object.keys(all[table]!)]),
  };
}

function refuse(): never {
  throw new Error('what somebody wrote runs in a thread of its own');
}

const refusing = (names: readonly string[]) => Object.fromEntries(names.map((name) => [name, refuse]));

/** Returns an algorithm with the same declarations, whose functions throw. */
export function stubAlgorithm({
  facts: known,
  functions: names,
  tables: handlerTables,
}: AlgorithmDescription): EitherAlgorithm {
  const handlers = Object.fromEntries(handlerTables.map(([table, keys]) => [table, refusing(keys)]));
  return { ...known, bounds: [], ...refusing(names), ...handlers } as unknown as EitherAlgorithm;
}
