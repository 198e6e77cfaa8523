/** Values by number: each that has the same key is one. */
export class Interned<T> {
  readonly values: T[] = [];
  readonly #numbers = new Map<string, number>();

  add(key: string, value: T): number {
    const known = this.#numbers.get(key);
    if (known !== undefined) return known;
    const number = this.values.length;
    this.#numbers.set(key, number);
    this.values.push(value);
    return number;
  }

  of(number: number): T {
    return this.values[number]!;
  }
}
