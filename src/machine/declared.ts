// What an algorithm says of itself, of whichever contract it is. Hosts read it here and need not know which one they run.
import type { AnyAlgorithm, Assumptions, Knowledge } from '../core/algorithm.ts';
import { InputError } from '../core/assert.ts';
import { flawsOf } from '../core/contract.ts';
import { type AnySharedAlgorithm, isShared, type Register, registersOf } from '../core/shared.ts';

/** An algorithm of either contract. */
export type EitherAlgorithm = AnyAlgorithm | AnySharedAlgorithm;

/** What an algorithm on shared memory does not say, because it goes without saying. */
interface Implied {
  readonly assumes: Assumptions;
  readonly knows: Knowledge;
}

type OnlyMessaging = Exclude<keyof AnyAlgorithm, keyof AnySharedAlgorithm | keyof Implied>;

/** An algorithm with everything declared that hosts ask for. */
export type Declared =
  | (AnyAlgorithm & { readonly processes?: undefined; readonly program?: undefined })
  | (Omit<AnySharedAlgorithm, 'assumes'> & Implied & { readonly [field in OnlyMessaging]?: undefined });

const known = new WeakMap<object, Declared>();

/**
 * The algorithm with its declarations complete.
 *
 * @throws InputError with every missing, misspelt or wrong field.
 */
export function declared(algorithm: EitherAlgorithm | Declared): Declared {
  const before = known.get(algorithm);
  if (before !== undefined) return before;
  const flaws = flawsOf(algorithm);
  if (flaws.length > 0) throw new InputError(`${nameOf(algorithm)} is not an algorithm: ${flaws.join('; ')}`);
  const complete = isShared(algorithm) ? completed(algorithm as AnySharedAlgorithm) : (algorithm as Declared);
  known.set(algorithm, complete);
  known.set(complete, complete);
  return complete;
}

const nameOf = (algorithm: unknown): string => {
  const name = (algorithm as Partial<AnyAlgorithm> | null)?.name;
  return typeof name === 'string' && name !== '' ? name : 'what was given';
};

/** A copy that keeps methods, where somebody wrote a class. */
const completed = (algorithm: AnySharedAlgorithm): Declared =>
  Object.assign(Object.create(Object.getPrototypeOf(algorithm)), algorithm, {
    assumes: {
      topology: 'shared memory',
      channels: 'unordered',
      timing: 'asynchronous',
      failures: algorithm.assumes.failures,
    },
    knows: ['me', 'n'],
  });

/** What the processes of an algorithm share: channels for messages, or registers. */
export const mediumOf = (algorithm: EitherAlgorithm | Declared): 'messages' | 'memory' =>
  isShared(algorithm) ? 'memory' : 'messages';

/** The most processes that a run can have. On shared memory each has a program of its own. */
export const mostProcesses = (algorithm: EitherAlgorithm | Declared): number =>
  isShared(algorithm) ? 4000 : 10_000_000;

/** Its runs need not come to an end: messages never cease, or processes that wait read again and again. */
export const isCeaseless = (algorithm: EitherAlgorithm | Declared): boolean =>
  isShared(algorithm) || algorithm.perpetual === true;

/** The registers of n processes before the first step; none where processes send messages. */
export const registersFor = (algorithm: EitherAlgorithm | Declared, n: number): Register[] =>
  isShared(algorithm) ? registersOf(algorithm.registers(n)) : [];

/** What a run counts, and what could help those who wait. */
export const countedIn = (algorithm: EitherAlgorithm | Declared) =>
  isShared(algorithm)
    ? ({ one: 'access', many: 'accesses', helps: 'write' } as const)
    : ({ one: 'message', many: 'messages', helps: 'message' } as const);

const ofNetworks = 'ids topology root channels slow loss duplication clocks snapshot'.split(' ');

/** Whether a field of a scenario says anything about this algorithm: without a network there are no channels, ids or local clocks. */
export const isMeaningful = (algorithm: EitherAlgorithm | Declared, field: string): boolean =>
  !(isShared(algorithm) && ofNetworks.includes(field));

/** Refuses the first of these that means nothing where memory is shared: it would be a mistake, not a wish. */
export function refuseMeaningless(
  algorithm: EitherAlgorithm | Declared,
  given: { readonly [field: string]: unknown },
  meaningless: readonly string[] = ofNetworks,
): void {
  const wrong =
    isShared(algorithm) && meaningless.find((field) => given[field] !== undefined && given[field] !== false);
  if (wrong)
    throw new InputError(`the processes of ${algorithm.name} share memory: ${wrong} means nothing to them`);
}
