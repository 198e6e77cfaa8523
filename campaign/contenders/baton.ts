import { BatonError, join } from 'batonjs/cluster';
import type { Connect, Network } from './contender.ts';

const secret = 'of the campaign, and of nobody else';

/** Returns the options of `join` for a group on an engine. */
function onEngine({ url, addresses: { listen, advertise } }: Network) {
  const isLoopback = listen.startsWith('127.'); // no secret there: members use the key that the engine keeps
  return {
    engine: url,
    listen,
    advertise,
    secret: isLoopback ? undefined : secret,
    unsafe: url.startsWith('nats:'), // NATS does not report whether its writes are durable
  };
}

export const connect: Connect = async ({ group: name, network, leaseMs }, changed) => {
  const group = await join(name, { leaseMs, ...(network === null ? {} : onEngine(network)) });
  group.on('joined', () => changed(group.id));
  changed(group.id);
  return {
    get id() {
      return group.id;
    },
    async acquire(name, timeoutMs) {
      try {
        const lock = await group.lock(name, { timeoutMs });
        return {
          fence: lock.fence,
          isOurs: () => {
            try {
              return lock.fence > 0;
            } catch {
              return false;
            }
          },
          release: () => lock.release(),
        };
      } catch (error) {
        if (error instanceof BatonError && ['timeout', 'lost'].includes(error.code)) return null;
        throw error;
      }
    },
    close: () => group.leave(),
  };
};
