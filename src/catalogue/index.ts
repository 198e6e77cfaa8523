import { algorithms, aliases, clockAlgorithms, sharedAlgorithms } from '../algorithms/index.ts';
import { InputError } from '../core/assert.ts';
import type { EitherAlgorithm } from '../machine/index.ts';
import { clockMutants, mutants, sharedMutants } from '../mutants/index.ts';
import { algorithmInfo, familyOf } from './algorithm-info.ts';
import { resolver } from './resolver.ts';
import { titleOf } from './titles.ts';

export type { EitherAlgorithm } from '../machine/index.ts';
export { type AlgorithmInfo, algorithmInfo, failingRunOf, familyOf, isMutant } from './algorithm-info.ts';
export { messagePassing } from './resolver.ts';
export { titleOf } from './titles.ts';

/** Every algorithm that has a file of its own, by problem and then by name. */
export const catalogue: readonly EitherAlgorithm[] = [...algorithms, ...clockAlgorithms, ...sharedAlgorithms];

export const allMutants = [...mutants, ...clockMutants, ...sharedMutants] as const;

/**
 * Finds an algorithm: by name or alias, a mutant, or a composition such as token-ring+bully or raymond+chandy-lamport.
 * @throws {InputError} if no algorithm has that name; the message suggests the nearest one.
 */
export const resolve = resolver([...catalogue, ...allMutants], aliases);

/** Returns the algorithm of that name, or null. For a text that may not be a name. */
export function resolveOrNull(name: string): EitherAlgorithm | null {
  try {
    return resolve(name);
  } catch (error) {
    if (error instanceof InputError) return null;
    throw error;
  }
}

/** The algorithms that lists show. Users can name further compositions. */
export const listed: readonly EitherAlgorithm[] = [
  ...catalogue,
  ...['token-ring+bully', 'berkeley+bully', 'chang-roberts+rounds'].map(resolve),
  ...allMutants,
];

export const aliasesOf = (algorithm: EitherAlgorithm): string[] =>
  Object.keys(aliases).filter((alias) => aliases[alias] === algorithm);

export interface Family {
  readonly title: string;
  readonly members: readonly EitherAlgorithm[];
}

/** Returns the algorithms that match all words of a search, by family. A composition that the search names comes first, mutants come last. */
export function families(search: string, among = listed): Family[] {
  const words = search.toLowerCase().split(/\s+/).filter(Boolean);
  const found = new Map<string, EitherAlgorithm[]>();
  const named = resolveOrNull(words.join(' '));
  if (named !== null && !listed.includes(named)) found.set('Composition', [named]);
  for (const algorithm of among) {
    const title = familyOf(algorithm);
    const { name, paper } = algorithm;
    const facts = [
      name,
      aliasesOf(algorithm),
      titleOf(algorithm),
      title,
      algorithmInfo(algorithm).assumptions,
      paper,
    ];
    const text = facts.flat().join(' ').toLowerCase();
    if (words.every((word) => text.includes(word)))
      found.set(title, [...(found.get(title) ?? []), algorithm]);
  }
  return [...found].map(([title, members]) => ({ title, members }));
}
