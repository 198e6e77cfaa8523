// Which events commute, as the effects that were executed show it, not as anybody says. Two events at different processes do, because an
// event reads and changes nothing but its own site and adds to the inboxes of others. Two at one process do at a site if both
// orders of them end in the same site and send the same.

import type { EnabledEffects } from '../messages/enabled.ts';
import { effectField, effectFlag, listHeader } from '../model/effect-table.ts';
import { grown, growth } from '../storage/tuple-table.ts';

const most = 8; // events of a site that can sleep: its first ones
const nowhere = 15; // where an event is at another site, in four bits
const none = -1;

/** Events of all sites of a world that are asleep, as bits: so many for each process. */
export class SleepSets {
  readonly bitsPerProcess: number; // for each process
  readonly #all: number; // their bits
  readonly #states: EnabledEffects;
  #commuting: Int32Array = new Int32Array(1024); // of each effect: where the events are after it that commute with it
  readonly #isOrdered: boolean; // channels keep the order of sending
  readonly #countsBypass: boolean; // who enters passes by others, and that is counted

  constructor(states: EnabledEffects) {
    const { setup, bypass } = states.processStates.config;
    const { n, channels } = setup;
    this.bitsPerProcess = Math.min(most, Math.floor(32 / n));
    this.#all = (1 << this.bitsPerProcess) - 1;
    this.#states = states;
    this.#isOrdered = channels !== 'unordered';
    this.#countsBypass = bypass.length > 0;
  }

  get bytes(): number {
    return this.#commuting.byteLength;
  }

  /** Those that commute with an effect at process i, which is at that site. */
  after(state: number, i: number, at: number, asleep: number): number {
    return this.#isAsleepAt(i, asleep) ? this.#move(i, asleep, this.#whereAfter(state, at)) : asleep;
  }

  /** The same events, when a message to process j has been sent. */
  afterSend(state: number, j: number, cell: number, asleep: number): number {
    return this.#isAsleepAt(j, asleep) ? this.#move(j, asleep, this.#whereAfterArrival(state, cell)) : asleep;
  }

  /** Where bypass bounds are checked, who waits elsewhere feels it when one enters: that does not commute with asking there. */
  maySleep(at: number): boolean {
    return (
      at !== none && !(this.#countsBypass && (this.#at(at + effectField.flags) & effectFlag.enters) !== 0)
    );
  }

  #isAsleepAt(i: number, asleep: number): boolean {
    return ((asleep >>> (this.bitsPerProcess * i)) & this.#all) !== 0;
  }

  /** The events of process i are those of another site now. */
  #move(i: number, asleep: number, where: number): number {
    const low = this.bitsPerProcess * i;
    let result = asleep & ~(this.#all << low);
    for (let left = (asleep >>> low) & this.#all; left !== 0; left &= left - 1) {
      const k = 31 - Math.clz32(left & -left);
      const to = (where >>> (4 * k)) & 15;
      if (to < this.bitsPerProcess) result |= 1 << (low + to);
    }
    return result;
  }

  /** Where the events of a site that commute with one of them are after it. */
  #whereAfter(state: number, at: number): number {
    const known = at < this.#commuting.length ? this.#commuting[at]! : 0;
    if (known !== 0) return known;
    const target = this.#at(at + effectField.state);
    const where = this.#pack(state, (other) => {
      if (other === at) return nowhere;
      const [later, index] = this.#find(target, other);
      return this.maySleep(later) && this.#commute(at, later, other) ? index : nowhere;
    });
    if (at >= this.#commuting.length) this.#commuting = grown(this.#commuting, growth * at);
    this.#commuting[at] = where;
    return where;
  }

  /** Where the events of a site are when a message to it has been sent. */
  #whereAfterArrival(state: number, cell: number): number {
    const { sends } = this.#states.processStates;
    const known = sends.noteAt(cell);
    if (known !== 0) return known;
    const target = sends.valueAt(cell);
    const where = this.#pack(state, (at) => {
      const [later, index] = this.#find(target, at);
      return this.maySleep(later) ? index : nowhere;
    });
    sends.note(cell, where);
    return where;
  }

  #pack(state: number, indexOf: (at: number) => number): number {
    const start = this.#states.enabled(state);
    let where = -1; // nowhere, for all
    let at = start + listHeader;
    for (let k = 0; k < Math.min(most, this.#at(start)); k += 1) {
      const index = Math.min(indexOf(at), nowhere);
      where = (where & ~(15 << (4 * k))) | (index << (4 * k));
      at = this.#states.effects.after(at);
    }
    return where;
  }

  /** The effect of the same event with the same coins at another site, and how many come before it. */
  #find(state: number, at: number): readonly [at: number, index: number] {
    const event = this.#at(at + effectField.event);
    const start = this.#states.enabled(state);
    let other = start + listHeader;
    for (let k = 0; k < this.#at(start); k += 1) {
      if (this.#at(other + effectField.event) === event) return [other, k];
      other = this.#states.effects.after(other);
    }
    return [none, 0];
  }

  /** Whether `one` and then `two`, which is `other` before `one`, come to the same as the other way round. */
  #commute(one: number, two: number, other: number): boolean {
    const [last] = this.#find(this.#at(other + effectField.state), one);
    if (last === none || this.#at(last + effectField.state) !== this.#at(two + effectField.state))
      return false;
    for (const at of [one, two, other, last])
      if ((this.#at(at + effectField.flags) & effectFlag.breaks) !== 0) return false;
    const sends = this.#at(one + effectField.changes) + this.#at(two + effectField.changes);
    if (sends !== this.#at(other + effectField.changes) + this.#at(last + effectField.changes)) return false;
    return sends === 0 || this.#sent(one, two) === this.#sent(other, last);
  }

  /** What two events send: on each channel in the order of sending, if that matters. */
  #sent(one: number, two: number): string {
    const sent: { to: number; item: number }[] = [];
    for (const at of [one, two]) {
      for (let k = at + effectField.size; k < this.#states.effects.after(at); k += 2)
        sent.push({ to: this.#at(k), item: this.#at(k + 1) });
    }
    return sent
      .sort((a, b) => a.to - b.to || (this.#isOrdered ? 0 : a.item - b.item))
      .map(({ to, item: envelope }) => `${to} ${envelope}`)
      .join();
  }

  /** Read anew each time: the table is another one when it has grown. */
  #at(index: number): number {
    return this.#states.effects.table[index]!;
  }
}
