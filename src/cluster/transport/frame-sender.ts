import type { Socket } from 'node:net';
import type { FrameFormat, FrameFormats } from './encoding/frame-formats.ts';
import { FrameWriter } from './encoding/framing.ts';
import { type Hello, type HelloAnswer, unpackOffset, versionsOf } from './encoding/handshake.ts';
import {
  type ConnectionFailure,
  OutgoingConnection,
  type OutgoingConnectionEvents,
} from './outgoing-connection.ts';
import { type AnswerFrame, type Frame, isAnswer, type RefusalReason } from './transport.ts';

const queueLimit = 64 * 2 ** 20; // bytes, for a peer that does not read

/** The peer that receives the frames, and how to connect to it. */
export interface Destination {
  readonly hello: Hello;
  readonly formats: FrameFormats;
  dial(): Socket;
  answered(frame: AnswerFrame): void; // to a query
  refused(why: RefusalReason): void;
  /** Whether there is nothing to dial just now, which shows nothing about the peer. */
  isMissing?(failure: ConnectionFailure): boolean;
}

/** Sends frames to one peer over a single connection, and ends with it. Nothing is written before `flush`. */
export class FrameSender implements OutgoingConnectionEvents {
  needsFlush = false;
  protected readonly to: Destination;
  protected readonly frames: FrameWriter;
  protected connection: OutgoingConnection | null = null;
  protected isOver = false;
  readonly #over: (failure: ConnectionFailure | null) => void;
  #format: FrameFormat;

  /** `over` is not called after `quit` and `destroy`. */
  constructor(
    to: Destination,
    over: (failure: ConnectionFailure | null) => void,
    frames = new FrameWriter(),
  ) {
    this.to = to;
    this.frames = frames;
    this.#over = over;
    this.#format = to.formats.get(versionsOf(to.formats).highest)!;
  }

  start(): void {
    this.connection = new OutgoingConnection(() => this.to.dial(), this.to.hello, this.frames, this);
  }

  add(frame: Frame): void {
    if (this.isOver) return;
    const body = this.#format.pack(frame);
    if (body === null) return; // the peer's version has no such frame
    if (!this.frames.add(body)) this.#overflow(); // members split long lists, so only a message of one lock can be too long
  }

  flush(): void {
    this.connection?.flush();
    if (!this.isOver && this.waiting > queueLimit) this.#overflow();
  }

  /** Sends the remaining frames and ends the connection. */
  async quit(): Promise<void> {
    this.isOver = true;
    await this.connection?.quit();
  }

  destroy(): void {
    this.isOver = true;
    this.connection?.destroy();
  }

  protected get waiting(): number {
    return this.frames.length + this.connection!.waiting;
  }

  // OutgoingConnectionEvents.

  answered(_: HelloAnswer, version: number): boolean {
    const before = this.#format;
    const now = this.to.formats.get(version)!;
    if (now === before) return true;
    this.#format = now;
    this.frames.reencode((body) => now.pack(before.unpack(body)!));
    return true;
  }

  received(body: Buffer): void {
    const offset = unpackOffset(body);
    const frame = offset === null ? this.#format.unpack(body) : null;
    if (offset !== null) this.acknowledged(offset);
    else if (frame !== null && isAnswer(frame)) this.to.answered(frame);
    else this.malformed();
  }

  /** The peer has received this many bytes of the session. */
  protected acknowledged(_: number): void {}

  /** The peer sent neither an acknowledgement nor an answer. */
  protected malformed(): void {
    this.refused('malformed');
  }

  refused(why: RefusalReason): void {
    this.to.refused(why);
  }

  isTransient(failure: ConnectionFailure): boolean {
    return failure.code === 'EAGAIN' || (this.to.isMissing?.(failure) ?? false); // EAGAIN: the peer's backlog is full
  }

  ended(failure: ConnectionFailure | null, _: boolean): void {
    this.isOver = true;
    this.#over(failure);
  }

  /** Gives up: the peer misses a frame. */
  #overflow(): void {
    this.destroy();
    setImmediate(() => this.#over(null));
  }
}
