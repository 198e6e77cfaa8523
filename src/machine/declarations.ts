// The declarations of an algorithm of either contract. Hosts read them here and need not know the contract.
import type { AnyAlgorithm, Assumptions, Knowledge } from '../core/algorithm.ts';
import { flawsOf } from '../core/algorithm-validation.ts';
import { InputError } from '../core/assert.ts';
import { type AnySharedAlgorithm, isShared, type Register, registersOf } from '../core/shared-algorithm.ts';

/** An algorithm of either contract: its processes send messages, or share memory. */
export type EitherAlgorithm = AnyAlgorithm | AnySharedAlgorithm;

/** What an algorithm on shared memory does not declare, because the contract implies it. */
interface ImpliedDeclarations {
  readonly assumes: Assumptions & Pick<AnySharedAlgorithm['assumes'], 'accesses'>;
  readonly knows: Knowledge;
}

type OnlyMessaging = Exclude<keyof AnyAlgorithm, keyof AnySharedAlgorithm | keyof ImpliedDeclarations>;

/** An algorithm with all declarations that hosts need. {@link declared} returns it. */
export type DeclaredAlgorithm =
  | (AnyAlgorithm & { readonly processes?: undefined; readonly program?: undefined })
  | (Omit<AnySharedAlgorithm, 'assumes'> &
      ImpliedDeclarations & { readonly [field in OnlyMessaging]?: undefined });

const known = new WeakMap<object, DeclaredAlgorithm>();

/**
 * Returns the algorithm with its declarations complete. One on shared memory gets those that its contract implies.
 * @throws {InputError} with every missing, misspelt or wrong field.
 * @example
 * import { dekker, raymond } from 'batonjs-lab/algorithms';
 * import { declared } from 'batonjs/machine';
 *
 * declared(raymond) === raymond; // → true
 * declared(dekker).assumes.topology; // → 'shared memory'
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
      ...algorithm.assumes,
    },
    knows: ['me', 'n'],
  });

/**
 * Returns how the processes of an algorithm communicate.
 * @example
 * import { dekker, raymond } from 'batonjs-lab/algorithms';
 * import { mediumOf } from 'batonjs/machine';
 *
 * mediumOf(raymond); // → 'messages'
 * mediumOf(dekker); // → 'memory'
 */
export const mediumOf = (algorithm: EitherAlgorithm | DeclaredAlgorithm): 'messages' | 'memory' =>
  isShared(algorithm) ? 'memory' : 'messages';

/**
 * Returns the largest number of processes in a simulation. It is smaller on shared memory, where each process has its own program.
 * @example
 * import { bakery, changRoberts } from 'batonjs-lab/algorithms';
 * import { mostProcesses } from 'batonjs/machine';
 *
 * mostProcesses(changRoberts); // → 10_000_000
 * mostProcesses(bakery); // → 4000
 */
export const mostProcesses = (algorithm: EitherAlgorithm | DeclaredAlgorithm): number =>
  isShared(algorithm) ? 4000 : 10_000_000;

/**
 * Returns whether runs may never end: the algorithm keeps sending messages, or waiting processes keep reading registers.
 * @example
 * import { dekker, raymond, tokenRing } from 'batonjs-lab/algorithms';
 * import { isCeaseless } from 'batonjs/machine';
 *
 * isCeaseless(raymond); // → false
 * isCeaseless(tokenRing); // → true
 * isCeaseless(dekker); // → true
 */
export const isCeaseless = (algorithm: EitherAlgorithm | DeclaredAlgorithm): boolean =>
  isShared(algorithm) || algorithm.perpetual === true;

/**
 * Returns the initial registers of n processes; none if processes send messages.
 * @example
 * import { dekker } from 'batonjs-lab/algorithms';
 * import { registersFor } from 'batonjs/machine';
 *
 * registersFor(dekker, 2).map(({ register, value }) => `${register} = ${value}`); // → ['c[0] = 1', 'c[1] = 1', 'turn = 0']
 */
export const registersFor = (algorithm: EitherAlgorithm | DeclaredAlgorithm, n: number): Register[] =>
  isShared(algorithm) ? registersOf(algorithm.registers(n)) : [];

/**
 * Returns the words for what a run counts (`one`, `many`), and for what a waiting process needs (`helps`).
 * @example
 * import { dekker, raymond } from 'batonjs-lab/algorithms';
 * import { countedIn } from 'batonjs/machine';
 *
 * countedIn(raymond).many; // → 'messages'
 * countedIn(dekker).many; // → 'accesses'
 */
export const countedIn = (algorithm: EitherAlgorithm | DeclaredAlgorithm) =>
  isShared(algorithm)
    ? ({ one: 'access', many: 'accesses', helps: 'write' } as const)
    : ({ one: 'message', many: 'messages', helps: 'message' } as const);

const networkFields = 'ids topology root channels slow loss duplication clocks snapshot'.split(' ');

/**
 * Returns whether a field of a scenario applies to this algorithm: shared memory has no channels, ids or local clocks.
 * @example
 * import { dekker, raymond } from 'batonjs-lab/algorithms';
 * import { isMeaningful } from 'batonjs/machine';
 *
 * isMeaningful(raymond, 'loss'); // → true
 * isMeaningful(dekker, 'loss'); // → false
 */
export const isMeaningful = (algorithm: EitherAlgorithm | DeclaredAlgorithm, field: string): boolean =>
  !(isShared(algorithm) && networkFields.includes(field));

/**
 * Checks that no given field is meaningless on shared memory. A field that is undefined or false is not given.
 * @param meaningless the fields to refuse. Defaults to those of a network.
 * @throws {InputError} for the first one.
 * @example
 * import { throws } from 'node:assert/strict';
 * import { dekker, raymond } from 'batonjs-lab/algorithms';
 * import { refuseMeaningless } from 'batonjs/machine';
 *
 * refuseMeaningless(raymond, { loss: 0.1 });
 * throws(() => refuseMeaningless(dekker, { loss: 0.1 }), /loss means nothing/);
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
