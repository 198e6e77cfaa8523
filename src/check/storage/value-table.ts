import { areSorted, isPlainObject, notPlain } from '../../core/plain-data.ts';
import { ListTable } from './list-table.ts';

// The lowest two bits of a number say which kind of value it encodes; the others say which value, or how many parts follow.
const tag = { integer: 0, text: 1, array: 2, other: 3 } as const;
const other = { null: 0, false: 1, true: 2, number: 3, object: 4 } as const; // an object adds its number of fields
const weight = { number: 10, value: 80 }; // bytes, as measured
const most = 2 ** 29; // integers below it have room for their tag

/** Plain data by number. Equal values are one, whatever the order of their keys: each is encoded as a list of whole numbers. */
export class ValueTable<T, I extends number = number> {
  readonly values: T[] = []; // callers must not change them
  readonly #lists = new ListTable<I>();
  readonly #texts = new Map<string, number>();
  readonly #encoding: number[] = []; // of the value being added

  /** Returns the id of a value. Its key is `content` and the numbers, of which every call passes the same count. */
  add(value: T, content: unknown, ...numbers: readonly number[]): I {
    const encoding = this.#encoding;
    encoding.length = 0;
    for (const one of numbers) encoding.push(one);
    this.#encode(content);
    const id = this.#lists.add(encoding);
    if (id === this.values.length) this.values.push(value);
    return id;
  }

  /** An estimate: values are objects, as large as their encodings are long. */
  get bytes(): number {
    return this.#lists.bytes + weight.number * this.#lists.numbers + weight.value * this.values.length;
  }

  of(id: I): T {
    return this.values[id]!;
  }

  #encode(value: unknown): void {
    if (typeof value === 'number') this.#encodeNumber(value);
    else if (typeof value === 'string') this.#tag(tag.text, this.#text(value));
    else if (typeof value === 'boolean') this.#tag(tag.other, value ? other.true : other.false);
    else if (value === null) this.#tag(tag.other, other.null);
    else if (Array.isArray(value)) {
      this.#tag(tag.array, value.length);
      for (let k = 0; k < value.length; k += 1) this.#encode(value[k]);
    } else if (isPlainObject(value)) this.#encodeFields(value);
    else throw notPlain(value);
  }

  #encodeNumber(value: number): void {
    if (!Number.isFinite(value)) throw notPlain(value);
    if (Number.isInteger(value) && Math.abs(value) < most) this.#tag(tag.integer, value);
    else {
      this.#tag(tag.other, other.number);
      this.#encoding.push(this.#text(`${value}`));
    }
  }

  #encodeFields(fields: Record<string, unknown>): void {
    const keys = Object.keys(fields);
    if (!areSorted(keys)) keys.sort();
    this.#tag(tag.other, other.object + keys.length);
    for (const key of keys) {
      this.#encoding.push(this.#text(key));
      this.#encode(fields[key]);
    }
  }

  #tag(kind: number, which: number): void {
    this.#encoding.push(4 * which + kind);
  }

  #text(text: string): number {
    const known = this.#texts.get(text);
    if (known !== undefined) return known;
    this.#texts.set(text, this.#texts.size);
    return this.#texts.size - 1;
  }
}
