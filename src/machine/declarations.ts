// What an algorithm says of itself, of whichever contract it is. Hosts read it here and need not know which one they run.
import type { AnyAlgorithm, Assumptions, Knowledge } from '../core/algorithm.ts';
import { flawsOf } from '../core/algorithm-validation.ts';
import { InputError } from '../core/assert.ts';
import { type AnySharedAlgorithm, isShared, type Register, registersOf } from '../core/shared-algorithm.ts';

/** An algorithm of either contract. */
export type EitherAlgorithm = AnyAlgorithm | AnySharedAlgorithm;

/** What an algorithm on shared memory does not say, because it goes without saying. */
interface ImpliedDeclarations {
  readonly assumes: Assumptions;
  readonly knows: Knowledge;
}

type OnlyMessaging = Exclude<keyof AnyAlgorithm, keyof AnySharedAlgorithm | keyof ImpliedDeclarations>;

/** An algorithm with everything declared that hosts ask for. */
export type DeclaredAlgorithm =
  | (AnyAlgorithm & { readonly processes?: undefined; readonly program?: undefined })
  | (Omit<AnySharedAlgorithm, 'assumes'> &
      ImpliedDeclarations & { readonly [field in OnlyMessaging]?: undefined });

const known = new WeakMap<object, DeclaredAlgorithm>();

/**
 * The algorithm with its declarations complete.
 *
 * @throws InputError with every missing, misspelt or wrong field.
 */
export function declared(algorithm: EitherAlgorithm | DeclaredAlgorithm): DeclaredAlgorithm {
  const before = known.get(algorithm);
  if (before !== undefined) return before;
  const flaws = flawsOf(algorithm);
  if (flaws.length > 0) throw new InputError(`${nameOf(algorithm)} is not an algorithm: ${flaws.join('; ')}`);
  const complete = isShared(algorithm)
    ? completed(algorithm as AnySharedAlgorithm)
    : (algorithm as DeclaredAlgorithm);
  known.set(algorithm, complete);
  known.set(complete, complete);
  return complete;
}

const nameOf = (algorithm: unknown): string => {
  const name = (algorithm as Partial<AnyAlgorithm> | null)?.name;
  return typeof name === 'string' && name !== '' ? name : 'what was given';
};

/** A copy that keeps methods, where somebody wrote a class. */
const completed = (algorithm: AnySharedAlgorithm): DeclaredAlgorithm =>
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
export const mediumOf = (algorithm: EitherAlgorithm | DeclaredAlgorithm): 'messages' | 'memory' =>
  isShared(algorithm) ? 'memory' : 'messages';

/** The most processes that a run can have. On shared memory each has a program of its own. */
export const mostProcesses = (algorithm: EitherAlgorithm | DeclaredAlgorithm): number =>
  isShared(algorithm) ? 4000 : 10_000_000;

/** Its runs need not come to an end: messages never cease, or processes that wait read again and again. */
export const isCeaseless = (algorithm: EitherAlgorithm | DeclaredAlgorithm): boolean =>
  isShared(algorithm) || algorithm.perpetual === true;

/** The registers of n processes before the first step; none where processes send messages. */
export const registersFor = (algorithm: EitherAlgorithm | DeclaredAlgorithm, n: number): Register[] =>
  isShared(algorithm) ? registersOf(algorithm.registers(n)) : [];

/** What a run counts, and what could help those who wait. */
export const countedIn = (algorithm: EitherAlgorithm | DeclaredAlgorithm) =>
  isShared(algorithm)
    ? ({ one: 'access', many: 'accesses', helps: 'write' } as const)
    : ({ one: 'message', many: 'messages', helps: 'message' } as const);

const ofNetworks = 'ids topology root channels slow loss duplication clocks snapshot'.split(' ');

/** Whether a field of a scenario says anything about this algorithm: without a network there are no channels, ids or local clocks. */
export const isMeaningful = (algorithm: EitherAlgorithm | DeclaredAlgorithm, field: string): boolean =>
  !(isShared(algorithm) && ofNetworks.includes(field));

/** Refuses the first of these that means nothing where memory is shared: it would be a mistake, not a wish. */
export function refuseMeaningless(
  algorithm: EitherAlgorithm | DeclaredAlgorithm,
  given: { readonly [field: string]: unknown },
  meaningless: readonly string[] = ofNetworks,
): void {
  const wrong =
    isShared(algorithm) && meaningless.find((field) => given[field] !== undefined && given[field] !== false);
  if (wrong)
    throw new InputError(`the processes of ${algorithm.name} share memory: ${wrong} means nothing to them`);
}
