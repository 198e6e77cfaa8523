import type { Algorithm, Knowledge, Message, Pid, Plain, World } from './algorithm.ts';

/** How many messages of this type are on their way; from and to these processes only, if given. For invariants. */
export function countInFlight<M extends Message>(
  { inFlight }: Pick<World<unknown, M>, 'inFlight'>,
  type: M['type'],
  { from, to }: { readonly from?: Pid; readonly to?: Pid } = {},
): number {
  let count = 0;
  for (const sent of inFlight) {
    const isMeant = (from === undefined || sent.from === from) && (to === undefined || sent.to === to);
    if (isMeant && sent.message.type === type) count += 1;
  }
  return count;
}

/** At a process, or on its way. */
export type TokenLocation = { readonly at: Pid } | { readonly from: Pid; readonly to: Pid };

type Token<S extends Plain, M extends Message & Plain> = NonNullable<
  Algorithm<'mutex', S, M, Knowledge>['token']
>;

/** Where a token is: one place, or something is wrong. */
export const tokenLocations = <S extends Plain, M extends Message & Plain>(
  { isHeld, isIn }: Token<S, M>,
  { states, inFlight }: Pick<World<S, M>, 'states' | 'inFlight'>,
): TokenLocation[] => [
  ...states.flatMap((s, at) => (isHeld(s) ? [{ at }] : [])),
  ...inFlight.flatMap(({ from, to, message }) => (isIn(message) ? [{ from, to }] : [])),
];
