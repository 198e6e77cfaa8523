// Opens the engine that a URL names.
import { InputError } from '../../core/assert.ts';
import { suggest } from '../../core/did-you-mean.ts';
import { type Store, StoreEngine, type StoreOptions } from './remote/store-engine.ts';

const etcd = async () => (await import('./remote/etcd.ts')).openEtcd;
const nats = async () => (await import('./remote/nats.ts')).openNats;
const postgresql = async () => (await import('./remote/postgres.ts')).openPostgres;
const redis = async () => (await import('./remote/redis.ts')).openRedis;

/** Loaded on demand, because their client packages are optional. */
const stores: Readonly<Record<string, () => Promise<(options: StoreOptions) => Promise<Store>>>> = {
  etcd,
  etcds: etcd,
  nats,
  tls: nats,
  postgres: postgresql,
  postgresql,
  redis,
  rediss: redis,
};

export async function openEngine(options: StoreOptions): Promise<StoreEngine> {
  const { address } = options;
  const scheme = /^([a-z]+):\/\//.exec(address)?.[1] ?? '';
  const load = stores[scheme];
  const known = Object.keys(stores);
  if (load === undefined)
    throw new InputError(
      `no engine is called '${scheme}'${suggest(scheme, known)}: addresses begin with ${known.join('://, ')}://`,
    );
  const open = await load();
  return new StoreEngine(await open(options), options);
}
