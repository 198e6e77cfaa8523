// Redis by the application's own client of the package redis.
import { nodeRedisClient, openStoreWith } from '../remote/redis.ts';
import type { OpenStore } from '../store.ts';
import { addressIn, checkClient } from './client-checks.ts';

/** A client of the package redis, as far as {@link redis} uses it: what `createClient` returns. */
export interface NodeRedisClient {
  /** Creates a client with the same settings, but for the given ones. */
  duplicate(settings?: object): unknown;
  /** The settings of the client. */
  readonly options: object;
}

const defaultPort = 6379;

/** Settings of a client that would change what its commands return. */
const plainAnswers = {
  clientSideCache: undefined,
  emitInvalidate: undefined,
  maintNotifications: 'disabled',
  commandOptions: {},
};

/**
 * Makes Redis the engine of a group, with the settings of the application's own client of the package redis: address, user, TLS. This process
 * opens two connections with these settings, and closes them in the end. The client itself is not used: it may be closed, or not be connected.
 *
 * @throws {BatonError} `input` when `client` is not a client for one server.
 *
 * @example
 * import { type Group, join } from 'batonjs';
 * import { type NodeRedisClient, redis } from 'batonjs/redis';
 *
 * export const joinOrders = (client: NodeRedisClient): Promise<Group> =>
 *   join('orders', { engine: redis(client), listen: ':7400', secret: process.env.ORDERS_SECRET });
 */
export function redis(client: NodeRedisClient): OpenStore {
  checkClient(
    client,
    ['duplicate', 'select'],
    'what createClient() of the package redis returns; clients of a cluster, of Sentinel and of a pool are not supported',
  );
  const { socket = {} } = client.options as { readonly socket?: object };
  const server = `Redis at ${addressIn({ port: defaultPort, ...socket }) ?? 'localhost'}`;
  return (options) =>
    openStoreWith(options, server, () =>
      nodeRedisClient(
        (settings) =>
          client.duplicate({
            ...settings,
            ...plainAnswers,
            socket: { ...socket, ...settings.socket },
          }) as ReturnType<Parameters<typeof nodeRedisClient>[0]>,
      ),
    );
}
