import { BatonError, join } from 'batonjs/cluster';
import type { Connect } from './contender.ts';

const secret = 'of the campaign, and of nobody else';

export const connect: Connect = async ({ url, site, leaseMs }, changed) => {
  const { listen, advertise } = site;
  const isLoopback = listen.startsWith('127.'); // where the relay wants to see who calls
  const group = await join('campaign', {
    engine: url,
    listen,
    advertise,
    secret: isLoopback ? undefined : secret,
    leaseMs,
    unsafe: url.startsWith('nats:'), // which cannot say whether it writes at once
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
