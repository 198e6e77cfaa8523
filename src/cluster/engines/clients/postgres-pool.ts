// PostgreSQL by the application's own pool.
import { openStoreOf, type PostgresServer } from '../remote/postgres.ts';
import type { OpenStore } from '../store.ts';
import { addressIn, checkClient } from './client-checks.ts';
import { PooledClient } from './pooled-client.ts';

/** A pool of the package pg, as far as {@link postgres} uses it: an instance of `pg.Pool`. */
export interface PostgresPool {
  /** Checks a client out of the pool. */
  connect(): Promise<PostgresPoolClient>;
  /** The settings of the pool. Error messages name the server and the user by them. Defaults to none. */
  readonly options?: object | undefined;
}

/** A client that was checked out of a {@link PostgresPool}. */
export interface PostgresPoolClient {
  /** Runs a statement; without values, several of them. */
  query(text: string, values?: unknown[]): Promise<{ readonly rows: unknown[] }>;
  /** Adds a listener. */
  on(event: 'error' | 'end' | 'notification', listener: (message: never) => void): unknown;
  /** Returns the client to the pool, which closes its connection if `destroy` is true. */
  release(destroy: boolean): void;
}

const defaultPort = 5432;

/**
 * Makes PostgreSQL the engine of a group, by the application's own pool. While this process is in the group, it holds two clients of the
 * pool: one for leases and the view, one that listens for changes. It closes their connections in the end, and leaves the pool open.
 *
 * @throws {BatonError} `input` when `pool` is not a pool of the package pg.
 *
 * @example
 * import { type Group, join } from 'batonjs';
 * import { type PostgresPool, postgres } from 'batonjs/postgres';
 *
 * export const joinOrders = (pool: PostgresPool): Promise<Group> =>
 *   join('orders', { engine: postgres(pool), listen: ':7400', secret: process.env.ORDERS_SECRET });
 */
export function postgres(pool: PostgresPool): OpenStore {
  checkClient(pool, ['connect', 'query', 'end'], 'a pool of the package pg: postgres(new pg.Pool({ … }))');
  const names = namesIn(pool.options as Record<string, unknown> | undefined);
  return (storeOptions) =>
    openStoreOf(
      storeOptions,
      names,
      (lost) =>
        new PooledClient(
          async () => {
            const client = await pool.connect();
            client.on('error', lost); // a client without a listener would end the process
            return client;
          },
          (client) => client.release(true),
        ),
    );
}

/** What error messages call the server. */
function namesIn(options: Readonly<Record<string, unknown>> = {}): PostgresServer {
  const text = String(options.connectionString ?? '');
  const url = URL.canParse(text) ? new URL(text) : null;
  const {
    host = url?.hostname,
    port = url?.port,
    database = url?.pathname.slice(1),
    user = url?.username,
  } = options;
  const address = addressIn({ host, port: port || defaultPort });
  const server = address === null ? 'PostgreSQL' : `PostgreSQL at ${address}/${database ?? ''}`;
  return { server, user: decodeURIComponent(String(user ?? '')) };
}
