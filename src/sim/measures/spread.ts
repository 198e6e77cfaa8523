/** The least, mean and largest of some figures. */
export interface Spread {
  /** The smallest figure. */
  readonly least: number;
  /** The arithmetic mean. */
  readonly mean: number;
  /** The largest figure. */
  readonly most: number;
}

/** Collects figures one by one, without keeping them. */
export class SpreadCounter {
  count = 0;
  sum = 0;
  #least = Infinity;
  #most = -Infinity;

  add(figure: number): void {
    this.count += 1;
    this.sum += figure;
    if (figure < this.#least) this.#least = figure;
    if (figure > this.#most) this.#most = figure;
  }

  copy(): SpreadCounter {
    const copy = new SpreadCounter();
    copy.count = this.count;
    copy.sum = this.sum;
    copy.#least = this.#least;
    copy.#most = this.#most;
    return copy;
  }

  /** Null if there is no figure. */
  get spread(): Spread | null {
    return this.count === 0 ? null : { least: this.#least, mean: this.sum / this.count, most: this.#most };
  }
}
