import type { Socket } from 'node:net';
import type { MemberId } from '../../member/index.ts';
import type { FrameFormat, FrameFormats } from './encoding/frame-formats.ts';
import { FrameReader, FrameWriter, lengthBytes } from './encoding/framing.ts';
import { commonVersion, type Hello, packHelloAnswer, unpackHello, versionsOf } from './encoding/handshake.ts';
import { isReset } from './outgoing-connection.ts';
import { remoteHost } from './socket-address.ts';
import type { AnswerFrame, Frame, RefusalReason } from './transport.ts';

// Acknowledgements are delayed, so that one covers several frames.
const acknowledgeMs = 10;
const acknowledgeBytes = 64 * 2 ** 10;
const answersLimit = 64 * 2 ** 20; // bytes that wait for a peer that does not read; later answers are dropped

/** How much of one session has been received. */
export interface ReceiveProgress {
  readonly session: number;
  readonly ticket: string;
  offset: number; // in bytes, whole frames only
}

export interface IncomingHandler {
  readonly group: string;
  readonly id: MemberId;
  readonly formats: FrameFormats;
  readonly helloMs: number; // time limit for the hello
  /** A peer has sent a valid hello. Return null to decline it, or its session. */
  helloReceived(socket: Socket, hello: Hello): ReceiveProgress | null;
  /** Returns whether this member opened the connection itself, with this ticket. */
  reachedItself(ticket: string): boolean;
  received(from: MemberId, frame: Frame, answer: (frame: AnswerFrame) => void): void;
  refused(why: RefusalReason, address: string | null): void;
  frameLost(from: MemberId): void; // a frame was malformed
  ended(socket: Socket, from: MemberId, isByPeer: boolean): void;
}

/** A connection that a peer opened. The peer sends a hello, then frames; answers to queries go back. The connection is closed if no hello arrives within `helloMs`. */
export class IncomingConnection {
  readonly #socket: Socket;
  readonly #handler: IncomingHandler;
  readonly #reader = new FrameReader();
  readonly #helloTimer: NodeJS.Timeout;
  #from: MemberId | null = null;
  #format!: FrameFormat;
  #progress!: ReceiveProgress;
  #unacknowledged = 0; // bytes, incomplete frames included: an acknowledgement also shows that bytes arrive
  #timer: NodeJS.Timeout | null = null;

  constructor(socket: Socket, handler: IncomingHandler) {
    let isByPeer = false;
    this.#socket = socket;
    this.#handler = handler;
    this.#helloTimer = setTimeout(() => socket.destroy(), handler.helloMs);
    const take = (body: Buffer) => this.#handleBody(body);
    socket.on('data', (chunk) => {
      if (socket.destroyed || socket.writableEnded) return;
      if (!this.#reader.add(chunk, take)) this.#refuse('oversized');
      else if (this.#from !== null && this.#progress.session !== 0) this.#sessionBytesReceived(chunk.length);
    });
    socket.on('error', (error) => {
      isByPeer ||= isReset(error); // `close` follows
    });
    socket.on('end', () => {
      isByPeer = true;
    });
    socket.on('close', () => {
      clearTimeout(this.#helloTimer);
      if (this.#timer !== null) clearTimeout(this.#timer);
      if (this.#from !== null) handler.ended(socket, this.#from, isByPeer);
    });
  }

  #handleBody(body: Buffer): boolean {
    if (this.#from === null) return this.#handleHello(body);
    const frame = this.#format.unpack(body);
    this.#progress.offset += lengthBytes + body.length;
    if (frame === null) {
      this.#handler.refused('malformed', remoteHost(this.#socket));
      this.#handler.frameLost(this.#from);
    } else this.#handler.received(this.#from, frame, this.#answerQuery);
    return !this.#socket.destroyed;
  }

  #handleHello(body: Buffer): boolean {
    const hello = unpackHello(body);
    const { id, group, formats } = this.#handler;
    if (hello === null) return this.#refuse('malformed');
    if (hello.group !== group) return this.#refuse('stranger');
    if (hello.from === id) return this.#handleOwnHello(hello);
    const version = commonVersion(hello, versionsOf(formats));
    if (version === null) return this.#decline('unknown version');
    if (hello.to !== id) return this.#decline('stranger');
    const progress = this.#handler.helloReceived(this.#socket, hello);
    if (progress === null) return this.#decline();
    clearTimeout(this.#helloTimer);
    this.#from = hello.from;
    this.#progress = progress;
    this.#format = formats.get(version)!;
    this.#answer(progress.offset);
    return !this.#socket.destroyed;
  }

  #handleOwnHello({ ticket }: Hello): false {
    if (!this.#handler.reachedItself(ticket)) return this.#refuse('stranger');
    this.#socket.destroy();
    return false;
  }

  readonly #answerQuery = (frame: AnswerFrame): void => {
    const body = this.#format.pack(frame);
    if (body !== null && this.#socket.writableLength < answersLimit) this.#write(body);
  };

  #answer(offset: number | null): void {
    const { id, formats } = this.#handler;
    this.#write(packHelloAnswer({ ...versionsOf(formats), by: id, offset }));
  }

  #sessionBytesReceived(bytes: number): void {
    this.#unacknowledged += bytes;
    if (this.#unacknowledged >= acknowledgeBytes) this.#acknowledge();
    else this.#timer ??= setTimeout(() => this.#acknowledge(), acknowledgeMs);
  }

  #acknowledge(): void {
    if (this.#timer !== null) clearTimeout(this.#timer);
    this.#timer = null;
    this.#unacknowledged = 0;
    this.#write(this.#progress.offset);
  }

  #write(body: unknown): void {
    const writer = new FrameWriter();
    writer.add(body);
    if (this.#socket.writable) this.#socket.write(writer.take());
  }

  /** Answers the hello before closing, so that the peer learns why it was declined. */
  #decline(why?: RefusalReason): false {
    if (why !== undefined) this.#handler.refused(why, remoteHost(this.#socket));
    this.#answer(null);
    this.#socket.destroySoon();
    return false;
  }

  #refuse(why: RefusalReason): false {
    this.#handler.refused(why, remoteHost(this.#socket));
    this.#socket.destroy();
    return false;
  }
}
