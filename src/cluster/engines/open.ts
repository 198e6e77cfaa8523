// Which engine an address asks for.
import { InputError } from '../../core/assert.ts';
import { suggest } from '../../core/nearest.ts';
import { type Store, StoredEngine, type StoreOptions } from './store.ts';

const etcd = async () => (await import('./etcd.ts')).openEtcd;
const nats = async () => (await import('./nats.ts')).openNats;
const postgresql = async () => (await import('./postgres.ts')).openPostgres;
const redis = async () => (await import('./redis.ts')).openRedis;

/** Loaded only when they are asked for: their client packages are not everybody's. */
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

export async function openEngine(options: StoreOptions): Promise<StoredEngine> {
  const { address } = options;
  const scheme = /^([a-z]+):\/\//.exec(address)?.[1] ?? '';
  const load = stores[scheme];
  const known = Object.keys(stores);
  if (load === undefined)
    throw new InputError(
      `no engine is called '${scheme}'${suggest(scheme, known)}: addresses begin with ${known.join('://, ')}://`,
    );
  const open = await load();
  return new StoredEngine(await open(options), options);
}

/** The client package, which is the user's to install. */
export async function clientOf<T>(name: string, load: () => Promise<T>): Promise<T> {
  try {
    return await load();
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    if (code !== 'ERR_MODULE_NOT_FOUND' || !message.includes(`'${name}'`)) throw error;
    throw new InputError(`this engine needs the package ${name}: npm install ${name}`);
  }
}
