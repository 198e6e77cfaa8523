import type { Message, Pid, World } from './algorithm.ts';

/** How many messages of this type are on their way; from and to these processes only, if given. For invariants. */
export function onTheWay<M extends Message>(
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
