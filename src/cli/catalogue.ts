import { existsSync, readFileSync } from 'node:fs';
import { algorithms, aliases, clockAlgorithms, sharedAlgorithms } from '../algorithms/index.ts';
import type { AnyAlgorithm } from '../core/algorithm.ts';
import { InputError } from '../core/assert.ts';
import { nearest } from '../core/nearest.ts';
import { type AnySharedAlgorithm, isShared } from '../core/shared.ts';
import { clockMutants, type Mutant, mutants, type SharedMutant, sharedMutants } from '../mutants/index.ts';
import { withRecovery } from '../recovery/index.ts';
import { snapshotting } from '../snapshot/snapshotting.ts';

export type Entry = AnyAlgorithm | AnySharedAlgorithm;

export const catalogue: readonly Entry[] = [...algorithms, ...clockAlgorithms, ...sharedAlgorithms];
const wrong: readonly (Mutant | SharedMutant)[] = [...mutants, ...clockMutants, ...sharedMutants];

const withSnapshots = '+chandy-lamport';

/** An algorithm, by either of its names, or a mutant; the nearest right word if there is none of that name. */
export function find(name: string): Entry {
  const all = [...catalogue, ...wrong];
  const found = all.find((algorithm) => algorithm.name === name);
  if (found) return found;
  if (Object.hasOwn(aliases, name)) return aliases[name]!;
  if (name.endsWith(withSnapshots) && name !== withSnapshots)
    return snapshotting(findMessaging(name.slice(0, -withSnapshots.length)));
  if (`+${name}` === withSnapshots)
    throw new InputError(`'${name}' goes beside another algorithm: write token-ring${withSnapshots}`);
  const [lock, election, ...more] = name.split('+');
  if (election !== undefined && (lock === '' || election === '' || more.length > 0))
    throw new InputError(`'${name}': write LOCK+ELECTION, as in token-ring+bully`);
  if (election !== undefined) return withRecovery(findMessaging(lock!), findMessaging(election));
  const suggestion = nearest(name, [...all.map((algorithm) => algorithm.name), ...Object.keys(aliases)]);
  throw new InputError(
    suggestion === null
      ? `no algorithm is called '${name}': see baton list`
      : `no algorithm is called '${name}'. Did you mean ${suggestion}? All are in baton list`,
  );
}

/** One that sends messages. */
export function findMessaging(name: string): AnyAlgorithm {
  const found = find(name);
  if (!isShared(found)) return found;
  throw new InputError(`the processes of ${name} share memory; this is for those that send messages`);
}

export const isMutant = (algorithm: Entry): algorithm is Mutant | SharedMutant => 'of' in algorithm;

/** What `list` and `show` print as JSON. */
export function entryOf(algorithm: Entry) {
  const { name, problem, paper } = algorithm;
  const bounds: AnyAlgorithm['bounds'] = algorithm.bounds;
  const bypass = isShared(algorithm) ? undefined : algorithm.bypass;
  return {
    name,
    aliases: Object.keys(aliases).filter((alias) => aliases[alias] === algorithm),
    problem,
    paper,
    ...assumed(algorithm),
    bounds: bounds.map((bound) => ({
      case: bound.case,
      counts: bound.counts,
      formula: bound.formula,
      when: bound.when?.condition ?? null,
      source: bound.source,
    })),
    ...(bypass && {
      bypass: bypass.map(({ from, formula, when, source }) => ({
        from,
        formula,
        when: when?.condition ?? null,
        source,
      })),
    }),
    mutants: wrong.filter(({ of }) => of === name || of.startsWith(`${name}+`)).map((mutant) => mutant.name),
    ...(isMutant(algorithm) ? { of: algorithm.of, lie: algorithm.lie } : {}),
  };
}

const assumed = (algorithm: Entry) =>
  isShared(algorithm)
    ? {
        topology: 'shared memory',
        channels: null,
        failures: algorithm.assumes.failures,
        timing: 'asynchronous',
      }
    : algorithm.assumes;

/** The text of the file an algorithm stands in, as shipped in src/. */
export function sourceOf(algorithm: Entry): string {
  if (algorithm.name.includes('+')) {
    return readFileSync(new URL(`../../src/${composerOf(algorithm)}.ts`, import.meta.url), 'utf8');
  }
  if (isMutant(algorithm)) return sourceIn('mutants', algorithm.of);
  return sourceIn(`algorithms/${isShared(algorithm) ? 'shared' : algorithm.problem}`, algorithm.name);
}

/** The file that puts two algorithms together. */
function composerOf(algorithm: Entry): string {
  if (!isShared(algorithm) && algorithm.snapshots !== undefined)
    return isMutant(algorithm) ? 'mutants/snapshotting' : 'snapshot/chandy-lamport';
  if (isMutant(algorithm)) return 'mutants/recovering';
  return algorithm.problem === 'clocks' ? 'recovery/succession' : 'recovery/recovering';
}

/** A variant stands in the file of what it is a variant of: a-b-c in a-b.ts. */
export function sourceIn(folder: string, name: string): string {
  const words = name.split('-');
  for (let length = words.length; length > 0; length -= 1) {
    const path = new URL(`../../src/${folder}/${words.slice(0, length).join('-')}.ts`, import.meta.url);
    if (existsSync(path)) return readFileSync(path, 'utf8');
  }
  throw new InputError(`the source of ${name} is not installed: src/${folder} is missing`);
}
