import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { ListTable } from '../../src/check/storage/list-table.ts';
import { ValueTable } from '../../src/check/storage/value-table.ts';
import { copyOf, decode, encode } from '../../src/core/plain-data.ts';

const plain = fc.jsonValue({ maxDepth: 3 }).map((value) => JSON.parse(JSON.stringify(value)) as unknown); // so that no key sets the prototype of an object
const alike = fc.constantFrom<unknown>(0, -0, 1, -1, '0', '1', 'null', null, true, false, [], {}, [0], [[]], 0.5, '0.5', 2 ** 29, -(2 ** 29), 2 ** 31, { a: 1 }, { a: [1] }, { '1': 'a' }); // biome-ignore format: a compact list
const pairs = fc.tuple(fc.oneof(plain, alike), fc.oneof(plain, alike));

describe('plain data', () => {
  it('gets the same number exactly if it is equal', () => {
    fc.assert(
      fc.property(pairs, ([one, two]) => {
        const values = new ValueTable<unknown>();
        expect(values.add(one, one) === values.add(two, two)).toBe(encode(one) === encode(two));
      }),
      { numRuns: 2000 },
    );
  });

  it('gets its number by content, whatever the order of keys, and by the numbers given with it', () => {
    const values = new ValueTable<unknown>();
    const number = values.add({}, { a: 1, b: [{ c: 2, d: 3 }] }, 7);
    expect(values.add({}, { b: [{ d: 3, c: 2 }], a: 1 }, 7)).toBe(number);
    expect(values.add({}, { b: [{ d: 3, c: 2 }], a: 1 }, 8)).not.toBe(number);
  });

  it.each([undefined, Number.NaN, Infinity, new Map(), [() => 1], { a: undefined }])(
    'refuses %s',
    (value) => {
      expect(() => new ValueTable<unknown>().add(value, value)).toThrow('not plain data');
      expect(() => encode(value)).toThrow('not plain data');
    },
  );

  it('is copied at all depths', () => {
    fc.assert(
      fc.property(plain, (value) => {
        const text = encode(value);
        expect(encode(copyOf(value))).toBe(text);
        expect(decode(text)).toEqual(copyOf(value));
      }),
    );
    const value = { list: [{ deep: [1] }] };
    copyOf(value).list[0]!.deep.push(2);
    expect(value).toEqual({ list: [{ deep: [1] }] });
  });
});

describe('lists', () => {
  it('get the same number exactly if they are equal, however many there are', () => {
    const lists = new ListTable();
    const all = Array.from({ length: 5000 }, (_, k) => [k % 7, ...Array<number>(k % 5).fill(k), k >> 3]);
    const numbers = all.map((list) => lists.add(list));
    const texts = new Set(all.map((list) => list.join()));
    expect(lists.size).toBe(texts.size);
    all.forEach((list, k) => {
      expect(lists.add(list)).toBe(numbers[k]);
      expect(lists.of(numbers[k]!)).toEqual(list);
    });
  });
});
