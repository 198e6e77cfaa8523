// Waiting times of a run of any length, in a fixed amount of memory: counted in classes that differ by a twentieth.

const ratio = Math.log(1.05);

export class WaitTimes {
  readonly #counts: number[] = [];
  #total = 0;
  #longest = 0;

  add(milliseconds: number): void {
    const place = Math.round(Math.log(1 + Math.max(0, milliseconds)) / ratio);
    this.#counts[place] = (this.#counts[place] ?? 0) + 1;
    this.#total += 1;
    this.#longest = Math.max(this.#longest, milliseconds);
  }

  get longest(): number {
    return this.#longest;
  }

  quantile(q: number): number {
    let left = q * this.#total;
    for (let place = 0; place < this.#counts.length; place += 1) {
      left -= this.#counts[place] ?? 0;
      if (left <= 0) return Math.exp(place * ratio) - 1;
    }
    return 0;
  }
}
