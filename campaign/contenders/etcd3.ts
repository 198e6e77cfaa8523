// etcd3 1.1.2. Its lock does not report a loss, so a holder relies on it to the end.
import { load } from '../../bench/locks/contenders/contender.js';
import type { Connect } from './contender.ts';

interface Lock {
  release(): Promise<void>;
}

interface Etcd {
  lock(name: string): { ttl(seconds: number): { acquire(): Promise<Lock> } };
  close(): void;
}

export const connect: Connect = async ({ network, leaseMs }) => {
  const { url } = network!;
  const { Etcd3 } = load<{ Etcd3: new (options: object) => Etcd }>('etcd3');
  const etcd = new Etcd3({ hosts: url.replace('etcd:', 'http:') });
  return {
    id: `${process.pid}`,
    async acquire(name, timeoutMs) {
      for (const until = performance.now() + timeoutMs; performance.now() < until; ) {
        const lock = await etcd
          .lock(name)
          .ttl(Math.ceil(leaseMs / 1000))
          .acquire()
          .catch(() => null);
        if (lock !== null)
          return { fence: null, isOurs: () => true, release: () => lock.release().catch(() => {}) };
        await new Promise((resolve) => setTimeout(resolve, 5 + Math.random() * 10));
      }
      return null;
    },
    close: async () => etcd.close(),
  };
};
