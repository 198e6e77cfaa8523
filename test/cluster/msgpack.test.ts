import { Decoder, encode } from '@msgpack/msgpack';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { readFast, unsupported, writeFast } from '../../src/cluster/transport/encoding/msgpack.ts';

const room = 4096;

/** Returns the bytes of the fast encoder; null if it leaves the value to the library. */
function written(value: unknown, size = room): Uint8Array | null {
  const bytes = Buffer.alloc(size + 3, 0xff);
  const end = writeFast(bytes.subarray(0, size), 3, value);
  return end < 0 ? null : bytes.subarray(3, end);
}

function byTheLibrary(bytes: Uint8Array): unknown {
  try {
    return new Decoder({ maxExtLength: 0, maxBinLength: 0 }).decode(bytes);
  } catch {
    return unsupported;
  }
}

const { small } = fc.letrec((tie) => ({
  small: fc.oneof(
    { depthSize: 'small' },
    fc.string({ maxLength: 300 }),
    fc.boolean(),
    fc.constant(null),
    fc.nat({ max: 2 ** 32 }),
    fc.constantFrom(0, 127, 128, 255, 256, 65535, 65536, 2 ** 32 - 1),
    fc.array(tie('small'), { maxLength: 40 }),
    fc.dictionary(fc.string({ maxLength: 40 }), tie('small'), { noNullPrototype: true, maxKeys: 17 }),
  ),
}));
const anything = fc.anything({
  withDate: true,
  withBigInt: false,
  withTypedArray: true,
  withNullPrototype: true,
});

describe('the fast path', () => {
  test('writes what the library writes, or nothing', () => {
    let count = 0;
    fc.assert(
      fc.property(fc.oneof(small, anything), (value) => {
        const bytes = written(value);
        if (bytes === null) return;
        count += 1;
        expect([...bytes]).toEqual([...encode(value, { ignoreUndefined: true })]);
      }),
      { numRuns: 5000 },
    );
    expect(count).toBeGreaterThan(1000);
  });

  test('reads what the library reads, or nothing', () => {
    let count = 0;
    const bytes = fc.oneof(
      fc.uint8Array({ maxLength: 60 }),
      fc.array(
        fc.constantFrom(0x81, 0x82, 0x91, 0xa1, 0xa2, 0x61, 0x7f, 0xc0, 0xc3, 0xcc, 0xcd, 0xdc, 0xd9, 0, 1),
        {
          maxLength: 12,
        },
      ),
      small.map((value) => encode(value)),
    );
    fc.assert(
      fc.property(bytes, (some) => {
        const read = readFast(Uint8Array.from(some));
        if (read === unsupported) return;
        count += 1;
        expect(read).toEqual(byTheLibrary(Uint8Array.from(some)));
      }),
      { numRuns: 20_000 },
    );
    expect(count).toBeGreaterThan(2000);
  });

  test('encodes frames of lock algorithms, also with long queues', () => {
    const queue = Array.from({ length: 64 }, (_, i) => i * 3);
    const frame = [0, 70_000, 'name of a lock', null, 1_000_000, 63, null, { type: 'page', queue }];
    const bytes = written(frame)!;
    expect(readFast(bytes)).toEqual(frame);
  });

  test('strings that collide in the cache are told apart', () => {
    fc.assert(
      fc.property(fc.array(fc.string({ maxLength: 3 }), { minLength: 600, maxLength: 700 }), (texts) => {
        for (const text of texts) {
          const bytes = written(text);
          if (bytes !== null) expect(readFast(bytes)).toBe(text);
        }
      }),
      { numRuns: 30 },
    );
  });

  test('leaves values without room to the library, and writes nothing beyond the end', () => {
    for (let size = 3; size < 60; size += 1) {
      const bytes = Buffer.alloc(80, 0xee);
      const end = writeFast(bytes.subarray(0, size), 3, [1, 'twelve chars', { key: 'another text', n: 300 }]);
      expect(end).toBeLessThanOrEqual(size);
      expect([...bytes.subarray(size)].every((byte) => byte === 0xee)).toBe(true);
    }
  });

  test.each<[string, unknown]>([
    ['undefined', [undefined]],
    ['a field that is undefined', { a: undefined }],
    ['minus zero', -0],
    ['a fraction', 1.5],
    ['a date', new Date(0)],
    ['letters beyond ASCII', 'é'],
    ['a class', new (class A {})()],
  ])('leaves %s to the library', (_, value) => {
    expect(written(value)).toBe(null);
  });

  test('a key that would reach the prototype is left to the library, which refuses it', () => {
    const bytes = encode({ ___proto_: 1 });
    Buffer.from(bytes.buffer, bytes.byteOffset).write('__proto__', 2);
    expect(readFast(bytes)).toBe(unsupported);
    expect(byTheLibrary(bytes)).toBe(unsupported);
  });
});
