// NATS by the application's own connection.
import { Kvm } from '@nats-io/kv';
import type { NatsConnection } from '@nats-io/transport-node';
import { openStoreOn } from '../remote/nats.ts';
import type { OpenStore } from '../store.ts';
import { checkClient } from './client-checks.ts';

/** A connection of the package `@nats-io/transport-node`, as far as {@link nats} uses it: what `connect` returns. */
export interface NatsClientConnection {
  /** Returns the address of the server. Error messages name it. */
  getServer(): string;
  /** Tells of lost connections. */
  status(): AsyncIterable<{ readonly type: string }>;
}

/**
 * Makes NATS the engine of a group, by the application's own connection. Needs the package `@nats-io/kv`. The connection stays open in the
 * end. Connect with `maxReconnectAttempts: -1`: a connection that gives up keeps this process out of the group. With the `pingInterval` of
 * two minutes that the package defaults to, a silent server is noticed by operations that are not answered, and is not replaced before.
 *
 * @throws {BatonError} `input` when `connection` is not a connection of NATS.
 *
 * @example
 * import { type Group, join } from 'batonjs';
 * import { type NatsClientConnection, nats } from 'batonjs/nats';
 *
 * export const joinOrders = (connection: NatsClientConnection): Promise<Group> =>
 *   join('orders', { engine: nats(connection), listen: ':7400', secret: process.env.ORDERS_SECRET, unsafe: true });
 */
export function nats(connection: NatsClientConnection): OpenStore {
  checkClient(
    connection,
    ['getServer', 'status', 'request'],
    'a connection of NATS, which connect() of the package @nats-io/transport-node returns',
  );
  return (options) => {
    const whole = connection as unknown as NatsConnection;
    const hosts = connection.getServer() || 'its servers';
    return openStoreOn({ connection: whole, buckets: new Kvm(whole), hosts, isOwn: false }, options);
  };
}
