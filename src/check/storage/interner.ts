const weight = { letter: 5, value: 150 }; // bytes, as measured

/** Values by number: each that has the same key is one. */
export class Interner<T> {
  readonly values: T[] = [];
  readonly #numbers = new Map<string, number>();
  #letters = 0; // of all keys

  add(key: string, value: T): number {
    const known = this.#numbers.get(key);
    if (known !== undefined) return known;
    const number = this.values.length;
    this.#numbers.set(key, number);
    this.values.push(value);
    this.#letters += key.length;
    return number;
  }

  /** About: keys say all there is. */
  get bytes(): number {
    return weight.letter * this.#letters + weight.value * this.values.length;
  }

  of(number: number): T {
    return this.values[number]!;
  }
}
