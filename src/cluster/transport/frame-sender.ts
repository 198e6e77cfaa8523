import type { Socket } from 'node:net';
import type { FrameFormat, FrameFormats } from './encoding/frame-formats.ts';
import { FrameWriter } from './encoding/framing.ts';
import { type Hello, type HelloAnswer, versionsOf } from './encoding/handshake.ts';
import {
  type ConnectionFailure,
  OutgoingConnection,
  type OutgoingConnectionEvents,
} from './outgoing-connection.ts';
import type { Frame, RefusalReason } from './transport.ts';

const queueLimit = 64 * 2 ** 20; // bytes, for a peer that does not read

/** The peer that receives the frames, and how to connect to it. */
export interface Destination {
  readonly hello: Hello;
  readonly formats: FrameFormats;
  dial(): Socket;
  refused(why: RefusalReason): void;
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
    this.frames.add(body);
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

  acknowledged(_: number | null): void {}

  refused(why: RefusalReason): void {
    this.to.refused(why);
  }

  ended(failure: ConnectionFailure | null, _: boolean): void {
    this.isOver = true;
    this.#over(failure);
  }

  #overflow(): void {
    this.destroy();
    setImmediate(() => this.#over(null));
  }
}
