// What the clients of databases have in common: a connection that is made when it is needed, given up when it hangs, and made again.
import { BatonError, unavailable } from '../../errors.ts';

/** One connection, from before it is made to its end. */
export interface ClientConnection {
  /** Connects; throws if the server cannot be reached, or is none to be relied on. */
  start(): Promise<void>;
  /** At once, whatever is under way: that rejects. */
  end(): void;
}

export interface QueryConnectionOptions<W extends ClientConnection> {
  readonly server: string; // as messages call it
  readonly connect: (lost: () => void) => W;
  readonly timeoutMs: number; // of who asks
}

const connectsWithinMs = 5000; // who asked has given up long before, but its successors may profit
const firstPauseMs = 50;
const longestPauseMs = 5000;

/** A connection for questions, one at a time. Each is answered or rejected within the patience, whatever the server does. */
export class QueryConnection<W extends ClientConnection> {
  readonly #options: QueryConnectionOptions<W>;
  #previous: Promise<unknown> = Promise.resolve();
  #connection: W | null = null;
  #started: Promise<void> | null = null;
  #isClosed = false;

  constructor(options: QueryConnectionOptions<W>) {
    this.#options = options;
  }

  ask<T>(question: (wire: W) => Promise<T>, patienceMs = this.#options.timeoutMs): Promise<T> {
    let isOver = false;
    let asked: W | null = null;
    const answer = this.#previous.then(async () => {
      if (isOver) throw this.#timeoutError(patienceMs);
      const wire = await this.#connected();
      if (isOver) throw this.#timeoutError(patienceMs);
      asked = wire;
      return question(wire);
    });
    const answered = withTimeout(patienceMs, answer, () => {
      isOver = true;
      if (asked !== null) this.#lost(asked);
      return this.#timeoutError(patienceMs);
    });
    this.#previous = answered.catch(() => {});
    return answered;
  }

  close(): void {
    this.#isClosed = true;
    if (this.#connection !== null) this.#lost(this.#connection);
  }

  async #connected(): Promise<W> {
    if (this.#isClosed) throw new BatonError('left', `the connection to ${this.#options.server} is closed`);
    if (this.#connection === null) {
      const wire = this.#options.connect(() => this.#lost(wire));
      this.#connection = wire;
      this.#started = withTimeout(connectsWithinMs, wire.start(), () => this.#timeoutError(connectsWithinMs));
      this.#started.catch(() => this.#lost(wire));
    }
    const wire = this.#connection;
    await this.#started;
    return wire;
  }

  #lost(wire: W): void {
    wire.end();
    if (this.#connection === wire) this.#connection = null;
  }

  #timeoutError(forMs: number): BatonError {
    const message = `${this.#options.server} has not answered for ${Math.round(forMs)} ms`;
    return unavailable(message);
  }
}

/** A connection that only listens. It is made again for as long as it takes. */
export class NotificationConnection<W extends ClientConnection> {
  readonly #connect: QueryConnectionOptions<W>['connect'];
  readonly #listen: (wire: W) => Promise<void>;
  readonly #missed: () => void;
  #connection: W | null = null;
  #timer: NodeJS.Timeout | undefined;
  #pauseMs = firstPauseMs;
  #isClosed = false;

  /** `missed`: something may have been, as from now on it will not. */
  constructor(
    make: QueryConnectionOptions<W>['connect'],
    listen: (wire: W) => Promise<void>,
    missed: () => void,
  ) {
    this.#connect = make;
    this.#listen = listen;
    this.#missed = missed;
    this.#start();
  }

  close(): void {
    this.#isClosed = true;
    clearTimeout(this.#timer);
    this.#connection?.end();
  }

  #start(): void {
    const wire = this.#connect(() => this.#lost(wire));
    this.#connection = wire;
    const listening = wire.start().then(() => this.#listen(wire));
    withTimeout(connectsWithinMs, listening, () => new Error('silent')).then(
      () => {
        if (this.#connection === wire && !this.#isClosed) this.#missed();
      },
      () => this.#lost(wire), // the other connection tells why
    );
    this.#timer = setTimeout(() => {
      this.#pauseMs = firstPauseMs; // it has lasted
    }, longestPauseMs);
    this.#timer.unref();
  }

  #lost(wire: W): void {
    if (this.#connection !== wire) return;
    this.#connection = null;
    wire.end();
    clearTimeout(this.#timer);
    if (this.#isClosed) return;
    this.#timer = setTimeout(() => this.#start(), this.#pauseMs * (0.5 + Math.random() / 2));
    this.#pauseMs = Math.min(2 * this.#pauseMs, longestPauseMs);
  }
}

/** What came while this process was busy counts: the event loop reads it before it comes to `setImmediate`. */
function withTimeout<T>(ms: number, work: Promise<T>, late: () => Error): Promise<T> {
  return new Promise((resolve, reject) => {
    let isDone = false;
    const timer = setTimeout(() => {
      setImmediate(() => {
        if (!isDone) reject(late());
      });
    }, ms);
    work.then(resolve, reject).finally(() => {
      isDone = true;
      clearTimeout(timer);
    });
  });
}
