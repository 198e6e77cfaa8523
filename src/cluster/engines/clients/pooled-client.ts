// A client of an application's pool, while the engine uses it.
import type { ClientSession } from '../remote/client-connections.ts';

export class PooledClient<C> implements ClientSession<C> {
  readonly #checkOut: () => Promise<C>;
  readonly #discard: (client: C) => void;
  #client: C | null = null;
  #isEnded = false;

  /** `discard` has the pool close the connection of the client. */
  constructor(checkOut: () => Promise<C>, discard: (client: C) => void) {
    this.#checkOut = checkOut;
    this.#discard = discard;
  }

  async connect(): Promise<C> {
    const client = await this.#checkOut();
    if (this.#isEnded) this.#discard(client);
    else this.#client = client;
    return client;
  }

  /** A client that was given up may still have an answer to come, and its session has the settings of the engine. */
  end(): void {
    this.#isEnded = true;
    if (this.#client !== null) this.#discard(this.#client);
    this.#client = null;
  }
}
