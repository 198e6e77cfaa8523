import type { Socket } from 'node:net';
import { type Hello, packed, packedHello } from './frames.ts';
import type { Frame } from './transport.ts';
import { Outbox } from './wire.ts';

const queueLimit = 64 * 2 ** 20; // bytes for a peer that does not read
const lastWordsMs = 250; // for who is left, to read what was still to be said
const backlogMs = 10; // until we try again where too many others wait

/** A connection that carries frames to one peer. Nothing is written before `flush`. */
export class Outgoing {
  isDirty = false;
  readonly #dial: () => Socket;
  readonly #ended: (error: NodeJS.ErrnoException | null) => void;
  readonly #outbox = new Outbox();
  #socket!: Socket;
  #state: 'opening' | 'open' | 'waiting for the peer to read' | 'quitting' | 'over' = 'opening';
  #again: NodeJS.Timeout | null = null;

  /** `ended`: it did not open, or it is over; not told after `quit` and `destroy`. */
  constructor(dial: () => Socket, hello: Hello, ended: (error: NodeJS.ErrnoException | null) => void) {
    this.#dial = dial;
    this.#ended = ended;
    this.#outbox.add(packedHello(hello));
    this.#connect();
  }

  add(frame: Frame): void {
    this.#outbox.add(packed(frame));
    if (this.#outbox.length + this.#socket.writableLength > queueLimit) this.#overflow();
  }

  flush(): void {
    if (this.#state === 'open') this.#write();
  }

  /** Says what is still to be said, and ends. */
  quit(): Promise<void> {
    return new Promise((resolve) => {
      if (this.#again !== null) this.destroy();
      if (this.#state === 'over' || this.#socket.destroyed) return resolve();
      const isOpen = this.#state !== 'opening';
      this.#state = 'quitting';
      this.#socket.once('close', () => resolve());
      setTimeout(() => this.destroy(), lastWordsMs).unref();
      if (isOpen) this.#sayTheRest();
    });
  }

  destroy(): void {
    this.#state = 'over';
    if (this.#again !== null) clearTimeout(this.#again);
    this.#socket.destroy();
  }

  #connect(): void {
    this.#again = null;
    const socket = this.#dial();
    let error: NodeJS.ErrnoException | null = null;
    this.#socket = socket;
    socket.on('connect', () => this.#opened());
    socket.on('drain', () => this.#drained());
    socket.on('error', (e: NodeJS.ErrnoException) => {
      error = e;
    });
    socket.on('close', () => this.#closed(error));
    socket.resume(); // nothing is said this way, but the end is
  }

  #opened(): void {
    if (this.#state === 'quitting') this.#sayTheRest();
    if (this.#state !== 'opening') return;
    this.#state = 'open';
    this.flush();
  }

  #drained(): void {
    if (this.#state !== 'waiting for the peer to read') return;
    this.#state = 'open';
    this.#write();
  }

  #write(): void {
    if (this.#outbox.length === 0) return;
    const bytes = this.#outbox.take();
    if (!this.#socket.write(bytes)) this.#state = 'waiting for the peer to read';
    if (this.#socket.writableLength === 0) this.#outbox.reuse(bytes);
  }

  #overflow(): void {
    if (this.#again === null)
      this.#socket.destroy(); // `close` follows
    else {
      this.destroy();
      setImmediate(() => this.#ended(null));
    }
  }

  #sayTheRest(): void {
    this.#socket.end(this.#outbox.take());
  }

  #closed(error: NodeJS.ErrnoException | null): void {
    if (this.#state === 'opening' && error?.code === 'EAGAIN') {
      this.#again = setTimeout(() => this.#connect(), backlogMs);
      return;
    }
    const isExpected = this.#state === 'quitting' || this.#state === 'over';
    this.#state = 'over';
    if (!isExpected) this.#ended(error);
  }
}
