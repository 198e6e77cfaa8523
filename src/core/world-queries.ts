import type { Algorithm, Knowledge, Message, Pid, Plain, World } from './algorithm.ts';

/** Counts the messages of a type in flight, optionally only those from or to a process. For invariants. */
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

/** Where the token is. A correct run has at most one location. */
export const tokenLocations = <S extends Plain, M extends Message & Plain>(
  { isHeld, isIn }: Token<S, M>,
  { states, inFlight }: Pick<World<S, M>, 'states' | 'inFlight'>,
): TokenLocation[] => [
  ...states.flatMap((s, at) => (isHeld(s) ? [{ at }] : [])),
  ...inFlight.flatMap(({ from, to, message }) => (isIn(message) ? [{ from, to }] : [])),
];
