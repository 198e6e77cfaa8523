// Bytes on a stream: a length of four bytes, the most significant first, then that many bytes of msgpack.
import { fail } from '../../../core/assert.ts';
import { encodeBody } from './msgpack.ts';
import { writeFast } from './msgpack-fast.ts';

export const frameLimit = 16 * 2 ** 20;
export const lengthBytes = 4;
const usualBytes = 8 * 2 ** 10;
const mostToReuse = 8 * usualBytes;

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
    if (end < 0) this.#addEncoded(encodeBody(body));
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
