import type { Socket } from 'node:net';
import type { TLSSocket } from 'node:tls';
import { FrameReader, FrameWriter } from './encoding/framing.ts';
import {
  commonVersion,
  type Hello,
  type HelloAnswer,
  packHello,
  unpackHelloAnswer,
} from './encoding/handshake.ts';
import type { RefusalReason } from './transport.ts';

const flushOnQuitMs = 250; // time for the peer to read the last frames
const retryMs = 10; // until the next attempt, if the failure is transient

/** Why a connection failed, as far as the system or the peer reported it. */
export interface ConnectionFailure {
  readonly code?: string | undefined;
}

/** Another member answers at the address. */
export const wrongPeerAnswered: ConnectionFailure = { code: 'another answers' };

export interface OutgoingConnectionEvents {
  /** The connection can be used. Return false if it is no longer wanted. */
  answered(answer: HelloAnswer, version: number): boolean;
  /** The peer sent an acknowledgement, or the answer to a query. */
  received(body: Buffer): void;
  refused(why: RefusalReason): void;
  /** Whether to dial again after this failure. */
  isTransient(failure: ConnectionFailure): boolean;
  /** The connection failed or ended. Not called after `quit` and `destroy`. */
  ended(failure: ConnectionFailure | null, isByPeer: boolean): void;
}

/** A connection that this member opens. It sends a hello, waits for the answer, then sends the frames in the writer. */
export class OutgoingConnection {
  readonly #dial: () => Socket;
  readonly #hello: Hello;
  readonly #frames: FrameWriter;
  readonly #events: OutgoingConnectionEvents;
  #socket!: Socket;
  #state: 'opening' | 'open' | 'waiting for the peer to read' | 'quitting' | 'over' = 'opening';
  #isAnswered = false;
  #failure: ConnectionFailure | null = null;
  #retryTimer: NodeJS.Timeout | null = null;

  constructor(dial: () => Socket, hello: Hello, frames: FrameWriter, events: OutgoingConnectionEvents) {
    this.#dial = dial;
    this.#hello = hello;
    this.#frames = frames;
    this.#events = events;
    this.#connect();
  }

  /** Bytes that the socket has not passed to the kernel yet. */
  get waiting(): number {
    return this.#socket.writableLength;
  }

  flush(): void {
    if (this.#state === 'open') this.#write();
  }

  /** Sends the remaining frames and ends the connection. */
  quit(): Promise<void> {
    return new Promise((resolve) => {
      if (this.#retryTimer !== null || this.#socket.destroyed) this.destroy(); // it would be dialed again
      if (this.#state === 'over') return resolve();
      this.#state = 'quitting';
      this.#socket.once('close', () => resolve());
      setTimeout(() => this.destroy(), flushOnQuitMs).unref();
      if (this.#isAnswered) this.#writeRestAndEnd();
    });
  }

  destroy(): void {
    this.#state = 'over';
    if (this.#retryTimer !== null) clearTimeout(this.#retryTimer);
    this.#socket.destroy();
  }

  #connect(): void {
    this.#retryTimer = null;
    const socket = this.#dial();
    const reader = new FrameReader();
    let isByPeer = false;
    this.#socket = socket;
    // Nothing is sent before the peer has authenticated itself.
    socket.once((socket as Partial<TLSSocket>).encrypted === true ? 'secureConnect' : 'connect', () =>
      this.#sendHello(),
    );
    socket.on('data', (chunk) => {
      if (!reader.add(chunk, (body) => this.#handleBody(body))) this.#refuse('oversized');
    });
    socket.on('drain', () => this.#drained());
    socket.on('error', (error: NodeJS.ErrnoException) => {
      this.#failure = error;
      isByPeer ||= isReset(error);
    });
    socket.on('end', () => {
      isByPeer = true;
    });
    socket.on('close', () => this.#closed(isByPeer));
  }

  #sendHello(): void {
    const writer = new FrameWriter();
    writer.add(packHello(this.#hello));
    this.#socket.write(writer.take());
  }

  #handleBody(body: Buffer): boolean {
    if (this.#isAnswered) this.#events.received(body);
    else this.#answer(unpackHelloAnswer(body));
    return !this.#socket.destroyed;
  }

  #answer(answer: HelloAnswer | null): void {
    const version = answer && commonVersion(this.#hello, answer);
    if (answer === null) this.#refuse('malformed');
    else if (answer.by !== this.#hello.to) {
      this.#failure = wrongPeerAnswered;
      this.#socket.destroy();
    } else if (version === null) this.#refuse('unknown version');
    else if (this.#events.answered(answer, version)) this.#opened();
  }

  #opened(): void {
    this.#isAnswered = true;
    if (this.#state === 'quitting') this.#writeRestAndEnd();
    if (this.#state !== 'opening') return;
    this.#state = 'open';
    this.#write();
  }

  #refuse(why: RefusalReason): void {
    this.#events.refused(why);
    this.#socket.destroy();
  }

  #drained(): void {
    if (this.#state !== 'waiting for the peer to read') return;
    this.#state = 'open';
    this.#write();
  }

  #write(): void {
    if (this.#frames.length === 0) return;
    if (!this.#socket.write(this.#frames.take())) this.#state = 'waiting for the peer to read';
    if (this.#socket.writableLength === 0) this.#frames.reuse();
  }

  #writeRestAndEnd(): void {
    this.#socket.end(this.#frames.take());
  }

  #closed(isByPeer: boolean): void {
    if (this.#state === 'opening' && this.#failure !== null && this.#events.isTransient(this.#failure)) {
      this.#failure = null;
      this.#retryTimer = setTimeout(() => this.#connect(), retryMs);
      return;
    }
    const isExpected = this.#state === 'quitting' || this.#state === 'over';
    this.#state = 'over';
    if (!this.#isAnswered && isAuthenticationFailure(this.#failure)) this.#events.refused('stranger');
    if (!isExpected) this.#events.ended(this.#failure, isByPeer);
  }
}

/** Error codes of TLS contain an underscore; those of the system do not. */
const isAuthenticationFailure = (failure: ConnectionFailure | null): boolean =>
  failure?.code?.includes('_') ?? false;

/** The peer reset the connection. */
export const isReset = ({ code }: NodeJS.ErrnoException): boolean =>
  code === 'ECONNRESET' || code === 'EPIPE';
