// redlock 4.2.0, used as documented: a process holds a lock until its `expiration`, and extends it while needed.
import { load } from '../../bench/locks/contenders/contender.js';
import type { Connect } from './contender.ts';

interface Lock {
  readonly expiration: number;
  extend(milliseconds: number): Promise<Lock>;
  unlock(): Promise<void>;
}

interface Redlock {
  lock(name: string, milliseconds: number): Promise<Lock>;
  on(event: 'clientError', listener: () => void): void;
}

interface Redis {
  quit(): Promise<unknown>;
  on(event: 'error', listener: () => void): void;
}

export const connect: Connect = async ({ network, leaseMs }) => {
  const { url } = network!;
  const { Redis } = load<{ Redis: new (url: string, options: object) => Redis }>('ioredis');
  const Redlock = load<new (clients: Redis[], options: object) => Redlock>('redlock');
  const redis = new Redis(url, { maxRetriesPerRequest: 1 });
  redis.on('error', () => {});
  const redlock = new Redlock([redis], { retryCount: 0 });
  redlock.on('clientError', () => {});
  return {
    id: `${process.pid}`,
    async acquire(name, timeoutMs) {
      for (const until = performance.now() + timeoutMs; performance.now() < until; ) {
        const lock = await redlock.lock(name, leaseMs).catch(() => null);
        if (lock !== null)
          return {
            fence: null,
            isOurs: () => Date.now() < lock.expiration,
            release: () => lock.unlock().catch(() => {}),
          };
        await new Promise((resolve) => setTimeout(resolve, 5 + Math.random() * 10));
      }
      return null;
    },
    close: async () => {
      await redis.quit();
    },
  };
};
