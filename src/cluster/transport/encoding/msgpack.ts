// Bodies of frames in msgpack: what msgpack-fast cannot encode goes through the library.
import { Decoder, Encoder } from '@msgpack/msgpack';
import { readFast, unsupported } from './msgpack-fast.ts';

const depthLimit = 64;
const encoder = new Encoder({ maxDepth: depthLimit, ignoreUndefined: true });
const decoder = new Decoder();

/** The bytes are valid until the next call. */
export const encodeBody = (body: unknown): Uint8Array => encoder.encodeSharedRef(body);

/** Decodes a body; undefined unless all of it is one plain value. */
export function decodeBody(body: Uint8Array): unknown {
  const read = readFast(body);
  if (read !== unsupported) return read;
  if (skip(body, 0, 1) !== body.length) return undefined;
  try {
    return decoder.decode(body);
  } catch {
    return undefined; // a forbidden key, like __proto__
  }
}

/**
 * Returns the end of the value at `at`; Infinity if it is incomplete or not plain data. It runs before the decoder, because the decoder
 * trusts lengths: five bytes would make it allocate an array of four billion elements.
 */
function skip(b: Uint8Array, at: number, depth: number): number {
  if (at >= b.length || depth > depthLimit) return Infinity;
  const head = b[at]!;
  if (head < 0x80 || head >= 0xe0) return at + 1;
  if (head < 0x90) return skipAll(b, at + 1, head & 0x0f, true, depth);
  if (head < 0xa0) return skipAll(b, at + 1, head & 0x0f, false, depth);
  if (head < 0xc0) return within(b, at + 1 + (head & 0x1f));
  const width = widths[head - 0xc0]!;
  if (isNoNumber(b, at, head)) return Infinity;
  if (width >= 0) return within(b, at + 1 + width);
  const lengthWidth = -width;
  if (at + 1 + lengthWidth > b.length) return Infinity; // also for unsupported types: binary data and extensions
  let length = 0;
  for (let i = 1; i <= lengthWidth; i += 1) length = length * 256 + b[at + i]!;
  const begin = at + 1 + lengthWidth;
  if (head < 0xdc) return within(b, begin + length);
  return skipAll(b, begin, length, head >= 0xde, depth);
}

function skipAll(b: Uint8Array, from: number, count: number, isMap: boolean, depth: number): number {
  let at = from;
  for (let i = 0; i < count && at < Infinity; i += 1) {
    if (isMap) at = isText(b[at]) ? skip(b, at, depth + 1) : Infinity;
    at = skip(b, at, depth + 1);
  }
  return at;
}

/** A float that is infinite or not a number: all bits of its exponent are set. */
const isNoNumber = (b: Uint8Array, at: number, head: number): boolean =>
  (head === 0xca || head === 0xcb) &&
  (b[at + 1]! & 0x7f) === 0x7f &&
  b[at + 2]! >= (head === 0xca ? 0x80 : 0xf0);

const within = (b: Uint8Array, end: number): number => (end <= b.length ? end : Infinity);
const isText = (head: number | undefined): boolean =>
  head !== undefined && ((head >= 0xa0 && head < 0xc0) || (head >= 0xd9 && head <= 0xdb));

// For first bytes 0xc0 to 0xdf: the number of bytes that follow or, if negative, the size of a length field.
const never = -Infinity;
// biome-ignore format: one line for each family
const widths = [
  0, never, 0, 0, // nil, (not used), false, true
  never, never, never, // binary data
  never, never, never, // extensions
  4, 8, // floats
  1, 2, 4, 8, 1, 2, 4, 8, // integers
  never, never, never, never, never, // extensions
  -1, -2, -4, // strings
  -2, -4, // arrays
  -2, -4, // maps
];
