// Which member is the home of a lock. The home decides when a run of the lock starts, and which members take part in it.
import { hash } from '../core/random.ts';
import type { MemberId, View } from './view.ts';

/** Locks are assigned to homes slot by slot. */
export const slotCount = 64;

const mostHomes = 4; // so that short-lived members of a large group are never homes, and a join or leave of one moves no slot

export const slotOf = (lock: string): number => mixed(hash(lock)) % slotCount;

/**
 * The home of each slot: of the first four members that are not silent, the one with the highest hash of slot and id. So if one of the four
 * changes, slots move only from the member that goes and to the one that comes.
 */
export function homesOf({ members }: View): readonly MemberId[] {
  const answering = members.filter(({ isSilent }) => isSilent !== true);
  const homes = (answering.length > 0 ? answering : members).slice(0, mostHomes).map(({ id }) => id);
  return Array.from({ length: slotCount }, (_, slot) => {
    const rank = (id: MemberId) => mixed(hash(`${slot} ${id}`));
    return homes.reduce((best, id) => (rank(id) > rank(best) ? id : best));
  });
}

/** Returns the slots of each member, from the members of each slot; null stands for none. */
export function slotsByMember(members: readonly (Iterable<MemberId> | null)[]): Map<MemberId, number[]> {
  const slots = new Map<MemberId, number[]>();
  for (const [slot, ids] of members.entries())
    for (const id of ids ?? []) {
      const known = slots.get(id);
      if (known === undefined) slots.set(id, [slot]);
      else known.push(slot);
    }
  return slots;
}

/** Spreads the bits of a hash: those of similar texts differ in few of them. */
function mixed(h: number): number {
  let x = h;
  x = Math.imul(x ^ (x >>> 16), 0x85ebca6b);
  x = Math.imul(x ^ (x >>> 13), 0xc2b2ae35);
  return (x ^ (x >>> 16)) >>> 0;
}
