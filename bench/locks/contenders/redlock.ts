// redlock 4.2.0, the latest release (5 has been a beta since 2021), on one Redis that keeps nothing on disk.
import { type Client, leaseMs, load, retryMs } from './contender.js';

interface Held {
  unlock(): Promise<void>;
}

interface Redlock {
  lock(name: string, milliseconds: number): Promise<Held>;
}

interface Redis {
  quit(): Promise<unknown>;
}

export async function connect(where: string, run: string): Promise<Client<Held>> {
  const { Redis } = load<{ Redis: new (url: string) => Redis }>('ioredis');
  const Redlock = load<new (clients: Redis[], options: object) => Redlock>('redlock');
  const redis = new Redis(where);
  const redlock = new Redlock([redis], {
    retryCount: -1, // forever
    retryDelay: (retryMs.most + retryMs.least) / 2,
    retryJitter: (retryMs.most - retryMs.least) / 2, // random difference
  });
  return {
    acquire: (name) => redlock.lock(`${run}:${name}`, leaseMs),
    release: (held) => held.unlock(),
    close: async () => {
      await redis.quit();
    },
  };
}
