// The memory that the threads of one search share. Worlds of one depth are expanded in batches.
import type { WorldId } from '../ids.ts';

/** The cells of `SharedTables.control`, through which threads coordinate. */
export const controlCell = {
  open: 0, // the batch in progress; 0: none
  busy: 1, // helpers at work on it
  next: 2, // the next world to expand
  taken: 3, // places for new worlds
  putOff: 4, // the number of worlds put off
  stop: 5, // 1: the result would depend on the order, so one thread alone must expand this batch
  transitions: 6,
  quiescent: 7,
  lastQuiescent: 8,
  backEdge: 9, // 1: a step led to a world of the batch or before it
  size: 10,
} as const;

export interface SharedTables {
  readonly control: Int32Array;
  // The worlds known before this batch, as in `WorldTable`. Only their sleep sets change: events may wake up.
  readonly data: Int32Array;
  readonly asleep: Int32Array;
  readonly slots: Int32Array;
  readonly mask: number;
  // The new worlds, in the order in which threads come across them.
  readonly newData: Int32Array;
  readonly newAsleep: Int32Array;
  readonly keys: Int32Array; // the first step that leads to each: see `BatchWorker`
  readonly slotOf: Int32Array; // the slot of each in the hash table
  readonly putOff: Int32Array; // worlds whose expansion discovers something new
}

/** Worlds of one depth to be expanded. */
export interface Batch {
  readonly id: number; // not 0
  readonly from: WorldId;
  readonly to: WorldId;
  readonly known: number; // worlds before the batch; new ones are numbered from here
  readonly room: number; // for new worlds
  readonly chunk: number; // worlds that a thread takes at a time
  readonly isLast: boolean; // see `Successors`
}

/** What the coordinator posts to a helper thread. */
export interface Assignment {
  readonly tables: SharedTables;
  readonly log: readonly number[]; // what was discovered since the last assignment: see `ReplayLog`
  readonly batch: Batch | null; // null: the helper only reports that it is ready
  readonly ready: number; // the cell of `control` for that
}

export const noKey = 2 ** 31 - 1;
export const markBits = 2;
export const orderBits = 14; // for the successors of one world
export const keyBits = markBits + orderBits;
export const mostWorlds = 2 ** (31 - keyBits) - 1; // in a batch
export const block = 64; // places for new worlds that a thread takes at a time

/** Returns the parent of a new world, counted from the first world of the batch. */
export const parentIn = (key: number): number => key >>> keyBits;
export const markIn = (key: number): number => key & (2 ** markBits - 1);
