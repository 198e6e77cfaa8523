import { BatonError, join } from 'batonjs/cluster';
import type { Connect } from './contender.ts';

const secret = 'of the campaign, and of nobody else';

export const connect: Connect = async ({ url, addresses, leaseMs }, changed) => {
  const { listen, advertise } = addresses;
  const isLoopback = listen.startsWith('127.'); // no secret there: the relay must read which member connects
  const group = await join('campaign', {
    engine: url,
    listen,
    advertise,
    secret: isLoopback ? undefined : secret,
    leaseMs,
    unsafe: url.startsWith('nats:'), // NATS does not report whether its writes are durable
  });
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
