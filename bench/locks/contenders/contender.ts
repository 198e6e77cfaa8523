import { createRequire } from 'node:module';
import type { JoinOptions } from 'batonjs/cluster';

/** One process's way to the locks of one contender. `fence`, where there is one, is read under the lock and must rise. */
export interface Client<Held = unknown> {
  acquire(name: string): Promise<Held>;
  release(held: Held, name: string): unknown;
  fence?(held: Held): number;
  close(): Promise<void>;
}

/** `run` keeps the locks of one run apart from those of others. */
export type Connect = (where: string, run: string, options: Options) => Promise<Client>;

/** For ours only. */
export type Options = Pick<
  JoinOptions,
  'algorithm' | 'engine' | 'listen' | 'advertise' | 'secret' | 'unsafe'
>;

/** After which a hanging holder loses its lock, for those who have such a thing: the same for all. */
export const leaseMs = 5000;

/** Those who cannot wait for a lock try again after so long; their defaults, of 100 ms and more, would make them slower. */
export const retryMs = { least: 5, most: 10 };

/** From bench/packages/, where the bench installs what it compares with. */
export const load: <T>(name: string) => T = createRequire(
  new URL('../../../../bench/packages/package.json', import.meta.url),
);
