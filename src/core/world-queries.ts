import type { Algorithm, Knowledge, Message, Pid, Plain, World } from './algorithm.ts';

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
  { inFlight }: Pick<World<unknown, M>, 'inFlight'>,
  type: M['type'],
  { from, to }: { readonly from?: Pid; readonly to?: Pid } = {},
): number {
  let count = 0;
  for (const sent of inFlight) {
    const matches = (from === undefined || sent.from === from) && (to === undefined || sent.to === to);
    if (matches && sent.message.type === type) count += 1;
  }
  return count;
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
