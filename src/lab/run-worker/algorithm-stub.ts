// What the page knows of an algorithm that it must not run.
import type { EitherAlgorithm } from '../../machine/index.ts';

const facts = [
  ...['name', 'problem', 'paper', 'assumes', 'knows', 'elects', 'synchronises', 'timers', 'perpetual'],
  ...['processes', 'request', 'release'],
];
const functions = ['init', 'registers', 'program'];
const tables = ['calls', 'on', 'stabilises'];

/** An algorithm without its functions. */
export interface AlgorithmDescription {
  readonly facts: Readonly<Record<string, unknown>>;
  readonly functions: readonly string[]; // that it has
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

function elsewhere(): never {
  throw new Error('what somebody wrote runs in a thread of its own');
}

const none = (names: readonly string[]) => Object.fromEntries(names.map((name) => [name, elsewhere]));

/** Stands for the algorithm on the page, which asks what it is and runs nothing of it. */
export function stubAlgorithm({
  facts: known,
  functions: own,
  tables: of,
}: AlgorithmDescription): EitherAlgorithm {
  const handlers = Object.fromEntries(of.map(([table, keys]) => [table, none(keys)]));
  return { ...known, bounds: [], ...none(own), ...handlers } as unknown as EitherAlgorithm;
}
