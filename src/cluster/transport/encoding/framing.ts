// Bytes on a stream: a length of four bytes, the most significant first, then that many bytes of msgpack.
import { Decoder, Encoder } from '@msgpack/msgpack';
import { fail } from '../../../core/assert.ts';
import { readFast, unsupported, writeFast } from './msgpack-fast.ts';

export const frameLimit = 16 * 2 ** 20;
export const lengthBytes = 4;
const depthLimit = 64;
const usualBytes = 8 * 2 ** 10;
const mostToReuse = 8 * usualBytes;

const encoder = new Encoder({ maxDepth: depthLimit, ignoreUndefined: true });
const decoder = new Decoder();

const spare = Buffer.alloc(0);

/** Frames that wait to be written together. */
export class FrameWriter {
  protected bytes: Buffer = Buffer.allocUnsafeSlow(usualBytes);
  protected end = 0;
  #taken: Buffer = spare;

  /** Of what waits. */
  get length(): number {
    return this.end;
  }

  add(body: unknown): void {
    const begin = this.end + lengthBytes;
    const end = writeFast(this.bytes, begin, body);
    if (end < 0) this.#addEncoded(encoder.encodeSharedRef(body));
    else this.#close(end - begin);
  }

  #addEncoded(body: Uint8Array): void {
    const more = lengthBytes + body.length;
    if (this.end + more > this.bytes.length) this.makeRoom(more);
    this.bytes.set(body, this.end + lengthBytes);
    this.#close(body.length);
  }

  /** The body of a frame stands behind the room for its length. */
  #close(length: number): void {
    if (length > frameLimit) fail(`a frame of ${length} bytes is more than ${frameLimit}`);
    for (let k = 0; k < lengthBytes; k += 1)
      this.bytes[this.end + k] = length >>> (8 * (lengthBytes - 1 - k));
    this.end += lengthBytes + length;
  }

  /** All that waits; the bytes stay as they are until `reuse`, or for good. */
  take(): Buffer {
    const all = this.bytes.subarray(0, this.end);
    this.#taken = this.bytes.length <= mostToReuse ? this.bytes : spare;
    this.bytes = spare;
    this.end = 0;
    return all;
  }

  /** Nobody reads what `take` gave last any more. */
  reuse(): void {
    if (this.end === 0) this.bytes = this.#taken;
  }

  /** Says everything in other words, or does not say it (null); nothing may have been taken yet. */
  reencode(again: (body: Buffer) => unknown): void {
    const before = this.bytes.subarray(0, this.end);
    this.bytes = spare;
    this.end = 0;
    new FrameReader().add(before, (body) => {
      const said = again(body);
      if (said !== null) this.add(said);
      return true;
    });
  }

  protected makeRoom(more: number): void {
    this.bytes = enlarged(this.bytes.subarray(0, this.end), this.end + more);
  }
}

/**
 * An outbox that keeps what it gave until the other side has it, to give it again over another connection. Places are counted in bytes
 * from the beginning. What is kept is not moved: sockets may still read there.
 */
export class ReplayBuffer extends FrameWriter {
  #firstOffset = 0; // of the first byte that is kept
  #begin = 0; // where in `bytes` that is
  #sent = 0;

  override get length(): number {
    return this.end - this.#sent;
  }

  get unacknowledgedBytes(): number {
    return this.end - this.#begin;
  }

  override take(): Buffer {
    const all = this.bytes.subarray(this.#sent, this.end);
    this.#sent = this.end;
    return all;
  }

  override reuse(): void {}

  /** The other side has everything before this place. False: that cannot be. */
  drop(place: number): boolean {
    const count = place - this.#firstOffset;
    if (count < 0 || count > this.#sent - this.#begin) return false;
    this.#firstOffset = place;
    this.#begin += count;
    if (this.#begin === this.end) this.#empty();
    return true;
  }

  /** The other side has everything before this place, and will be given the rest again. */
  rewind(place: number): boolean {
    if (!this.drop(place)) return false;
    this.#sent = this.#begin;
    return true;
  }

  #empty(): void {
    this.#begin = this.#sent = this.end = 0;
    if (this.bytes.length > mostToReuse) this.bytes = spare;
  }

  protected override makeRoom(more: number): void {
    this.bytes = enlarged(this.bytes.subarray(this.#begin, this.end), this.unacknowledgedBytes + more);
    this.#sent -= this.#begin;
    this.end -= this.#begin;
    this.#begin = 0;
  }
}

function enlarged(used: Buffer, needed: number): Buffer {
  const larger = Buffer.allocUnsafeSlow(Math.max(needed, 2 * used.length, usualBytes));
  larger.set(used);
  return larger;
}

/** Finds the frames in a stream, however it was cut; holds no more of it than has come and one frame may have. */
export class FrameReader {
  #rest: Buffer = spare;
  #held = 0;

  /** Hands out every body that is complete, until `take` says no. False: the next one is too long, and nothing after it can be found. */
  add(chunk: Buffer, take: (body: Buffer) => boolean): boolean {
    const data = this.#held === 0 ? chunk : this.#appended(chunk);
    let at = 0;
    while (data.length - at >= lengthBytes) {
      const length = data.readUInt32BE(at);
      if (length > frameLimit) return false;
      const begin = at + lengthBytes;
      if (begin + length > data.length) break;
      at = begin + length;
      if (!take(data.subarray(begin, at))) return true;
    }
    if (at === data.length) this.#drop();
    else this.#keep(data.subarray(at));
    return true;
  }

  #appended(chunk: Buffer): Buffer {
    const end = this.#held + chunk.length;
    if (end > this.#rest.length) this.#rest = enlarged(this.#rest.subarray(0, this.#held), end);
    this.#rest.set(chunk, this.#held);
    return this.#rest.subarray(0, end);
  }

  #drop(): void {
    this.#held = 0;
    this.#rest = spare;
  }

  #keep(rest: Buffer): void {
    this.#held = rest.length;
    if (rest.buffer === this.#rest.buffer) this.#rest.set(rest);
    else {
      this.#rest = Buffer.allocUnsafeSlow(Math.max(rest.length, 256));
      this.#rest.set(rest);
    }
  }
}

/** What a body says; undefined if it is not plain data from beginning to end. */
export function decodeBody(body: Uint8Array): unknown {
  const read = readFast(body);
  if (read !== unsupported) return read;
  if (skip(body, 0, 1) !== body.length) return undefined;
  try {
    return decoder.decode(body);
  } catch {
    return undefined; // a key that objects must not have
  }
}

/**
 * Where the value that begins at `at` ends; Infinity if it does not. Walked before anything is decoded, because the decoder believes lengths:
 * five bytes would make it set up an array of four thousand millions.
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
  if (at + 1 + lengthWidth > b.length) return Infinity; // also all kinds we do not use: binary data and extensions
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

/** A float of which all bits of the exponent are set. */
const isNoNumber = (b: Uint8Array, at: number, head: number): boolean =>
  (head === 0xca || head === 0xcb) &&
  (b[at + 1]! & 0x7f) === 0x7f &&
  b[at + 2]! >= (head === 0xca ? 0x80 : 0xf0);

const within = (b: Uint8Array, end: number): number => (end <= b.length ? end : Infinity);
const isText = (head: number | undefined): boolean =>
  head !== undefined && ((head >= 0xa0 && head < 0xc0) || (head >= 0xd9 && head <= 0xdb));

// What follows the first byte, for 0xc0 to 0xdf: so many bytes, or, if negative, a length of so many bytes.
const never = -Infinity;
// biome-ignore format: one line for each family
const widths = [
  0, never, 0, 0, // nil, (not used), false, true
  never, never, never, // binary data
  never, never, never, // extensions
  4, 8, // floats
  1, 2, 4, 8, 1, 2, 4, 8, // integers
  never, never, never, never, never, // extensions
  -1, -2, -4, // texts
  -2, -4, // arrays
  -2, -4, // maps
];
