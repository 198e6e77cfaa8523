const weight = { letter: 5, value: 150 }; // bytes, as measured

/** Values by number. Values with the same key are one. */
export class Interner<T, I extends number = number> {
  readonly values: T[] = [];
  readonly #ids = new Map<string, I>();
  #letters = 0; // of all keys

  /** Returns the id of the value with this key, which is a new one if the key is new. */
  add(key: string, value: T): I {
    const known = this.#ids.get(key);
    if (known !== undefined) return known;
    const id = this.values.length as I;
    this.#ids.set(key, id);
    this.values.push(value);
    this.#letters += key.length;
    return id;
  }

  /** An estimate: keys say how large values are. */
  get bytes(): number {
    return weight.letter * this.#letters + weight.value * this.values.length;
  }

  of(id: I): T {
    return this.values[id]!;
  }
}
