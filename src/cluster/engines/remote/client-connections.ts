// Common to the clients of databases: a connection that is opened on demand, abandoned when it hangs, and opened again.
import type { Socket } from 'node:net';
import { BatonError, unavailable } from '../../errors.ts';
import { operationTimeoutMs, type Store } from '../store.ts';

/** One connection, from before it is opened until it ends. */
export interface ClientConnection {
  /** Connects. Throws if the server cannot be reached or is not a durable primary. */
  start(): Promise<void>;
  /** Ends the connection at once. Operations in progress reject. */
  end(): void;
}

/** A client of a database's package, from before it connects until the engine no longer uses it. */
export interface ClientSession<C> {
  connect(): Promise<C>;
  end(): void;
}

const saysGoodbyeWithinMs = 1000;

/** A client that only the engine uses. */
export class OwnClient<C> implements ClientSession<C> {
  readonly #socket: Socket;
  readonly #connect: () => Promise<C>;
  readonly #sayGoodbye: (client: C) => void;
  #client: C | null = null;

  constructor(socket: Socket, connect: () => Promise<C>, sayGoodbye: (client: C) => void) {
    this.#socket = socket;
    this.#connect = connect;
    this.#sayGoodbye = sayGoodbye;
  }

  async connect(): Promise<C> {
    this.#client = await this.#connect();
    return this.#client;
  }

  end(): void {
    const client = this.#client;
    if (client === null) {
      this.#socket.destroy();
      return;
    }
    this.#client = null;
    this.#sayGoodbye(client);
    setTimeout(() => this.#socket.destroy(), saysGoodbyeWithinMs).unref();
  }
}

export interface QueryConnectionOptions<C extends ClientConnection> {
  readonly server: string; // as error messages name it
  readonly connect: (lost: () => void) => C;
  readonly leaseMs: number;
}

const longestConnectMs = 5000;
const firstPauseMs = 50;
const longestPauseMs = 5000;

/**
 * The time limit for connecting. It is longer than a query waits, so that later queries can use the connection. But while packets vanish, an
 * attempt may hang for much longer than they do. So the next one begins a lease later at the latest.
 */
const connectTimeoutMs = (leaseMs: number): number => Math.min(Math.max(leaseMs, 1000), longestConnectMs);

/** A connection for queries, one at a time. Each query resolves or rejects within its timeout, whatever the server does. */
export class QueryConnection<C extends ClientConnection> {
  readonly #options: QueryConnectionOptions<C>;
  readonly #timeoutMs: number;
  #previous: Promise<unknown> = Promise.resolve();
  #connection: C | null = null;
  #started: Promise<void> | null = null;
  #isClosed = false;

  constructor(options: QueryConnectionOptions<C>) {
    this.#options = options;
    this.#timeoutMs = operationTimeoutMs(options.leaseMs);
  }

  ask<T>(question: (connection: C) => Promise<T>, timeoutMs = this.#timeoutMs): Promise<T> {
    let isOver = false;
    let asked: C | null = null;
    const answer = this.#previous.then(async () => {
      if (isOver) throw this.#timeoutError(timeoutMs);
      const connection = await this.#connected(timeoutMs);
      if (isOver) throw this.#timeoutError(timeoutMs);
      asked = connection;
      return question(connection);
    });
    const answered = withTimeout(timeoutMs, answer, () => {
      isOver = true;
      if (asked !== null) this.#lost(asked);
      return this.#timeoutError(timeoutMs);
    });
    this.#previous = answered.catch(() => {});
    return answered;
  }

  close(): void {
    this.#isClosed = true;
    if (this.#connection !== null) this.#lost(this.#connection);
  }

  async #connected(queryMs: number): Promise<C> {
    if (this.#isClosed) throw new BatonError('left', `the connection to ${this.#options.server} is closed`);
    if (this.#connection === null) {
      const connection = this.#options.connect(() => this.#lost(connection));
      this.#connection = connection;
      const limitMs = Math.min(Math.max(queryMs, connectTimeoutMs(this.#options.leaseMs)), longestConnectMs);
      this.#started = withTimeout(limitMs, connection.start(), () => this.#timeoutError(limitMs));
      this.#started.catch(() => this.#lost(connection));
    }
    const connection = this.#connection;
    await this.#started;
    return connection;
  }

  #lost(connection: C): void {
    connection.end();
    if (this.#connection === connection) this.#connection = null;
  }

  #timeoutError(forMs: number): BatonError {
    const message = `${this.#options.server} has not answered for ${Math.round(forMs)} ms`;
    return unavailable(message);
  }
}

/** Prepares a store that was just made. Closes it if that fails. */
export async function prepared<S extends Pick<Store, 'close'>>(
  store: S,
  prepare: (store: S) => Promise<void>,
): Promise<S> {
  try {
    await prepare(store);
  } catch (error) {
    await store.close();
    throw error;
  }
  return store;
}

/** A connection that only listens. It reconnects until it is closed. */
export class NotificationConnection<C extends ClientConnection> {
  readonly #connect: QueryConnectionOptions<C>['connect'];
  readonly #listen: (connection: C) => Promise<void>;
  readonly #missed: () => void;
  #connection: C | null = null;
  #timer: NodeJS.Timeout | undefined;
  #pauseMs = firstPauseMs;
  #isClosed = false;

  /** `missed` is called when the connection listens again: notifications may have been lost while it was down. */
  constructor(
    connect: QueryConnectionOptions<C>['connect'],
    listen: (connection: C) => Promise<void>,
    missed: () => void,
  ) {
    this.#connect = connect;
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
    const connection = this.#connect(() => this.#lost(connection));
    this.#connection = connection;
    const listening = connection.start().then(() => this.#listen(connection));
    withTimeout(longestConnectMs, listening, () => new Error('silent')).then(
      () => {
        if (this.#connection === connection && !this.#isClosed) this.#missed();
      },
      () => this.#lost(connection), // the query connection reports the reason
    );
    this.#timer = setTimeout(() => {
      this.#pauseMs = firstPauseMs; // the connection has lasted
    }, longestPauseMs);
    this.#timer.unref();
  }

  #lost(connection: C): void {
    if (this.#connection !== connection) return;
    this.#connection = null;
    connection.end();
    clearTimeout(this.#timer);
    if (this.#isClosed) return;
    this.#timer = setTimeout(() => this.#start(), this.#pauseMs * (0.5 + Math.random() / 2));
    this.#pauseMs = Math.min(2 * this.#pauseMs, longestPauseMs);
  }
}

/** An answer that arrived while this process was busy still counts: the event loop reads it before it runs `setImmediate`. */
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
