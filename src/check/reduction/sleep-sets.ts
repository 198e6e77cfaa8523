// Which events commute is read off the effects that were executed. Two events at different processes commute, because an event reads and changes
// only its own process and adds to the inboxes of others. Two events at one process commute in a state if both orders end in the same
// state and send the same messages.
import type { EffectId, ProcessStateId } from '../ids.ts';
import type { EnabledEffects } from '../messages/enabled.ts';
import { effectField, effectFlag } from '../model/effect-table.ts';
import type { SleepSetReduction } from '../model/medium.ts';
import { grown, growth } from '../storage/typed-arrays.ts';

const most = 8; // events of a process state that can sleep: its first ones
const nowhere = 15; // in place of an index, in four bits: the event is not enabled, or does not commute
const none = -1 as EffectId;

/** The sleep set of a world: `bitsPerProcess` bits for each process, one for each of its first events. */
export class SleepSets implements SleepSetReduction {
  readonly bitsPerProcess: number;
  readonly #mask: number; // the bits of one process
  readonly #states: EnabledEffects;
  #indexesAfter: Int32Array = new Int32Array(1024); // by effect: see `#pack`
  readonly #isOrdered: boolean; // channels keep the order of sending
  readonly #countsBypass: boolean; // an entry changes every waiting process

  constructor(states: EnabledEffects) {
    const { setup, bypass } = states.processStates.config;
    const { n, channels } = setup;
    this.bitsPerProcess = Math.min(most, Math.floor(32 / n));
    this.#mask = (1 << this.bitsPerProcess) - 1;
    this.#states = states;
    this.#isOrdered = channels !== 'unordered';
    this.#countsBypass = bypass.length > 0;
  }

  get bytes(): number {
    return this.#indexesAfter.byteLength;
  }

  /** Returns the events that still sleep after an effect at process i, which was in that state: those that commute with it. */
  after(state: ProcessStateId, i: number, effect: EffectId, asleep: number): number {
    return this.#sleepsAt(i, asleep)
      ? this.#moved(i, asleep, this.#indexesAfterEffect(state, effect))
      : asleep;
  }

  /** Returns the same events after a message was sent to process j. `cell` says which: see `ProcessStateTable.sendCell`. */
  afterSend(state: ProcessStateId, j: number, cell: number, asleep: number): number {
    return this.#sleepsAt(j, asleep) ? this.#moved(j, asleep, this.#indexesAfterSend(state, cell)) : asleep;
  }

  /** Where bypass is counted, an entry does not commute with a request at another process. */
  maySleep(effect: EffectId): boolean {
    return (
      effect !== none &&
      !(this.#countsBypass && (this.#at(effect + effectField.flags) & effectFlag.enters) !== 0)
    );
  }

  #sleepsAt(i: number, asleep: number): boolean {
    return ((asleep >>> (this.bitsPerProcess * i)) & this.#mask) !== 0;
  }

  /** Process i is in another state now, where its events have other indexes. */
  #moved(i: number, asleep: number, indexes: number): number {
    const low = this.bitsPerProcess * i;
    let result = asleep & ~(this.#mask << low);
    for (let left = (asleep >>> low) & this.#mask; left !== 0; left &= left - 1) {
      const k = 31 - Math.clz32(left & -left);
      const to = (indexes >>> (4 * k)) & 15;
      if (to < this.bitsPerProcess) result |= 1 << (low + to);
    }
    return result;
  }

  #indexesAfterEffect(state: ProcessStateId, effect: EffectId): number {
    const known = effect < this.#indexesAfter.length ? this.#indexesAfter[effect]! : 0;
    if (known !== 0) return known;
    const target = this.#states.effects.stateAfter(effect);
    const indexes = this.#pack(state, (other) => {
      if (other === effect) return nowhere;
      const [later, index] = this.#find(target, other);
      return this.maySleep(later) && this.#commute(effect, later, other) ? index : nowhere;
    });
    if (effect >= this.#indexesAfter.length) this.#indexesAfter = grown(this.#indexesAfter, growth * effect);
    this.#indexesAfter[effect] = indexes;
    return indexes;
  }

  #indexesAfterSend(state: ProcessStateId, cell: number): number {
    const { sends } = this.#states.processStates;
    const known = sends.noteAt(cell);
    if (known !== 0) return known;
    const target = sends.valueAt(cell);
    const indexes = this.#pack(state, (effect) => {
      const [later, index] = this.#find(target, effect);
      return this.maySleep(later) ? index : nowhere;
    });
    sends.note(cell, indexes);
    return indexes;
  }

  /** Packs the new index of each event of a state, four bits each. */
  #pack(state: ProcessStateId, indexOf: (effect: EffectId) => number): number {
    const { effects } = this.#states;
    const list = this.#states.enabled(state);
    let indexes = -1; // nowhere, for all
    let effect = effects.firstIn(list);
    for (let k = 0; k < Math.min(most, this.#at(list)); k += 1) {
      const index = Math.min(indexOf(effect), nowhere);
      indexes = (indexes & ~(15 << (4 * k))) | (index << (4 * k));
      effect = effects.after(effect);
    }
    return indexes;
  }

  /** Finds the effect of the same event in another state, and its index. */
  #find(state: ProcessStateId, effect: EffectId): readonly [effect: EffectId, index: number] {
    const { effects } = this.#states;
    const event = effects.eventOf(effect);
    const list = this.#states.enabled(state);
    let other = effects.firstIn(list);
    for (let k = 0; k < this.#at(list); k += 1) {
      if (effects.eventOf(other) === event) return [other, k];
      other = effects.after(other);
    }
    return [none, 0];
  }

  /** Says whether `one` and then `two` leads to the same as `other` and then `one`. `other` is the event of `two` before `one`. */
  #commute(one: EffectId, two: EffectId, other: EffectId): boolean {
    const { effects } = this.#states;
    const [last] = this.#find(effects.stateAfter(other), one);
    if (last === none || effects.stateAfter(last) !== effects.stateAfter(two)) return false;
    for (const effect of [one, two, other, last])
      if ((this.#at(effect + effectField.flags) & effectFlag.breaks) !== 0) return false;
    const sends = this.#at(one + effectField.changes) + this.#at(two + effectField.changes);
    if (sends !== this.#at(other + effectField.changes) + this.#at(last + effectField.changes)) return false;
    return sends === 0 || this.#sent(one, two) === this.#sent(other, last);
  }

  /** Returns what two events send. On each channel the order counts, if the channel keeps it. */
  #sent(one: EffectId, two: EffectId): string {
    const sent: { to: number; envelope: number }[] = [];
    for (const effect of [one, two]) {
      for (let k = effect + effectField.size; k < this.#states.effects.after(effect); k += 2)
        sent.push({ to: this.#at(k), envelope: this.#at(k + 1) });
    }
    return sent
      .sort((a, b) => a.to - b.to || (this.#isOrdered ? 0 : a.envelope - b.envelope))
      .map(({ to, envelope }) => `${to} ${envelope}`)
      .join();
  }

  /** Reads the table of effects, which is another array after it has grown. */
  #at(index: number): number {
    return this.#states.effects.table[index]!;
  }
}
