import type { Socket } from 'node:net';
import type { MemberId } from '../../member/index.ts';
import type { FrameFormat, FrameFormats } from './encoding/frame-formats.ts';
import { FrameReader, FrameWriter, lengthBytes } from './encoding/framing.ts';
import { commonVersion, type Hello, packHelloAnswer, unpackHello, versionsOf } from './encoding/handshake.ts';
import { isReset } from './outgoing-connection.ts';
import type { Frame, RefusalReason } from './transport.ts';

// What has come is acknowledged together with what comes soon after it.
const acknowledgeMs = 10;
const acknowledgeBytes = 64 * 2 ** 10;

/** What has come of one session. */
export interface ReceiveProgress {
  readonly session: number;
  offset: number; // in bytes, of whole frames
}

export interface IncomingHandler {
  readonly group: string;
  readonly id: MemberId;
  readonly formats: FrameFormats;
  readonly helloMs: number; // to say who one is
  /** Somebody has said who it is. Null: nothing more is wanted of it, or not in this session. */
  helloReceived(socket: Socket, hello: Hello): ReceiveProgress | null;
  received(from: MemberId, frame: Frame): void;
  refused(why: RefusalReason): void;
  ended(socket: Socket, from: MemberId, isByPeer: boolean): void;
}

/** A connection that somebody has opened: who it is, then frames. Ended without a word if nobody ever says anything on it. */
export class IncomingConnection {
  readonly #socket: Socket;
  readonly #handler: IncomingHandler;
  readonly #inbox = new FrameReader();
  readonly #helloTimer: NodeJS.Timeout;
  #from: MemberId | null = null;
  #format!: FrameFormat;
  #progress!: ReceiveProgress;
  #unacknowledged = 0; // bytes, also of frames that are not complete: that they come is worth telling
  #timer: NodeJS.Timeout | null = null;

  constructor(socket: Socket, keeper: IncomingHandler) {
    let isByPeer = false;
    this.#socket = socket;
    this.#handler = keeper;
    this.#helloTimer = setTimeout(() => socket.destroy(), keeper.helloMs);
    const take = (body: Buffer) => this.#handleBody(body);
    socket.on('data', (chunk) => {
      if (socket.destroyed || socket.writableEnded) return;
      if (!this.#inbox.add(chunk, take)) this.#refuse('oversized');
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
      if (this.#from !== null) keeper.ended(socket, this.#from, isByPeer);
    });
  }

  #handleBody(body: Buffer): boolean {
    if (this.#from === null) return this.#handleHello(body);
    const frame = this.#format.unpack(body);
    this.#progress.offset += lengthBytes + body.length;
    if (frame === null) this.#handler.refused('malformed');
    else this.#handler.received(this.#from, frame);
    return !this.#socket.destroyed;
  }

  #handleHello(body: Buffer): boolean {
    const hello = unpackHello(body);
    const { id, group, formats } = this.#handler;
    if (hello === null) return this.#refuse('malformed');
    if (hello.group !== group || hello.from === id) return this.#refuse('stranger');
    const version = commonVersion(hello, versionsOf(formats));
    if (version === null) return this.#decline('unknown version');
    if (hello.to !== id) return this.#decline('stranger');
    const heard = this.#handler.helloReceived(this.#socket, hello);
    if (heard === null) return this.#decline();
    clearTimeout(this.#helloTimer);
    this.#from = hello.from;
    this.#progress = heard;
    this.#format = formats.get(version)!;
    this.#answer(heard.offset);
    return !this.#socket.destroyed;
  }

  #answer(place: number | null): void {
    const { id, formats } = this.#handler;
    this.#write(packHelloAnswer({ ...versionsOf(formats), by: id, offset: place }));
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
    const outbox = new FrameWriter();
    outbox.add(body);
    if (this.#socket.writable) this.#socket.write(outbox.take());
  }

  /** Who it is meant for knows why it ends. */
  #decline(why?: RefusalReason): false {
    if (why !== undefined) this.#handler.refused(why);
    this.#answer(null);
    this.#socket.destroySoon();
    return false;
  }

  #refuse(why: RefusalReason): false {
    this.#handler.refused(why);
    this.#socket.destroy();
    return false;
  }
}
