// MySQL and MariaDB by the application's own pool.
import { openStoreAt } from '../remote/mysql.ts';
import type { ConnectedMysql } from '../remote/mysql-connection.ts';
import { type OpenStore, operationTimeoutMs } from '../store.ts';
import { addressIn, checkClient } from './client-checks.ts';
import { PooledClient } from './pooled-client.ts';

const waits = 0.9; // of the time limit of an operation, for a connection of the pool

/** A pool of the package mysql2, as far as {@link mysql} uses it: what `createPool` of `mysql2` or of `mysql2/promise` returns. */
export interface MysqlPool {
  /** Checks a connection out of the pool. */
  getConnection(...done: never[]): unknown;
  /** Runs a prepared statement. Tells this pool from those of other packages. */
  execute(...statement: never[]): unknown;
}

interface PooledConnection extends ConnectedMysql {
  readonly stream?: { destroy?(): void };
  release(): void;
  destroy(): void;
}

/** A pool of `mysql2`, which a pool of `mysql2/promise` wraps. */
interface CorePool {
  getConnection(done: (error: unknown, connection: PooledConnection) => void): void;
  on(event: 'enqueue', listener: () => void): unknown;
  off(event: 'enqueue', listener: () => void): unknown;
  readonly config?: { readonly connectionConfig?: Readonly<Record<string, unknown>> };
}

/**
 * Makes MySQL or MariaDB the engine of a group, by the application's own pool. While this process is in the group, it holds one connection of
 * the pool. It closes the connection in the end, and leaves the pool open.
 *
 * @throws {BatonError} `input` when `pool` is not a pool of the package mysql2.
 *
 * @example
 * import { type Group, join } from 'batonjs';
 * import { type MysqlPool, mysql } from 'batonjs/mysql';
 *
 * export const joinOrders = (pool: MysqlPool): Promise<Group> =>
 *   join('orders', { engine: mysql(pool), listen: ':7400', secret: process.env.ORDERS_SECRET });
 */
export function mysql(pool: MysqlPool): OpenStore {
  const core = (Object(pool).pool ?? pool) as CorePool;
  checkClient(
    core,
    ['getConnection', 'execute', 'promise'],
    'a pool of the package mysql2: mysql(createPool({ … })); a cluster of pools is not supported',
  );
  const { host, port, database, user } = core.config?.connectionConfig ?? {};
  const address = addressIn({ host, port });
  const names = {
    server: address === null ? 'MySQL' : `MySQL at ${address}/${database ?? ''}`,
    user: String(user ?? ''),
  };
  return (options) =>
    openStoreAt(
      options,
      names,
      (lost) => new PooledClient(() => checkOut(core, options.leaseMs, lost), discard),
    );
}

/** Says why it waits, before the wait for an answer of the server is over. */
function checkOut(pool: CorePool, leaseMs: number, lost: () => void): Promise<PooledConnection> {
  return new Promise((resolve, reject) => {
    let timer: NodeJS.Timeout | undefined;
    let isLate = false;
    const queued = () => {
      timer = setTimeout(() => {
        isLate = true;
        reject(new Error('all connections of the pool are in use'));
      }, waits * operationTimeoutMs(leaseMs));
    };
    pool.on('enqueue', queued); // `getConnection` emits it at once
    pool.getConnection((error, connection) => {
      clearTimeout(timer);
      if (error) reject(error);
      else if (isLate) connection.release();
      else {
        connection.on('error', lost); // a connection without a listener would end the process
        resolve(connection);
      }
    });
    pool.off('enqueue', queued);
  });
}

/** `destroy` alone would wait for the server to close its end. */
function discard(connection: PooledConnection): void {
  connection.destroy();
  connection.stream?.destroy?.();
}
