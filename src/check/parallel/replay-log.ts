import type { Model } from '../model/model.ts';

const size = 3; // numbers of an entry
const mostEntries = 20_000; // worlds
const expansionBits = { all: 1, last: 2 };

interface ExpansionKind {
  readonly isAll: boolean; // everything was followed
  readonly isLast: boolean; // see `Expansion`
}

/**
 * Worlds for which something had to be worked out when they were looked at, in that order. Who looks at them again in the same order works
 * out the same and gives it the same numbers.
 */
export class ReplayLog {
  readonly entries: number[] = []; // world, what was asleep, and how it was looked at, as bits
  isUseless = false; // there are too many

  /** `worlds` is how many there are. */
  note(world: number, asleep: number, { isAll, isLast }: ExpansionKind, worlds: number): void {
    if (this.isUseless) return;
    this.entries.push(world, asleep, (isAll ? expansionBits.all : 0) | (isLast ? expansionBits.last : 0));
    const count = this.entries.length / size;
    if (count < mostEntries || 8 * count < worlds) return;
    this.isUseless = true;
    this.entries.length = 0;
  }
}

/** Works out in this thread what was worked out in another. */
export function replayLog(log: readonly number[], model: Model, worlds: Int32Array, sleeps: boolean): void {
  for (let k = 0; k < log.length; k += size) {
    const [world, asleep, bits] = [log[k]!, log[k + 1]!, log[k + 2]!];
    const sleeping = sleeps ? asleep : null;
    model.successors.isLast = (bits & expansionBits.last) !== 0;
    model.expandAmple(worlds, world * model.width, sleeping);
    if ((bits & expansionBits.all) !== 0) model.expand(worlds, world * model.width, sleeping);
  }
}
