import { Random } from '../../src/core/random.ts';

/** Seeded choices of which a generator makes its algorithms. */
export class Choices {
  readonly #random: Random;

  constructor(seed: number) {
    this.#random = new Random(seed, 'opponent');
  }

  below(options: number): number {
    return this.#random.below(options);
  }

  chance(probability: number): boolean {
    return this.#random.chance(probability);
  }

  one<T>(...options: readonly T[]): T {
    return options[this.#random.below(options.length)]!;
  }

  /** The first option in five cases of six: it is what a correct algorithm does. */
  mostly<T>(right: T, ...wrong: readonly T[]): T {
    return this.chance(5 / 6) ? right : this.one(...wrong);
  }
}
