// Redis by the application's own client of the package ioredis.
import { openStoreWith, type RedisLink } from '../remote/redis.ts';
import type { OpenStore } from '../store.ts';
import { addressIn, checkClient } from './client-checks.ts';

/** A client of the package ioredis, as far as {@link ioredis} uses it: an instance of `Redis`. */
export interface IoredisClient {
  /** Creates a client with the same settings, but for the given ones. */
  duplicate(settings?: object): unknown;
  /** The settings of the client. */
  readonly options: object;
}

interface IoredisConnection {
  on(event: 'error' | 'end' | 'message', listener: (error: unknown) => void): unknown;
  connect(): Promise<unknown>;
  call(command: string, ...words: string[]): Promise<unknown>;
  subscribe(channel: string): Promise<unknown>;
  disconnect(): void;
}

const defaultPort = 6379;

/** One attempt to connect, commands at once or not at all, and what they return as in protocol 2, whatever the application has set. */
const settings = {
  lazyConnect: true,
  enableOfflineQueue: false,
  enableAutoPipelining: false,
  retryStrategy: null,
  sentinelRetryStrategy: null,
  reconnectOnError: null,
  autoResubscribe: false,
  keyPrefix: '',
  protocol: 2,
  replyMapping: 'legacy',
  stringNumbers: false,
};

/**
 * Makes Redis the engine of a group, with the settings of the application's own client of the package ioredis: address or Sentinels, user,
 * TLS. This process opens two connections with these settings, and closes them in the end. The client itself is not used: it may be closed,
 * or not be connected. Its `keyPrefix` is not used, either: a group has the same keys for all its members.
 *
 * @throws {BatonError} `input` when `client` is not a client for one server.
 *
 * @example
 * import { type Group, join } from 'batonjs';
 * import { type IoredisClient, ioredis } from 'batonjs/ioredis';
 *
 * export const joinOrders = (client: IoredisClient): Promise<Group> =>
 *   join('orders', { engine: ioredis(client), listen: ':7400', secret: process.env.ORDERS_SECRET });
 */
export function ioredis(client: IoredisClient): OpenStore {
  checkClient(
    client,
    ['duplicate', 'call'],
    'an instance of Redis of the package ioredis; a Cluster is not supported',
  );
  const options = client.options as {
    readonly host?: unknown;
    readonly name?: unknown;
    readonly sentinels?: unknown;
  };
  const isBySentinel = options.sentinels !== undefined && options.sentinels !== null;
  const server = isBySentinel
    ? `Redis '${options.name}'`
    : `Redis at ${addressIn({ port: defaultPort, ...options }) ?? 'localhost'}`;
  return (storeOptions) =>
    openStoreWith(storeOptions, server, () => connectionOf(client.duplicate(settings) as IoredisConnection));
}

function connectionOf(client: IoredisConnection): RedisLink {
  return {
    /** The first error says why it failed; the promise only that the connection is closed. */
    connect: (lost) =>
      new Promise((resolve, reject) => {
        client.on('error', (error) => {
          reject(error);
          lost();
        });
        client.on('end', lost);
        client.connect().then(resolve, reject);
      }),
    command: ([command = '', ...words]) => client.call(command, ...words),
    subscribe(channel, heard) {
      client.on('message', heard);
      return client.subscribe(channel);
    },
    destroy: () => client.disconnect(),
  };
}
