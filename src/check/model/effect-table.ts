import type { Violation } from '../../problems/monitor.ts';
import { grown, growth } from '../storage/tuple-table.ts';

/** An effect: these numbers, and then two for each change beyond the state of the process: where, and what. See `Medium.apply`. */
export const effectField = {
  event: 0, // what happens, and how the coins fall, as the medium numbers it
  state: 1, // the state of the process afterwards
  flags: 2, // and above them, if other processes must hear of a message that arrived or was lost, its place + 1
  changes: 3, // how many there are
  size: 4, // without the changes
} as const;

/** Before the first effect of a list: how many there are, and what is true of them. */
export const listHeader = 2;

export const listTrait = {
  mustContinue: 1, // one of them is bound to happen
  closed: 2, // and nothing that happens elsewhere adds to them
} as const;

export const effectFlag = {
  emits: 1, // the application hears something
  enters: 2,
  optional: 4, // it need not happen
  timer: 8,
  crash: 16,
  loss: 32,
  repeat: 64,
  breaks: 128, // a property
} as const;

const flagBits = 8;
export const allFlags = 2 ** flagBits - 1;

export const withChannelPosition = (flags: number, place: number): number =>
  flags | ((place + 1) << flagBits);

/** The place of the message that arrived or was lost, where others must hear of it; otherwise -1. */
export const channelPositionIn = (flags: number): number => (flags >>> flagBits) - 1;

/** The effects that are enabled somewhere, as lists in one table of numbers. A list is written once and never changes. */
export class EffectTable {
  table: Int32Array = new Int32Array(16); // replaced when it grows: early, since V8 takes it for a constant until then, and compiles anew
  readonly violations = new Map<number, Violation>(); // by the effects that break something
  #end = 1; // of the part that is used; 0 stands for no list
  #start = 0; // of the list that is being written

  get bytes(): number {
    return Int32Array.BYTES_PER_ELEMENT * this.#end;
  }

  /** Begins a list, and returns where it is. */
  begin(traits: number): number {
    this.#start = this.#end;
    this.#reserve(listHeader);
    this.table[this.#start + 1] = traits;
    return this.#start;
  }

  /** One of the effects of the list is bound to happen. */
  markMustContinue(): void {
    this.table[this.#start + 1]! |= listTrait.mustContinue;
  }

  add(
    event: number,
    state: number,
    flags: number,
    changes: readonly number[] = [],
    violation: Violation | null = null,
  ): void {
    const at = this.#end;
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

  /** Where the effects of a list are. */
  in(start: number): number[] {
    const all: number[] = [];
    for (let at = start + listHeader; all.length < this.table[start]!; at = this.after(at)) all.push(at);
    return all;
  }

  /** Where an effect ends, and the next one of its list begins. */
  after(at: number): number {
    return at + effectField.size + 2 * this.table[at + effectField.changes]!;
  }

  isOptional(at: number): boolean {
    return (this.table[at + effectField.flags]! & effectFlag.optional) !== 0;
  }

  #reserve(numbers: number): void {
    this.#end += numbers;
    if (this.#end >= this.table.length) this.table = grown(this.table, Math.ceil(growth * this.#end));
  }
}
