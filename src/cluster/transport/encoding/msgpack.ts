// Bodies of frames in MessagePack. A fast path handles the subset that almost every frame uses; the library handles the rest.
import { Decoder, Encoder } from '@msgpack/msgpack';

const depthLimit = 64;
const encoder = new Encoder({ maxDepth: depthLimit, ignoreUndefined: true });
const decoder = new Decoder();

/** The bytes are valid until the next call. Null if the body is nested too deeply, or cannot be encoded. */
export function encodeBody(body: unknown): Uint8Array | null {
  try {
    return encoder.encodeSharedRef(body);
  } catch {
    return null;
  }
}

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

// The subset of msgpack that almost every frame uses: short ASCII strings, unsigned integers, booleans, null, arrays and objects of these.
// It is written in a few small functions, because a process that passes a lock on runs them with cold caches. The library does the rest.

/** The value is outside the subset. */
export const unsupported = Symbol('other');

const maxDepth = 8;
const maxFixLength = 15; // of fixarray and fixmap
const maxFixText = 31; // of fixstr
const textCache = new Array<string>(512).fill('');

/** Writes a value at `at`. Returns its end; -1 if the value is outside the subset, or if there is no room. */
export function writeFast(to: Uint8Array, at: number, value: unknown): number {
  return write(to, at, value, 0);
}

function write(to: Uint8Array, at: number, value: unknown, depth: number): number {
  if (depth > maxDepth || at + 5 > to.length) return -1;
  if (typeof value === 'number') return writeCount(to, at, value);
  if (typeof value === 'string') return writeText(to, at, value);
  if (value === null) to[at] = 0xc0;
  else if (Array.isArray(value)) return writeList(to, at, value, depth + 1);
  else if (typeof value === 'object') return writeRecord(to, at, value as Record<string, unknown>, depth + 1);
  else if (typeof value === 'boolean') to[at] = value ? 0xc3 : 0xc2;
  else return -1;
  return at + 1;
}

function writeCount(to: Uint8Array, at: number, value: number): number {
  if (value >>> 0 !== value) return writeLargeCount(to, at, value);
  if (Object.is(value, -0)) return -1;
  if (value < 0x80) {
    to[at] = value;
    return at + 1;
  }
  const width = value < 0x100 ? 1 : value < 0x10000 ? 2 : 4;
  to[at] = width === 4 ? 0xce : 0xcb + width;
  for (let k = 1; k <= width; k += 1) to[at + k] = value >>> (8 * (width - k));
  return at + 1 + width;
}

/** Run numbers and fences have more than 32 bits. */
function writeLargeCount(to: Uint8Array, at: number, value: number): number {
  if (!Number.isSafeInteger(value) || value < 0 || at + 9 > to.length) return -1;
  const high = Math.floor(value / 2 ** 32);
  to[at] = 0xcf;
  for (let k = 0; k < 4; k += 1) {
    to[at + 1 + k] = high >>> (24 - 8 * k);
    to[at + 5 + k] = value >>> (24 - 8 * k);
  }
  return at + 9;
}

function writeText(to: Uint8Array, at: number, value: string): number {
  const { length } = value;
  if (length > 0xff || at + 2 + length > to.length) return -1;
  let begin = at + 1;
  if (length > maxFixText) {
    to[at] = 0xd9;
    to[begin] = length;
    begin += 1;
  } else to[at] = 0xa0 | length;
  for (let k = 0; k < length; k += 1) {
    const unit = value.charCodeAt(k);
    if (unit >= 0x80) return -1;
    to[begin + k] = unit;
  }
  return begin + length;
}

function writeList(to: Uint8Array, at: number, value: readonly unknown[], depth: number): number {
  const { length } = value;
  let end = at + 1;
  if (length > maxFixLength) {
    if (length > 0xffff) return -1;
    to[at] = 0xdc;
    to[at + 1] = length >>> 8;
    to[at + 2] = length;
    end += 2;
  } else to[at] = 0x90 | length;
  for (let k = 0; k < length && end >= 0; k += 1) end = write(to, end, value[k], depth);
  return end;
}

function writeRecord(to: Uint8Array, at: number, value: Record<string, unknown>, depth: number): number {
  if (value.constructor !== Object) return -1;
  let end = at + 1;
  let count = 0;
  for (const key in value) {
    end = writeText(to, end, key);
    if (end >= 0) end = write(to, end, value[key], depth);
    if (end < 0) return -1;
    count += 1;
  }
  to[at] = 0x80 | count;
  return count <= maxFixLength ? end : -1;
}

let bytes: Uint8Array;
let at = 0;
let end = 0;

/** Decodes a value; `unsupported` unless all bytes are one value of the subset. */
export function readFast(from: Uint8Array): unknown {
  bytes = from;
  at = 0;
  end = from.length;
  const value = read(0);
  return at === end ? value : unsupported;
}

function read(depth: number): unknown {
  if (at >= end || depth > maxDepth) return unsupported;
  const head = bytes[at++]!;
  if (head < 0x80) return head;
  if (head < 0x90) return readRecord(head & 0x0f, depth + 1);
  if (head < 0xa0) return readList(head & 0x0f, depth + 1);
  if (head < 0xc0) return readText(head & 0x1f);
  switch (head) {
    case 0xc0:
      return null;
    case 0xc2:
    case 0xc3:
      return head === 0xc3;
    case 0xcc:
      return readCount(1);
    case 0xcd:
      return readCount(2);
    case 0xce:
      return readCount(4);
    case 0xcf: {
      const value = readCount(8);
      return Number.isSafeInteger(value) ? value : unsupported;
    }
    case 0xd9:
      return at < end ? readText(bytes[at++]!) : unsupported;
    case 0xdc: {
      const length = readCount(2);
      return length === unsupported ? unsupported : readList(length as number, depth + 1);
    }
    default:
      return unsupported;
  }
}

function readCount(width: number): unknown {
  if (at + width > end) return unsupported;
  let value = 0;
  for (let k = 0; k < width; k += 1) value = value * 256 + bytes[at++]!;
  return value;
}

/** Caches strings, because most of them repeat. */
function readText(length: number): unknown {
  const to = at + length;
  if (to > end) return unsupported;
  let hash = length;
  for (let k = at; k < to; k += 1) {
    const unit = bytes[k]!;
    if (unit >= 0x80) return unsupported;
    hash = (hash * 31 + unit) | 0;
  }
  const slot = (hash ^ (hash >>> 9)) & (textCache.length - 1);
  const known = textCache[slot]!;
  if (!isHere(known, length)) textCache[slot] = newText(to);
  at = to;
  return textCache[slot];
}

function isHere(text: string, length: number): boolean {
  if (text.length !== length) return false;
  for (let k = 0; k < length; k += 1) if (text.charCodeAt(k) !== bytes[at + k]) return false;
  return true;
}

function newText(to: number): string {
  let text = '';
  for (let k = at; k < to; k += 1) text += String.fromCharCode(bytes[k]!);
  return text;
}

function readList(length: number, depth: number): unknown {
  const list: unknown[] = [];
  for (let k = 0; k < length; k += 1) {
    const value = read(depth);
    if (value === unsupported) return unsupported;
    list.push(value);
  }
  return list;
}

function readRecord(count: number, depth: number): unknown {
  const record: Record<string, unknown> = {};
  for (let k = 0; k < count; k += 1) {
    const head = at < end ? bytes[at++]! : 0;
    const key = head >= 0xa0 && head < 0xc0 ? readText(head & 0x1f) : unsupported;
    const value = key === unsupported || key === '__proto__' ? unsupported : read(depth);
    if (value === unsupported) return unsupported;
    record[key as string] = value;
  }
  return record;
}
