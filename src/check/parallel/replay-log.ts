import type { Model } from '../model/model.ts';

const size = 3; // numbers of an entry
const mostEntries = 20_000;
const expansionBits = { all: 1, last: 2 };

interface ExpansionKind {
  readonly isAll: boolean; // all events were followed, not only an ample set
  readonly isLast: boolean; // see `Successors`
}

/**
 * The worlds whose expansion discovered something, in that order. A thread that expands them again in the same order discovers the same things and
 * gives them the same ids.
 */
export class ReplayLog {
  readonly entries: number[] = []; // of each: the world, its sleep set, and the kind of expansion as bits
  isUseless = false; // there are too many entries

  /** Adds an entry. `worlds` is the number of worlds so far. */
  note(world: number, asleep: number, { isAll, isLast }: ExpansionKind, worlds: number): void {
    if (this.isUseless) return;
    this.entries.push(world, asleep, (isAll ? expansionBits.all : 0) | (isLast ? expansionBits.last : 0));
    const count = this.entries.length / size;
    if (count < mostEntries || 8 * count < worlds) return;
    this.isUseless = true;
    this.entries.length = 0;
  }
}

/** Discovers in this thread what another thread discovered. */
export function replayLog(log: readonly number[], model: Model, worlds: Int32Array, sleeps: boolean): void {
  for (let k = 0; k < log.length; k += size) {
    const [world, asleep, bits] = [log[k]!, log[k + 1]!, log[k + 2]!];
    const sleeping = sleeps ? asleep : null;
    model.successors.isLast = (bits & expansionBits.last) !== 0;
    model.expandAmple(worlds, world * model.width, sleeping);
    if ((bits & expansionBits.all) !== 0) model.expand(worlds, world * model.width, sleeping);
  }
}
