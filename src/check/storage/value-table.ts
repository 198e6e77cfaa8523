import { areSorted, isPlainObject, notPlain } from '../../core/plain-data.ts';
import { ListTable } from './list-table.ts';

// The lowest two bits of a number say what it is, the others which, or how many parts follow.
const tag = { integer: 0, text: 1, array: 2, other: 3 } as const;
const other = { null: 0, false: 1, true: 2, number: 3, object: 4 } as const; // of objects, from there on by the number of fields
const weight = { number: 10, value: 80 }; // bytes, as measured
const most = 2 ** 29; // of an integer that has room for its tag

/** Plain data by number: two values are one if they are equal, whatever the order of their keys. Each is spelled out in whole numbers. */
export class ValueTable<T> {
  readonly values: T[] = []; // not to be changed
  readonly #lists = new ListTable();
  readonly #words = new Map<string, number>();
  readonly #spelling: number[] = [];

  /** The number of a value. It is known by what it says, and by some numbers, always as many. */
  add(value: T, says: unknown, ...numbers: readonly number[]): number {
    const spelling = this.#spelling;
    spelling.length = 0;
    for (const one of numbers) spelling.push(one);
    this.#spell(says);
    const number = this.#lists.add(spelling);
    if (number === this.values.length) this.values.push(value);
    return number;
  }

  /** About: values are objects, as large as they are long to spell. */
  get bytes(): number {
    return this.#lists.bytes + weight.number * this.#lists.numbers + weight.value * this.values.length;
  }

  of(number: number): T {
    return this.values[number]!;
  }

  #spell(value: unknown): void {
    if (typeof value === 'number') this.#spellNumber(value);
    else if (typeof value === 'string') this.#say(tag.text, this.#word(value));
    else if (typeof value === 'boolean') this.#say(tag.other, value ? other.true : other.false);
    else if (value === null) this.#say(tag.other, other.null);
    else if (Array.isArray(value)) {
      this.#say(tag.array, value.length);
      for (let k = 0; k < value.length; k += 1) this.#spell(value[k]);
    } else if (isPlainObject(value)) this.#spellFields(value);
    else throw notPlain(value);
  }

  #spellNumber(value: number): void {
    if (!Number.isFinite(value)) throw notPlain(value);
    if (Number.isInteger(value) && Math.abs(value) < most) this.#say(tag.integer, value);
    else {
      this.#say(tag.other, other.number);
      this.#spelling.push(this.#word(`${value}`));
    }
  }

  #spellFields(fields: Record<string, unknown>): void {
    const keys = Object.keys(fields);
    if (!areSorted(keys)) keys.sort();
    this.#say(tag.other, other.object + keys.length);
    for (const key of keys) {
      this.#spelling.push(this.#word(key));
      this.#spell(fields[key]);
    }
  }

  #say(what: number, which: number): void {
    this.#spelling.push(4 * which + what);
  }

  #word(text: string): number {
    const known = this.#words.get(text);
    if (known !== undefined) return known;
    this.#words.set(text, this.#words.size);
    return this.#words.size - 1;
  }
}
