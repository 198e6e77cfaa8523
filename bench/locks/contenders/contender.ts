import { createRequire } from 'node:module';
import type { JoinOptions } from 'batonjs/cluster';

/** The connection of one process to the locks of one contender. `fence`, if there is one, is read under the lock and must rise. */
export interface Client<Held = unknown> {
  acquire(name: string): Promise<Held>;
  release(held: Held, name: string): unknown;
  fence?(held: Held): number;
  close(): Promise<void>;
}

/** `run` separates the locks of one run from those of others. */
export type Connect = (where: string, run: string, options: Options) => Promise<Client>;

/** Options for Baton only. */
export type Options = Pick<
  JoinOptions,
  'algorithm' | 'engine' | 'listen' | 'advertise' | 'secret' | 'unsafe'
>;

/** A hanging holder loses its lock after this time. All contenders with leases use the same. */
export const leaseMs = 5000;

/** Contenders that cannot wait for a lock retry after this time. Their defaults, of 100 ms and more, would make them slower. */
export const retryMs = { least: 5, most: 10 };

/** Loads a package from bench/packages/, where the benchmark installs the contenders. */
export const load: <T>(name: string) => T = createRequire(
  new URL('../../../../bench/packages/package.json', import.meta.url),
);
