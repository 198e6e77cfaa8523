// Checks that an application's own client is what the engine expects.
import { BatonError } from '../../errors.ts';

/** Throws unless `client` has these methods, and is for one server. `expected` says what it should be. */
export function checkClient(client: unknown, methods: readonly string[], expected: string): void {
  const found = Object(client) as Record<string, unknown>;
  if (methods.every((method) => typeof found[method] === 'function') && found.isCluster !== true) return;
  throw new BatonError('input', `the client of the engine must be ${expected}`);
}

/** Returns `host:port` for messages; null without a host. */
export const addressIn = ({ host, port }: { host?: unknown; port?: unknown }): string | null =>
  typeof host === 'string' ? `${host}:${port}` : null;
