import type { Model } from './model.ts';

const size = 3; // numbers of an entry
const many = 20_000; // worlds

/**
 * Worlds for which something had to be worked out when they were looked at, in that order. Who looks at them again in the same order works
 * out the same and gives it the same numbers.
 */
export class Firsts {
  readonly entries: number[] = []; // world, what was asleep, and whether all was followed
  isUseless = false; // there are too many

  /** `worlds` is how many there are. */
  note(world: number, asleep: number, isAll: boolean, worlds: number): void {
    if (this.isUseless) return;
    this.entries.push(world, asleep, isAll ? 1 : 0);
    const count = this.entries.length / size;
    if (count < many || 8 * count < worlds) return;
    this.isUseless = true;
    this.entries.length = 0;
  }
}

/** Works out in this thread what was worked out in another. */
export function repeat(firsts: readonly number[], model: Model, worlds: Int32Array, sleeps: boolean): void {
  for (let k = 0; k < firsts.length; k += size) {
    const [world, asleep, isAll] = [firsts[k]!, firsts[k + 1]!, firsts[k + 2]!];
    const sleeping = sleeps ? asleep : null;
    model.expandSome(worlds, world * model.width, sleeping);
    if (isAll === 1) model.expand(worlds, world * model.width, sleeping);
  }
}
