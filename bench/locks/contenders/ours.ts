import { join, type Lock } from 'batonjs/cluster';
import { type Client, leaseMs, type Options } from './contender.js';

export async function connect(where: string, run: string, options: Options): Promise<Client<Lock>> {
  const group = await join(`${where}-${run}`, { leaseMs, ...options });
  return {
    acquire: (name) => group.lock(name),
    release: (lock) => lock.release(),
    fence: (lock) => lock.fence,
    close: () => group.leave(),
  };
}
