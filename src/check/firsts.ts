import type { Model } from './model.ts';

const size = 3; // numbers of an entry
const many = 20_000; // worlds
const how = { all: 1, last: 2 };

interface Look {
  readonly isAll: boolean; // everything was followed
  readonly isLast: boolean; // see `Expansion`
}

/**
 * Worlds for which something had to be worked out when they were looked at, in that order. Who looks at them again in the same order works
 * out the same and gives it the same numbers.
 */
export class Firsts {
  readonly entries: number[] = []; // world, what was asleep, and how it was looked at, as bits
  isUseless = false; // there are too many

  /** `worlds` is how many there are. */
  note(world: number, asleep: number, { isAll, isLast }: Look, worlds: number): void {
    if (this.isUseless) return;
    this.entries.push(world, asleep, (isAll ? how.all : 0) | (isLast ? how.last : 0));
    const count = this.entries.length / size;
    if (count < many || 8 * count < worlds) return;
    this.isUseless = true;
    this.entries.length = 0;
  }
}

/** Works out in this thread what was worked out in another. */
export function repeat(firsts: readonly number[], model: Model, worlds: Int32Array, sleeps: boolean): void {
  for (let k = 0; k < firsts.length; k += size) {
    const [world, asleep, bits] = [firsts[k]!, firsts[k + 1]!, firsts[k + 2]!];
    const sleeping = sleeps ? asleep : null;
    model.expansion.isLast = (bits & how.last) !== 0;
    model.expandSome(worlds, world * model.width, sleeping);
    if ((bits & how.all) !== 0) model.expand(worlds, world * model.width, sleeping);
  }
}
