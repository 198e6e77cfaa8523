// etcd3's lock tries once and does not wait. This retries, as its users do.
import { setTimeout as pause } from 'node:timers/promises';
import { type Client, leaseMs, load, retryMs } from './contender.js';

interface Held {
  release(): Promise<void>;
}

interface Etcd {
  lock(name: string): { ttl(seconds: number): { acquire(): Promise<Held> } };
  close(): void;
}

export async function connect(where: string, run: string): Promise<Client<Held>> {
  const { Etcd3, EtcdLockFailedError } = load<{
    Etcd3: new (options: object) => Etcd;
    EtcdLockFailedError: new () => Error;
  }>('etcd3');
  const etcd = new Etcd3({ hosts: where });
  return {
    async acquire(name) {
      for (;;) {
        try {
          return await etcd
            .lock(`${run}:${name}`)
            .ttl(leaseMs / 1000)
            .acquire();
        } catch (error) {
          if (!(error instanceof EtcdLockFailedError)) throw error;
          await pause(retryMs.least + Math.random() * (retryMs.most - retryMs.least));
        }
      }
    },
    release: (held) => held.release(),
    close: async () => etcd.close(),
  };
}
