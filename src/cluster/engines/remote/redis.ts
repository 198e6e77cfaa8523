// Redis as an engine. Its scripts are atomic, which gives compare-and-set. https://redis.io/docs/latest/
import { createHash, randomUUID } from 'node:crypto';
import { InputError } from '../../../core/assert.ts';
import type { MemberId } from '../../../member/index.ts';
import { unavailable } from '../../errors.ts';
import { escapeKey } from '../engine-url.ts';
import type { Store, StoredRecord, StoreOptions } from '../store.ts';
import {
  type ClientConnection,
  NotificationConnection,
  prepared,
  QueryConnection,
  type QueryConnectionOptions,
} from './client-connections.ts';
import { loadRedis } from './client-package.ts';

const opensWithinMs = 10_000;

interface RedisScript {
  readonly text: string;
  readonly hash: string;
}

const script = (text: string): RedisScript => ({ text, hash: createHash('sha1').update(text).digest('hex') });

// A replica may be stale. It refuses to delete any key, even one that does not exist.
const refuseReplicas = `redis.call('DEL', KEYS[1])`;

const read = script(`${refuseReplicas}
local stored = redis.call('HMGET', KEYS[2], 'revision', 'record')
local time = redis.call('TIME')
return { stored[1], stored[2], time[1], time[2] }`);

// pcall: a user without the permission to publish can still change the view.
const swap = script(`if (redis.call('HGET', KEYS[1], 'revision') or '') ~= ARGV[1] then return 0 end
redis.call('HSET', KEYS[1], 'revision', ARGV[2], 'record', ARGV[3])
redis.pcall('PUBLISH', ARGV[4], '')
return 1`);

const keyOr = script(`redis.call('SET', KEYS[1], ARGV[1], 'NX')
return redis.call('GET', KEYS[1])`);

const living = script(`${refuseReplicas}
local there = {}
for i = 2, #KEYS do there[i - 1] = redis.call('EXISTS', KEYS[i]) end
return there`);

/** What this engine uses of a client package: one connection. */
export interface RedisLink {
  /** Also tells `lost` when the connection ends. */
  connect(lost: () => void): Promise<unknown>;
  command(words: string[]): Promise<unknown>;
  subscribe(channel: string, heard: () => void): Promise<unknown>;
  /** Ends the connection at once, also while it is being opened. */
  destroy(): void;
}

/** The server as error messages name it, without the password. */
interface RedisServer {
  readonly server: string;
  readonly unsafe: boolean;
}

export async function openRedis(address: string, options: StoreOptions): Promise<Store> {
  const { createClient } = await loadRedis();
  let server: string;
  try {
    createClient({ url: address });
    server = `Redis at ${new URL(address).host || 'localhost'}`;
  } catch {
    throw new InputError('the address of Redis cannot be read: write redis://user:password@host:6379/0');
  }
  const create = (settings: NodeRedisSettings) => createClient({ url: address, ...settings });
  return openStoreWith(options, server, () => nodeRedisClient(create));
}

/** The settings that this engine needs, whatever else is set. */
interface NodeRedisSettings {
  readonly RESP: 2;
  readonly disableOfflineQueue: true;
  readonly socket: { readonly reconnectStrategy: false; readonly signal: AbortSignal };
}

/** What this engine uses of a client of the package redis. */
interface NodeRedisConnection {
  on(event: 'error' | 'end', listener: () => void): unknown;
  connect(): Promise<unknown>;
  sendCommand(words: string[]): Promise<unknown>;
  subscribe(channel: string, heard: () => void): Promise<unknown>;
  destroy(): void;
}

export function nodeRedisClient(create: (settings: NodeRedisSettings) => NodeRedisConnection): RedisLink {
  const ended = new AbortController();
  const socket = { reconnectStrategy: false, signal: ended.signal } as const;
  const client = create({ RESP: 2, disableOfflineQueue: true, socket });
  return {
    connect(lost) {
      client.on('error', lost);
      client.on('end', lost);
      return client.connect();
    },
    command: (words) => client.sendCommand(words),
    subscribe: (channel, heard) => client.subscribe(channel, heard),
    destroy() {
      if (ended.signal.aborted) return;
      try {
        client.destroy();
      } catch {
        // already closed
      }
      ended.abort(); // also destroys a socket that is still connecting
    },
  };
}

/** Opens a store whose connections are those of `newClient`. */
export async function openStoreWith(
  options: StoreOptions,
  server: string,
  newClient: () => RedisLink,
): Promise<Store> {
  const config = { server, unsafe: options.unsafe };
  const connect = (lost: () => void) => new RedisConnection(newClient(), config, lost);
  return prepared(new RedisStore(options, server, connect), (store) => store.prepare());
}

class RedisConnection implements ClientConnection {
  readonly #client: RedisLink;
  readonly #config: RedisServer;
  readonly #lost: () => void;

  constructor(client: RedisLink, config: RedisServer, lost: () => void) {
    this.#client = client;
    this.#config = config;
    this.#lost = lost;
  }

  /** Also checks that the server is a durable primary: after a failover it may be another server. */
  async start(): Promise<void> {
    await this.#explained(() => this.#client.connect(this.#lost));
    await this.#assertDurablePrimary();
  }

  command(...args: string[]): Promise<unknown> {
    return this.#explained(() => this.#client.command(args));
  }

  async run(
    { text, hash }: RedisScript,
    keys: readonly string[],
    args: readonly string[] = [],
  ): Promise<unknown> {
    const rest = [String(keys.length), ...keys, ...args];
    try {
      return await this.command('EVALSHA', hash, ...rest);
    } catch (error) {
      if (!hasCauseCode(error, 'NOSCRIPT')) throw error;
      return this.command('EVAL', text, ...rest);
    }
  }

  async listen(channel: string, heard: () => void): Promise<void> {
    await this.#explained(() => this.#client.subscribe(channel, heard));
  }

  end(): void {
    this.#client.destroy();
  }

  async #assertDurablePrimary(): Promise<void> {
    const { server, unsafe } = this.#config;
    const info = infoIn(String(await this.command('INFO')));
    if (info.role === 'slave') throw replica(server);
    if (unsafe) return;
    const flaws = [];
    if (info.aof_enabled !== '1') flaws.push('appendonly is not yes');
    else flaws.push(await this.#configFlaw('appendfsync', 'always'));
    flaws.push(await this.#configFlaw('no-appendfsync-on-rewrite', 'no'));
    if (info.maxmemory !== '0' && info.maxmemory_policy !== 'noeviction')
      flaws.push(`maxmemory-policy is ${info.maxmemory_policy}, which may remove our keys`);
    const found = flaws.filter((flaw) => flaw !== null);
    if (found.length > 0)
      throw new InputError(
        `${server} may forget what it has acknowledged: ${found.join(', ')}. Configure it so that that is not so, or join with { unsafe: true }`,
      );
  }

  async #configFlaw(name: string, wanted: string): Promise<string | null> {
    try {
      const [, value] = (await this.command('CONFIG', 'GET', name)) as string[];
      return value === wanted ? null : `${name} is ${value ?? 'unknown'}, not ${wanted}`;
    } catch (error) {
      if (!(error instanceof InputError) && !hasCauseCode(error, 'ERR')) throw error;
      return `whether ${name} is ${wanted} cannot be seen, as CONFIG is forbidden`;
    }
  }

  async #explained<T>(work: () => Promise<T>): Promise<T> {
    try {
      return await work();
    } catch (error) {
      throw toUserError(error, this.#config.server);
    }
  }
}

class RedisStore implements Store {
  readonly #leaseMs: number;
  readonly #connect: QueryConnectionOptions<RedisConnection>['connect'];
  readonly #queries: QueryConnection<RedisConnection>;
  readonly #prefix: string;
  #notifications: NotificationConnection<RedisConnection> | null = null;

  constructor(
    { group, leaseMs }: StoreOptions,
    server: string,
    connect: QueryConnectionOptions<RedisConnection>['connect'],
  ) {
    this.#leaseMs = leaseMs;
    this.#connect = connect;
    this.#queries = new QueryConnection({ server, connect, leaseMs });
    this.#prefix = `baton:{${escapeKey(group, '%')}}:`; // the hash tag in braces keeps all keys in one slot
  }

  get #view(): string {
    return `${this.#prefix}view`;
  }

  get #nothing(): string {
    return `${this.#prefix}nothing`;
  }

  #lease(id: MemberId): string {
    return `${this.#prefix}lease:${id}`;
  }

  async prepare(): Promise<void> {
    await this.#queries.ask((connection) => connection.command('PING'), opensWithinMs);
  }

  async read(): Promise<StoredRecord> {
    const stored = await this.#queries.ask((connection) => connection.run(read, [this.#nothing, this.#view]));
    const [revision, text, seconds, microseconds] = stored as [string | null, string | null, string, string];
    const wallMs = Number(seconds) * 1000 + Number(microseconds) / 1000;
    return { text, revision: revision ?? '', wallMs, precisionMs: 0 };
  }

  async swap({ revision }: StoredRecord, text: string): Promise<boolean> {
    const values = [revision, randomUUID(), text, this.#view];
    return (await this.#queries.ask((connection) => connection.run(swap, [this.#view], values))) === 1;
  }

  watch(changed: () => void): void {
    this.#notifications = new NotificationConnection(
      this.#connect,
      (connection) => connection.listen(this.#view, changed),
      changed,
    );
  }

  async keyOr(key: string): Promise<string> {
    const keys = [`${this.#prefix}key`];
    return String(await this.#queries.ask((connection) => connection.run(keyOr, keys, [key])));
  }

  async renew(id: MemberId): Promise<void> {
    const durationMs = String(Math.round(this.#leaseMs));
    await this.#queries.ask((connection) => connection.command('SET', this.#lease(id), '', 'PX', durationMs));
  }

  async living(ids: readonly MemberId[]): Promise<readonly MemberId[]> {
    const keys = [this.#nothing, ...ids.map((id) => this.#lease(id))];
    const there = (await this.#queries.ask((connection) => connection.run(living, keys))) as number[];
    return ids.filter((_, i) => there[i] === 1);
  }

  async forget(id: MemberId): Promise<void> {
    await this.#queries.ask((connection) => connection.command('DEL', this.#lease(id)));
  }

  async close(): Promise<void> {
    this.#notifications?.close();
    this.#queries.close();
  }
}

const infoIn = (text: string): Readonly<Record<string, string>> =>
  Object.fromEntries([...text.matchAll(/^(\w+):(.*?)\r?$/gm)].map(([, name, value]) => [name, value]));

const hasCauseCode = (error: unknown, code: string): boolean =>
  ((error as Error).cause as Error | undefined)?.message.startsWith(`${code} `) ?? false;

const replica = (server: string) =>
  new InputError(`${server} is a replica, which may not be written: give the address of its master`);

const refusals = ['WRONGPASS', 'NOAUTH', 'NOPERM', 'ERR invalid password', 'ERR AUTH', 'ERR DB index'];

/** Converts an error of the client to a sentence, with the error as its cause. */
function toUserError(error: unknown, server: string): Error {
  const { message } = error as Error;
  const code = (error as NodeJS.ErrnoException).code ?? (error as Error).name;
  if (message.startsWith('READONLY')) return replica(server);
  if (refusals.some((refusal) => message.startsWith(refusal)))
    return new InputError(`${server} refuses us: ${message}`, { cause: error });
  if (message.startsWith('MOVED'))
    return new InputError(
      `${server} is part of a cluster and has this group elsewhere: use a Redis that is none`,
    );
  return unavailable(`${server} fails: ${message || code}`, error);
}
