// Which events commute, as the effects that were executed show it, not as anybody says. Two events at different processes do, because an
// event reads and changes nothing but its own site and adds to the inboxes of others. Two at one process do at a site if both
// orders of them end in the same site and send the same.
import type { Memo } from './memo.ts';
import { effect, first, type Sites } from './sites.ts';

/** Events of a site that can sleep: its first ones. Where they are at another site is packed into one number, four bits each. */
const most = 8;
const nowhere = 15;
const none = -1;

/** How many events of each process can sleep, so that 32 bits are enough. */
export const sleepersOf = (n: number): number => Math.min(most, Math.floor(32 / n));

/** The same events at another site. */
export function moved(events: number, where: number, sleepers: number): number {
  let result = 0;
  for (let left = events; left !== 0; left &= left - 1) {
    const k = 31 - Math.clz32(left & -left);
    const to = (where >>> (4 * k)) & 15;
    if (to < sleepers) result |= 1 << to;
  }
  return result;
}

export class Commutation {
  readonly #sites: Sites;
  readonly #isOrdered: boolean; // channels keep the order of sending

  constructor(sites: Sites) {
    this.#sites = sites;
    this.#isOrdered = sites.parts.question.setup.channels !== 'unordered';
  }

  /** Where the events of a site that commute with one of them are after it. */
  after(site: number, at: number): number {
    const known = this.#at(at + effect.others);
    if (known !== 0) return known;
    const target = this.#at(at + effect.site);
    const where = this.#pack(site, (other) => {
      if (other === at) return nowhere;
      const [later, index] = this.#find(target, other);
      return later !== none && this.#commute(at, later, other) ? index : nowhere;
    });
    this.#sites.effects[at + effect.others] = where;
    return where;
  }

  /** Where the events of a site are when a message to it has been sent. */
  afterArrival(site: number, arrivals: Memo, cell: number): number {
    const known = arrivals.noteAt(cell);
    if (known !== 0) return known;
    const target = arrivals.valueAt(cell);
    const where = this.#pack(site, (at) => {
      const [later, index] = this.#find(target, at);
      return later === none ? nowhere : index;
    });
    arrivals.note(cell, where);
    return where;
  }

  #pack(site: number, indexOf: (at: number) => number): number {
    const start = this.#sites.effectsOf(site);
    let where = -1; // nowhere, for all
    let at = start + first;
    for (let k = 0; k < Math.min(most, this.#at(start)); k += 1) {
      const index = Math.min(indexOf(at), nowhere);
      where = (where & ~(15 << (4 * k))) | (index << (4 * k));
      at = this.#next(at);
    }
    return where;
  }

  /** The effect of the same event with the same coins at another site, and how many come before it. */
  #find(site: number, at: number): readonly [at: number, index: number] {
    const move = this.#at(at + effect.move);
    const coins = this.#at(at + effect.coins);
    const start = this.#sites.effectsOf(site);
    let other = start + first;
    for (let k = 0; k < this.#at(start); k += 1) {
      if (this.#at(other + effect.move) === move && this.#at(other + effect.coins) === coins)
        return [other, k];
      other = this.#next(other);
    }
    return [none, 0];
  }

  /** Whether `one` and then `two`, which is `other` before `one`, come to the same as the other way round. */
  #commute(one: number, two: number, other: number): boolean {
    const [last] = this.#find(this.#at(other + effect.site), one);
    if (last === none || this.#at(last + effect.site) !== this.#at(two + effect.site)) return false;
    for (const at of [one, two, other, last]) if (this.#at(at + effect.violation) !== 0) return false;
    const sends = this.#at(one + effect.sends) + this.#at(two + effect.sends);
    if (sends !== this.#at(other + effect.sends) + this.#at(last + effect.sends)) return false;
    return sends === 0 || this.#sent(one, two) === this.#sent(other, last);
  }

  /** What two events send: on each channel in the order of sending, if that matters. */
  #sent(one: number, two: number): string {
    const sent: { to: number; item: number }[] = [];
    for (const at of [one, two]) {
      for (let k = at + effect.size; k < this.#next(at); k += 2)
        sent.push({ to: this.#at(k), item: this.#at(k + 1) });
    }
    return sent
      .sort((a, b) => a.to - b.to || (this.#isOrdered ? 0 : a.item - b.item))
      .map(({ to, item }) => `${to} ${item}`)
      .join();
  }

  #next(at: number): number {
    return at + effect.size + 2 * this.#at(at + effect.sends);
  }

  /** Read anew each time: the table is another one when it has grown. */
  #at(index: number): number {
    return this.#sites.effects[index]!;
  }
}
