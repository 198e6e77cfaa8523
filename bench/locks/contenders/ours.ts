import type { join as Join, Lock } from 'batonjs/cluster';
import { load } from '../../against/works.js';
import { type Client, leaseMs, type Options } from './contender.js';

const { BENCH_DIST: dist } = process.env; // the compiled code of another commit
/** `join` of the commit that is measured. */
export const join =
  dist === undefined
    ? (await import('batonjs/cluster')).join
    : await load<typeof Join>(dist, 'cluster', 'join');

export async function connect(where: string, run: string, options: Options): Promise<Client<Lock>> {
  const group = await join(`${where}-${run}`, { leaseMs, ...options });
  return {
    acquire: (name) => group.lock(name),
    release: (lock) => lock.release(),
    fence: (lock) => lock.fence,
    close: () => group.leave(),
  };
}
