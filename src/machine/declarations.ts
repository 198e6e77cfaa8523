// The declarations of an algorithm of either contract. Hosts read them here and need not know the contract.
import type { AnyAlgorithm, Assumptions, Knowledge } from '../core/algorithm.ts';
import { flawsOf } from '../core/algorithm-validation.ts';
import { InputError } from '../core/assert.ts';
import { type AnySharedAlgorithm, isShared, type Register, registersOf } from '../core/shared-algorithm.ts';

/** An algorithm of either contract. */
export type EitherAlgorithm = AnyAlgorithm | AnySharedAlgorithm;

/** What an algorithm on shared memory does not declare, because the contract implies it. */
interface ImpliedDeclarations {
  readonly assumes: Assumptions;
  readonly knows: Knowledge;
}

type OnlyMessaging = Exclude<keyof AnyAlgorithm, keyof AnySharedAlgorithm | keyof ImpliedDeclarations>;

/** An algorithm with all declarations that hosts need. */
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

/** A copy that keeps inherited methods, in case the algorithm is an instance of a class. */
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

/** How the processes of an algorithm communicate. */
export const mediumOf = (algorithm: EitherAlgorithm | DeclaredAlgorithm): 'messages' | 'memory' =>
  isShared(algorithm) ? 'memory' : 'messages';

/** The largest number of processes in a run. On shared memory each process has its own program. */
export const mostProcesses = (algorithm: EitherAlgorithm | DeclaredAlgorithm): number =>
  isShared(algorithm) ? 4000 : 10_000_000;

/** Whether runs may never end: it keeps sending messages, or waiting processes keep reading. */
export const isCeaseless = (algorithm: EitherAlgorithm | DeclaredAlgorithm): boolean =>
  isShared(algorithm) || algorithm.perpetual === true;

/** The initial registers of n processes; none if processes send messages. */
export const registersFor = (algorithm: EitherAlgorithm | DeclaredAlgorithm, n: number): Register[] =>
  isShared(algorithm) ? registersOf(algorithm.registers(n)) : [];

/** The unit that a run counts, and what a waiting process needs. */
export const countedIn = (algorithm: EitherAlgorithm | DeclaredAlgorithm) =>
  isShared(algorithm)
    ? ({ one: 'access', many: 'accesses', helps: 'write' } as const)
    : ({ one: 'message', many: 'messages', helps: 'message' } as const);

const networkFields = 'ids topology root channels slow loss duplication clocks snapshot'.split(' ');

/** Whether a field of a scenario applies to this algorithm: shared memory has no channels, ids or local clocks. */
export const isMeaningful = (algorithm: EitherAlgorithm | DeclaredAlgorithm, field: string): boolean =>
  !(isShared(algorithm) && networkFields.includes(field));

/**
 * Checks that no given field is meaningless on shared memory.
 * @throws InputError for the first one.
 */
export function refuseMeaningless(
  algorithm: EitherAlgorithm | DeclaredAlgorithm,
  given: { readonly [field: string]: unknown },
  meaningless: readonly string[] = networkFields,
): void {
  const wrong =
    isShared(algorithm) && meaningless.find((field) => given[field] !== undefined && given[field] !== false);
  if (wrong)
    throw new InputError(`the processes of ${algorithm.name} share memory: ${wrong} means nothing to them`);
}
