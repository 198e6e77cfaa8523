import type { Socket } from 'node:net';
import type { MemberId } from '../../member/index.ts';
import {
  commonVersion,
  type Format,
  type Formats,
  type Hello,
  packedAnswer,
  unpackedHello,
  versionsOf,
} from './frames.ts';
import { isReset } from './line.ts';
import type { Frame, Refusal } from './transport.ts';
import { Inbox, lengthBytes, Outbox } from './wire.ts';

// What has come is acknowledged together with what comes soon after it.
const acknowledgeMs = 10;
const acknowledgeBytes = 64 * 2 ** 10;

/** What has come of one session. */
export interface Heard {
  readonly session: number;
  place: number; // in bytes, of whole frames
}

export interface Doorkeeper {
  readonly group: string;
  readonly id: MemberId;
  readonly formats: Formats;
  readonly helloMs: number; // to say who one is
  /** Somebody has said who it is. Null: nothing more is wanted of it, or not in this session. */
  greeted(socket: Socket, hello: Hello): Heard | null;
  received(from: MemberId, frame: Frame): void;
  refused(why: Refusal): void;
  ended(socket: Socket, from: MemberId, isByPeer: boolean): void;
}

/** A connection that somebody has opened: who it is, then frames. Ended without a word if nobody ever says anything on it. */
export class Incoming {
  readonly #socket: Socket;
  readonly #keeper: Doorkeeper;
  readonly #inbox = new Inbox();
  readonly #helloTimer: NodeJS.Timeout;
  #from: MemberId | null = null;
  #format!: Format;
  #heard!: Heard;
  #unacknowledged = 0; // bytes, also of frames that are not complete: that they come is worth telling
  #timer: NodeJS.Timeout | null = null;

  constructor(socket: Socket, keeper: Doorkeeper) {
    let isByPeer = false;
    this.#socket = socket;
    this.#keeper = keeper;
    this.#helloTimer = setTimeout(() => socket.destroy(), keeper.helloMs);
    const take = (body: Buffer) => this.#take(body);
    socket.on('data', (chunk) => {
      if (socket.destroyed || socket.writableEnded) return;
      if (!this.#inbox.add(chunk, take)) this.#refuse('oversized');
      else if (this.#from !== null && this.#heard.session !== 0) this.#cameOfSession(chunk.length);
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

  #take(body: Buffer): boolean {
    if (this.#from === null) return this.#greet(body);
    const frame = this.#format.unpack(body);
    this.#heard.place += lengthBytes + body.length;
    if (frame === null) this.#keeper.refused('malformed');
    else this.#keeper.received(this.#from, frame);
    return !this.#socket.destroyed;
  }

  #greet(body: Buffer): boolean {
    const hello = unpackedHello(body);
    const { id, group, formats } = this.#keeper;
    if (hello === null) return this.#refuse('malformed');
    if (hello.group !== group || hello.from === id) return this.#refuse('stranger');
    const version = commonVersion(hello, versionsOf(formats));
    if (version === null) return this.#decline('unknown version');
    if (hello.to !== id) return this.#decline('stranger');
    const heard = this.#keeper.greeted(this.#socket, hello);
    if (heard === null) return this.#decline();
    clearTimeout(this.#helloTimer);
    this.#from = hello.from;
    this.#heard = heard;
    this.#format = formats.get(version)!;
    this.#answer(heard.place);
    return !this.#socket.destroyed;
  }

  #answer(place: number | null): void {
    const { id, formats } = this.#keeper;
    this.#say(packedAnswer({ ...versionsOf(formats), by: id, place }));
  }

  #cameOfSession(bytes: number): void {
    this.#unacknowledged += bytes;
    if (this.#unacknowledged >= acknowledgeBytes) this.#acknowledge();
    else this.#timer ??= setTimeout(() => this.#acknowledge(), acknowledgeMs);
  }

  #acknowledge(): void {
    if (this.#timer !== null) clearTimeout(this.#timer);
    this.#timer = null;
    this.#unacknowledged = 0;
    this.#say(this.#heard.place);
  }

  #say(body: unknown): void {
    const outbox = new Outbox();
    outbox.add(body);
    if (this.#socket.writable) this.#socket.write(outbox.take());
  }

  /** Who it is meant for knows why it ends. */
  #decline(why?: Refusal): false {
    if (why !== undefined) this.#keeper.refused(why);
    this.#answer(null);
    this.#socket.destroySoon();
    return false;
  }

  #refuse(why: Refusal): false {
    this.#keeper.refused(why);
    this.#socket.destroy();
    return false;
  }
}
