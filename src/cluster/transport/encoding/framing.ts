// Frames on a stream: a length of four bytes, big-endian, then that many bytes of msgpack.
import { encodeBody, writeFast } from './msgpack.ts';

export const frameLimit = 16 * 2 ** 20;
export const lengthBytes = 4;
const usualBytes = 8 * 2 ** 10;
const mostToReuse = 8 * usualBytes;

const spare = Buffer.alloc(0);

/** Collects frames that are written together. */
export class FrameWriter {
  protected bytes: Buffer = Buffer.allocUnsafeSlow(usualBytes);
  protected end = 0;
  #taken: Buffer = spare;

  /** The number of bytes waiting. */
  get length(): number {
    return this.end;
  }

  /** Returns false, and adds nothing, if the frame would be too long or cannot be encoded. */
  add(body: unknown): boolean {
    const begin = this.end + lengthBytes;
    const end = writeFast(this.bytes, begin, body);
    if (end < 0) return this.#addEncoded(body);
    this.#close(end - begin);
    return true;
  }

  #addEncoded(plain: unknown): boolean {
    const body = encodeBody(plain);
    if (body === null || body.length > frameLimit) return false;
    const more = lengthBytes + body.length;
    if (this.end + more > this.bytes.length) this.makeRoom(more);
    this.bytes.set(body, this.end + lengthBytes);
    this.#close(body.length);
    return true;
  }

  /** Writes the length of a frame in front of its body. */
  #close(length: number): void {
    for (let k = 0; k < lengthBytes; k += 1)
      this.bytes[this.end + k] = length >>> (8 * (lengthBytes - 1 - k));
    this.end += lengthBytes + length;
  }

  /** Returns all waiting bytes. They stay valid until `reuse`. */
  take(): Buffer {
    const all = this.bytes.subarray(0, this.end);
    this.#taken = this.bytes.length <= mostToReuse ? this.bytes : spare;
    this.bytes = spare;
    this.end = 0;
    return all;
  }

  /** Call when the result of the last `take` is no longer read. */
  reuse(): void {
    if (this.end === 0) this.bytes = this.#taken;
  }

  /** Encodes every waiting frame again, in another version; drops a frame if the callback returns null. Call it before the first `take`. */
  reencode(encode: (body: Buffer) => unknown): void {
    const before = this.bytes.subarray(0, this.end);
    this.bytes = spare;
    this.end = 0;
    new FrameReader().add(before, (body) => {
      const encoded = encode(body);
      if (encoded !== null) this.add(encoded);
      return true;
    });
  }

  protected makeRoom(more: number): void {
    this.bytes = enlarged(this.bytes.subarray(0, this.end), this.end + more);
  }
}

/**
 * Keeps frames until the peer has acknowledged them, to send them again over another connection. Offsets count bytes from the start of the
 * session. Kept bytes are never moved, because sockets may still read them.
 */
export class ReplayBuffer extends FrameWriter {
  #firstOffset = 0; // of the first kept byte
  #begin = 0; // its index in `bytes`
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

  /** The peer has everything before this offset. Returns false for an impossible offset. */
  drop(offset: number): boolean {
    const count = offset - this.#firstOffset;
    if (count < 0 || count > this.#sent - this.#begin) return false;
    this.#firstOffset = offset;
    this.#begin += count;
    if (this.#begin === this.end) this.#empty();
    return true;
  }

  /** As `drop`; the next `take` returns everything from this offset on. */
  rewind(offset: number): boolean {
    if (!this.drop(offset)) return false;
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

/** Splits a stream into frames, whatever the chunks. Buffers at most one incomplete frame. */
export class FrameReader {
  #rest: Buffer = spare;
  #held = 0;

  /** Calls `take` with every complete body, until it returns false. Returns false if a frame is too long to continue. */
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
