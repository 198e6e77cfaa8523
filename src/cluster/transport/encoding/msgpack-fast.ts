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
  if (value >>> 0 !== value || Object.is(value, -0)) return -1;
  if (value < 0x80) {
    to[at] = value;
    return at + 1;
  }
  const width = value < 0x100 ? 1 : value < 0x10000 ? 2 : 4;
  to[at] = width === 4 ? 0xce : 0xcb + width;
  for (let k = 1; k <= width; k += 1) to[at + k] = value >>> (8 * (width - k));
  return at + 1 + width;
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
