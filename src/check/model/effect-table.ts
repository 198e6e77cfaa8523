import type { Violation } from '../../problems/monitor.ts';
import type { EffectId, EffectListId, EventId, ProcessStateId } from '../ids.ts';
import { grown, growth } from '../storage/typed-arrays.ts';

/** The fields of an effect. Two numbers follow for each change beyond the state of the process: where, and what. See `Medium.apply`. */
export const effectField = {
  event: 0, // its id
  state: 1, // the state of the process afterwards
  flags: 2, // and in the bits above, where other processes must hear of a receipt or loss: the message's position on its channel, + 1
  changes: 3, // how many there are
  size: 4, // of the fields above
} as const;

/** The length of a list's header: the number of effects, and their traits. */
export const listHeader = 2;

export const listTrait = {
  mustContinue: 1, // at least one of the effects is not optional
  closed: 2, // nothing that happens elsewhere adds to the list
} as const;

export const effectFlag = {
  emits: 1, // an event for the application
  enters: 2, // the critical section
  optional: 4, // a fair run may leave it out
  timer: 8,
  crash: 16,
  loss: 32,
  repeat: 64,
  breaks: 128, // a property
  tosses: 256, // a coin: the action has other effects, too
} as const;

const flagBits = 9;
export const allFlags = 2 ** flagBits - 1;

export const withChannelPosition = (flags: number, position: number): number =>
  flags | ((position + 1) << flagBits);

/** Returns the channel position of the message that was received or lost, or -1 where no other process must hear of it. */
export const channelPositionIn = (flags: number): number => (flags >>> flagBits) - 1;

/** Lists of enabled effects, all in one array of numbers. A list is written once and never changes. */
export class EffectTable {
  table: Int32Array = new Int32Array(16); // starts small: V8 takes an array for a constant until it is replaced, and then compiles again
  readonly violations = new Map<EffectId, Violation>(); // of the effects that break a property
  #end = 1; // of the part in use; 0 stands for no list
  #start = 0; // of the list being written

  get bytes(): number {
    return Int32Array.BYTES_PER_ELEMENT * this.#end;
  }

  /** Begins a list. */
  begin(traits: number): EffectListId {
    this.#start = this.#end;
    this.#reserve(listHeader);
    this.table[this.#start + 1] = traits;
    return this.#start as EffectListId;
  }

  /** Marks the list being written: its effects may not come first after all. */
  unmarkClosed(): void {
    this.table[this.#start + 1]! &= ~listTrait.closed;
  }

  /** Marks the list being written: one of its effects is not optional. */
  markMustContinue(): void {
    this.table[this.#start + 1]! |= listTrait.mustContinue;
  }

  /** Adds an effect to the list being written. */
  add(
    event: EventId,
    state: ProcessStateId,
    flags: number,
    changes: readonly number[] = [],
    violation: Violation | null = null,
  ): void {
    const at = this.#end as EffectId;
    this.#reserve(effectField.size + changes.length);
    const { table } = this;
    if (violation !== null) this.violations.set(at, violation);
    table[this.#start]! += 1;
    table[at + effectField.event] = event;
    table[at + effectField.state] = state;
    table[at + effectField.flags] = flags | (violation === null ? 0 : effectFlag.breaks);
    table[at + effectField.changes] = changes.length / 2;
    for (let k = 0; k < changes.length; k += 1) table[at + effectField.size + k] = changes[k]!;
  }

  firstIn(list: EffectListId): EffectId {
    return (list + listHeader) as EffectId;
  }

  /** Returns all effects of a list. */
  in(list: EffectListId): EffectId[] {
    const all: EffectId[] = [];
    for (let at = this.firstIn(list); all.length < this.table[list]!; at = this.after(at)) all.push(at);
    return all;
  }

  /** Returns the end of an effect, where the next one of its list begins. */
  after(effect: EffectId): EffectId {
    return (effect + effectField.size + 2 * this.table[effect + effectField.changes]!) as EffectId;
  }

  eventOf(effect: EffectId): EventId {
    return this.table[effect + effectField.event]! as EventId;
  }

  /** Returns the state of the process after an effect. */
  stateAfter(effect: EffectId): ProcessStateId {
    return this.table[effect + effectField.state]! as ProcessStateId;
  }

  /** Says whether an effect depends on how a coin falls. */
  tosses(effect: EffectId): boolean {
    return (this.table[effect + effectField.flags]! & effectFlag.tosses) !== 0;
  }

  isOptional(effect: EffectId): boolean {
    return (this.table[effect + effectField.flags]! & effectFlag.optional) !== 0;
  }

  #reserve(numbers: number): void {
    this.#end += numbers;
    if (this.#end >= this.table.length) this.table = grown(this.table, Math.ceil(growth * this.#end));
  }
}
