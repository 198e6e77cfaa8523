import type { Algorithm, Knowledge, Message, Pid, Plain, World } from './algorithm.ts';

/** The key of a method by which a world returns the messages in flight of one type. A checker has it note what an invariant reads. */
export const inFlightOfType: unique symbol = Symbol('inFlightOfType');

type TypedWorld = { readonly [inFlightOfType]?: (type: string) => World<never, Message>['inFlight'] };

/**
 * Counts the messages of a type in flight, optionally only those from or to a process. For invariants.
 *
 * @example
 * import { countInFlight } from 'batonjs/core';
 *
 * const inFlight = [{ from: 0, to: 1, message: { type: 'token' } }];
 * countInFlight({ inFlight }, 'token', { to: 1 }); // → 1
 */
export function countInFlight<M extends Message>(
  world: Pick<World<unknown, M>, 'inFlight'>,
  type: M['type'],
  { from, to }: { readonly from?: Pid; readonly to?: Pid } = {},
): number {
  const inFlight = (world as TypedWorld)[inFlightOfType]?.(type) ?? world.inFlight;
  let count = 0;
  for (const sent of inFlight) {
    const matches = (from === undefined || sent.from === from) && (to === undefined || sent.to === to);
    if (matches && sent.message.type === type) count += 1;
  }
  return count;
}

/** An invariant of the form: for every process that satisfies a condition, something holds. {@link forEvery} makes one. */
export interface ConditionalInvariant<S, M extends Message> {
  (world: World<S, M>): boolean;
  /** The condition. It depends on the local state alone. */
  readonly satisfies: (s: S) => boolean;
  /** What holds for such a process. */
  readonly holds: (world: World<S, M>, process: Pid) => boolean;
}

/**
 * Makes an invariant: for every process whose local state satisfies the condition, `holds` is true. A checker knows more about it than
 * about other invariants: an event by which a process comes to satisfy the condition cannot repair it, so that states before may be left out.
 *
 * @example
 * import { forEvery } from 'batonjs/core';
 *
 * type State = { inside: boolean; token: boolean };
 * const invariant = forEvery((s: State) => s.inside, ({ states }, i) => states[i]!.token);
 * const world = { inFlight: [], meant: () => 0, sender: () => 0 };
 * invariant({ ...world, states: [{ inside: true, token: false }] }); // → false
 */
export function forEvery<S, M extends Message>(
  satisfies: (s: S) => boolean,
  holds: (world: World<S, M>, process: Pid) => boolean,
): ConditionalInvariant<S, M> {
  const invariant = (world: World<S, M>) => world.states.every((s, i) => !satisfies(s) || holds(world, i));
  return Object.assign(invariant, { satisfies, holds });
}

/** A token at a process, or in flight. */
export type TokenLocation = { readonly at: Pid } | { readonly from: Pid; readonly to: Pid };

type Token<S extends Plain, M extends Message & Plain> = NonNullable<
  Algorithm<'mutex', S, M, Knowledge>['token']
>;

/**
 * Returns where the token is: at processes, then in messages. A correct run has at most one location. The first argument is the `token` of
 * the algorithm.
 *
 * @example
 * import { tokenLocations } from 'batonjs/core';
 *
 * const token = { isHeld: (s: { has: boolean }) => s.has, isIn: (m: { type: string }) => m.type === 'token' };
 * const inFlight = [{ from: 1, to: 0, message: { type: 'token' } }];
 * tokenLocations(token, { states: [{ has: false }, { has: false }], inFlight }); // → [{ from: 1, to: 0 }]
 */
export const tokenLocations = <S extends Plain, M extends Message & Plain>(
  { isHeld, isIn }: Token<S, M>,
  { states, inFlight }: Pick<World<S, M>, 'states' | 'inFlight'>,
): TokenLocation[] => [
  ...states.flatMap((s, at) => (isHeld(s) ? [{ at }] : [])),
  ...inFlight.flatMap(({ from, to, message }) => (isIn(message) ? [{ from, to }] : [])),
];

/** A number that a process has found. See `finds` of {@link Algorithm}. */
export interface Finding {
  /** The name of the number. */
  readonly what: string;
  /** The process that knows it. */
  readonly process: Pid;
  /** The number. */
  readonly value: number;
}

/**
 * Returns the numbers that processes have found, in the order of their names, then of positions. The first argument is the `finds` of the
 * algorithm.
 *
 * @example
 * import { findingsIn } from 'batonjs/core';
 *
 * const finds = { 'ring size': (s: { size: number | null }) => s.size };
 * findingsIn(finds, [{ size: null }, { size: 2 }]); // → [{ what: 'ring size', process: 1, value: 2 }]
 */
export const findingsIn = <S>(
  finds: { readonly [what: string]: (s: S) => number | null },
  states: readonly S[],
): Finding[] =>
  Object.entries(finds).flatMap(([what, find]) =>
    states.flatMap((s, process) => {
      const value = find(s);
      return value === null ? [] : [{ what, process, value }];
    }),
  );
