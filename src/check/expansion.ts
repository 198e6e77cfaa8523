import type { Expansion } from './model.ts';
import { grown } from './tuples.ts';

export const expansionOf = (width: number, room: number): Expansion => ({
  count: 0,
  next: new Int32Array(room * width),
  via: new Int32Array(2 * room),
  marks: new Uint8Array(room),
  asleep: new Int32Array(room),
  mustGoOn: false,
  isLast: false,
});

/** For twice as many. */
export function makeRoom(expansion: Expansion, width: number): void {
  const length = 2 * expansion.marks.length;
  expansion.next = grown(expansion.next, length * width);
  expansion.via = grown(expansion.via, 2 * length);
  expansion.asleep = grown(expansion.asleep, length);
  const marks = new Uint8Array(length);
  marks.set(expansion.marks);
  expansion.marks = marks;
}
