// Opens the engine that a URL names, or that a function opens.
import { InputError } from '../../core/assert.ts';
import { suggest } from '../../core/did-you-mean.ts';
import { StoreEngine } from './remote/store-engine.ts';
import type { OpenStore, Store, StoreOptions } from './store.ts';

type OpenStoreAt = (address: string, options: StoreOptions) => Promise<Store>;

const etcd = async () => (await import('./remote/etcd.ts')).openEtcd;
const mysql = async () => (await import('./remote/mysql.ts')).openMysql;
const nats = async () => (await import('./remote/nats.ts')).openNats;
const postgresql = async () => (await import('./remote/postgres.ts')).openPostgres;
const redis = async () => (await import('./remote/redis.ts')).openRedis;

/** Loaded on demand, because their client packages are optional. */
const stores: Readonly<Record<string, () => Promise<OpenStoreAt>>> = {
  etcd,
  etcds: etcd,
  mariadb: mysql,
  mysql,
  nats,
  tls: nats,
  postgres: postgresql,
  postgresql,
  redis,
  rediss: redis,
};

export async function openEngine(engine: string | OpenStore, options: StoreOptions): Promise<StoreEngine> {
  const open = typeof engine === 'string' ? await storeAt(engine) : engine;
  return new StoreEngine(await open(options), options);
}

async function storeAt(address: string): Promise<OpenStore> {
  const scheme = /^([a-z]+):\/\//.exec(address)?.[1] ?? '';
  const load = stores[scheme];
  const known = Object.keys(stores);
  if (load === undefined)
    throw new InputError(
      `no engine is called '${scheme}'${suggest(scheme, known)}: addresses begin with ${known.join('://, ')}://`,
    );
  const open = await load();
  return (options) => open(address, options);
}
