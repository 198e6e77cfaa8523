// What the clients of databases have in common: a connection that is made when it is needed, given up when it hangs, and made again.
import { BatonError, unavailable } from '../errors.ts';

/** One connection, from before it is made to its end. */
export interface Wire {
  /** Connects; throws if the server cannot be reached, or is none to be relied on. */
  start(): Promise<void>;
  /** At once, whatever is under way: that rejects. */
  end(): void;
}

export interface LineOptions<W extends Wire> {
  readonly server: string; // as messages call it
  readonly wire: (lost: () => void) => W;
  readonly patienceMs: number; // of who asks
}

const connectsWithinMs = 5000; // who asked has given up long before, but its successors may profit
const firstPauseMs = 50;
const longestPauseMs = 5000;

/** A connection for questions, one at a time. Each is answered or rejected within the patience, whatever the server does. */
export class Line<W extends Wire> {
  readonly #options: LineOptions<W>;
  #turn: Promise<unknown> = Promise.resolve();
  #wire: W | null = null;
  #started: Promise<void> | null = null;
  #isClosed = false;

  constructor(options: LineOptions<W>) {
    this.#options = options;
  }

  ask<T>(question: (wire: W) => Promise<T>, patienceMs = this.#options.patienceMs): Promise<T> {
    let isOver = false;
    let asked: W | null = null;
    const answer = this.#turn.then(async () => {
      if (isOver) throw this.#silent(patienceMs);
      const wire = await this.#connected();
      if (isOver) throw this.#silent(patienceMs);
      asked = wire;
      return question(wire);
    });
    const answered = within(patienceMs, answer, () => {
      isOver = true;
      if (asked !== null) this.#lost(asked);
      return this.#silent(patienceMs);
    });
    this.#turn = answered.catch(() => {});
    return answered;
  }

  close(): void {
    this.#isClosed = true;
    if (this.#wire !== null) this.#lost(this.#wire);
  }

  async #connected(): Promise<W> {
    if (this.#isClosed) throw new BatonError('left', `the connection to ${this.#options.server} is closed`);
    if (this.#wire === null) {
      const wire = this.#options.wire(() => this.#lost(wire));
      this.#wire = wire;
      this.#started = within(connectsWithinMs, wire.start(), () => this.#silent(connectsWithinMs));
      this.#started.catch(() => this.#lost(wire));
    }
    const wire = this.#wire;
    await this.#started;
    return wire;
  }

  #lost(wire: W): void {
    wire.end();
    if (this.#wire === wire) this.#wire = null;
  }

  #silent(forMs: number): BatonError {
    const message = `${this.#options.server} has not answered for ${Math.round(forMs)} ms`;
    return unavailable(message);
  }
}

/** A connection that only listens. It is made again for as long as it takes. */
export class Ear<W extends Wire> {
  readonly #make: LineOptions<W>['wire'];
  readonly #listen: (wire: W) => Promise<void>;
  readonly #missed: () => void;
  #wire: W | null = null;
  #timer: NodeJS.Timeout | undefined;
  #pauseMs = firstPauseMs;
  #isClosed = false;

  /** `missed`: something may have been, as from now on it will not. */
  constructor(make: LineOptions<W>['wire'], listen: (wire: W) => Promise<void>, missed: () => void) {
    this.#make = make;
    this.#listen = listen;
    this.#missed = missed;
    this.#start();
  }

  close(): void {
    this.#isClosed = true;
    clearTimeout(this.#timer);
    this.#wire?.end();
  }

  #start(): void {
    const wire = this.#make(() => this.#lost(wire));
    this.#wire = wire;
    const listening = wire.start().then(() => this.#listen(wire));
    within(connectsWithinMs, listening, () => new Error('silent')).then(
      () => {
        if (this.#wire === wire && !this.#isClosed) this.#missed();
      },
      () => this.#lost(wire), // the other connection tells why
    );
    this.#timer = setTimeout(() => {
      this.#pauseMs = firstPauseMs; // it has lasted
    }, longestPauseMs);
    this.#timer.unref();
  }

  #lost(wire: W): void {
    if (this.#wire !== wire) return;
    this.#wire = null;
    wire.end();
    clearTimeout(this.#timer);
    if (this.#isClosed) return;
    this.#timer = setTimeout(() => this.#start(), this.#pauseMs * (0.5 + Math.random() / 2));
    this.#pauseMs = Math.min(2 * this.#pauseMs, longestPauseMs);
  }
}

/** What came while this process was busy counts: the event loop reads it before it comes to `setImmediate`. */
function within<T>(ms: number, work: Promise<T>, late: () => Error): Promise<T> {
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
