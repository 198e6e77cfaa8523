import { existsSync, readFileSync } from 'node:fs';
import { algorithms } from '../algorithms/index.ts';
import type { AnyAlgorithm } from '../core/algorithm.ts';
import { InputError } from '../core/assert.ts';
import { nearest } from '../core/nearest.ts';
import { type Mutant, mutants } from '../mutants/index.ts';
import { withRecovery } from '../recovery/index.ts';

/** An algorithm or a mutant; the nearest right word if there is none of that name. */
export function find(name: string): AnyAlgorithm {
  const all = [...algorithms, ...mutants];
  const found = all.find((algorithm) => algorithm.name === name);
  if (found) return found;
  const [lock, election, ...more] = name.split('+');
  if (election !== undefined && more.length === 0) return withRecovery(find(lock!), find(election));
  const suggestion = nearest(
    name,
    all.map((algorithm) => algorithm.name),
  );
  const hint = suggestion === null ? '' : ` Did you mean ${suggestion}?`;
  const names = algorithms.map((algorithm) => algorithm.name).join(', ');
  throw new InputError(`no algorithm is called '${name}'.${hint} There are ${names}; baton list tells more`);
}

export const isMutant = (algorithm: AnyAlgorithm): algorithm is Mutant => 'of' in algorithm;

/** What `list` and `show` print as JSON. */
export function entryOf(algorithm: AnyAlgorithm) {
  const { name, problem, paper, assumes, bounds } = algorithm;
  return {
    name,
    problem,
    paper,
    ...assumes,
    bounds: bounds.map((bound) => ({
      case: bound.case,
      counts: bound.counts,
      formula: bound.formula,
      when: bound.when?.condition ?? null,
      source: bound.source,
    })),
    mutants: mutants
      .filter(({ of }) => of === name || of.startsWith(`${name}+`))
      .map((mutant) => mutant.name),
    ...(isMutant(algorithm) ? { of: algorithm.of, lie: algorithm.lie } : {}),
  };
}

/** The text of the file an algorithm stands in, as shipped in src/. */
export function sourceOf(algorithm: AnyAlgorithm): string {
  if (algorithm.name.includes('+')) {
    const home = isMutant(algorithm) ? 'mutants' : 'recovery';
    return readFileSync(new URL(`../../src/${home}/recovering.ts`, import.meta.url), 'utf8');
  }
  const folder = isMutant(algorithm) ? 'mutants' : `algorithms/${algorithm.problem}`;
  // A variant stands in the file of the algorithm it is a variant of: a-b-c in a-b.ts.
  const words = (isMutant(algorithm) ? algorithm.of : algorithm.name).split('-');
  for (let length = words.length; length > 0; length -= 1) {
    const path = new URL(`../../src/${folder}/${words.slice(0, length).join('-')}.ts`, import.meta.url);
    if (existsSync(path)) return readFileSync(path, 'utf8');
  }
  throw new InputError(`the source of ${algorithm.name} is not installed: src/${folder} is missing`);
}
