// NATS as an engine: keys of one JetStream bucket, changed by compare-and-set of their revision.
import { setTimeout as pause } from 'node:timers/promises';
import type { Bucket, KvEntry, Kvm, KvStatus } from '@nats-io/kv';
import type { NatsConnection } from '@nats-io/transport-node';
import { InputError } from '../../../core/assert.ts';
import type { MemberId } from '../../../member/index.ts';
import { unavailable } from '../../errors.ts';
import { type EngineUrl, escapeKey, hostText, parseEngineUrl } from '../engine-url.ts';
import { operationTimeoutMs, type Store, type StoredRecord, type StoreOptions } from '../store.ts';
import { loadNats, loadNatsKv } from './client-package.ts';
import { RevisionClock } from './revision-clock.ts';

const defaultPort = 4222;
const bucketName = 'baton';
const clockKey = 'clock';
const clockKeepsMs = 60_000;
const skewMs = 30_000; // bound on the clock skew between servers
const firstPauseMs = 50;

/** Error codes of JetStream. */
const streamNotFound = 10_059;
const wrongLastSequence = [10_071, 10_164];

export async function openNats(engine: string, options: StoreOptions): Promise<Store> {
  const [{ connect }, { Kvm }] = await Promise.all([loadNats(), loadNatsKv()]);
  const address = parseEngineUrl(engine, defaultPort);
  const hosts = address.hosts.map(hostText).join(', ');
  const connection = await connect(connectionOf(address, options)).catch((error) => {
    throw toUserError(error, hosts);
  });
  return openStoreOn({ connection, buckets: new Kvm(connection), hosts, isOwn: true }, options);
}

/** A connection, and what it has. */
export interface NatsSession {
  readonly connection: Pick<NatsConnection, 'status' | 'close'>;
  readonly buckets: Kvm;
  readonly hosts: string; // for messages
  readonly isOwn: boolean; // and is closed with the store
}

export async function openStoreOn(session: NatsSession, options: StoreOptions): Promise<Store> {
  const store = new NatsStore(session, options);
  try {
    await store.prepare();
    return store;
  } catch (error) {
    await store.close();
    throw error;
  }
}

/** The client reconnects forever, also to other servers of the cluster, and detects dead connections soon. */
const connectionOf = ({ scheme, user, password, hosts }: EngineUrl, { leaseMs }: StoreOptions) => ({
  servers: hosts.map(hostText),
  ...(user === null ? {} : password === null ? { token: user } : { user, pass: password }),
  ...(scheme === 'tls' ? { tls: {} } : {}),
  timeout: operationTimeoutMs(leaseMs),
  pingInterval: operationTimeoutMs(leaseMs),
  maxPingOut: 2,
  reconnectDelayHandler: monotonicDelay(operationTimeoutMs(leaseMs) / 5),
  maxReconnectAttempts: -1,
  ignoreAuthErrorAbort: true,
});

/**
 * Tells the client how long to wait between two attempts to connect. The client measures that by the wall clock: if the clock was set back by a
 * minute, it would wait for a minute. So once the delay is over by the monotonic clock, it is told that no delay is left, whatever its clock shows.
 */
function monotonicDelay(delayMs: number): () => number {
  let attemptedAt = -Infinity;
  return () => {
    const now = performance.now();
    if (now < attemptedAt + 0.9 * delayMs) return delayMs; // timers may fire early
    attemptedAt = now;
    return -Infinity;
  };
}

class NatsStore implements Store {
  readonly #session: NatsSession;
  readonly #buckets: Kvm;
  readonly #hosts: string;
  readonly #options: StoreOptions;
  readonly #viewKey: string;
  readonly #secretKey: string;
  readonly #leasePrefix: string;
  readonly #revisionClock: RevisionClock; // one sequence of revisions for all keys of the bucket
  readonly #closing = new AbortController();
  #bucket: Bucket | null = null;
  #clock: { readonly wallMs: number; readonly at: number } | null = null;
  #isDisconnected = false;
  #resets = 0; // of the clock: revisions from before the last one may belong to data that was lost
  #endWatch = () => {};

  constructor(session: NatsSession, options: StoreOptions) {
    const group = escapeKey(options.group, '=');
    this.#session = session;
    this.#buckets = session.buckets;
    this.#hosts = session.hosts;
    this.#options = options;
    this.#viewKey = `view.${group}`;
    this.#secretKey = `key.${group}`;
    this.#leasePrefix = `lease.${group}.`;
    this.#revisionClock = new RevisionClock(options.leaseMs);
    void this.#watchConnection();
  }

  /** Refuses a bucket that may lose acknowledged writes, unless `unsafe` is set. */
  async prepare(): Promise<void> {
    const { storage, ttl } = (await this.#within(this.#status())) ?? { storage: 'file', ttl: 0 };
    const { unsafe } = this.#options;
    if (ttl > 0)
      throw new InputError(
        `bucket '${bucketName}' of NATS at ${this.#hosts} forgets what is older than ${ttl} ms: create it without a ttl`,
      );
    if (storage === 'memory' && !unsafe)
      throw new InputError(
        `bucket '${bucketName}' of NATS at ${this.#hosts} is in memory and does not outlive its server: create it with file storage, or join with unsafe`,
      );
    if (!unsafe)
      throw new InputError(
        `NATS at ${this.#hosts} may forget what it has acknowledged when its machine crashes, unless jetstream { sync_interval: always } is set there, which a client cannot see: set it, and join with unsafe`,
      );
    await this.read();
  }

  async read(): Promise<StoredRecord> {
    const resets = this.#resets;
    const entry = await this.#get(this.#viewKey);
    const text = entry?.operation === 'PUT' ? entry.string() : null;
    if (text === null) this.#clock = null; // an estimate may be behind the time at which a lost view was created
    const revision = `${resets}.${entry?.revision ?? 0}`;
    return { text, revision, wallMs: await this.#wallMs(), precisionMs: 0 };
  }

  /** A bucket that was lost or restored counts revisions again: another record may have the revision of `before`. */
  async swap({ revision }: StoredRecord, text: string): Promise<boolean> {
    const [resets, sequence] = revision.split('.');
    if (Number(resets) !== this.#resets) return false;
    return this.#putAfter(Number(sequence), this.#viewKey, text);
  }

  async keyOr(key: string): Promise<string> {
    for (;;) {
      const entry = await this.#get(this.#secretKey);
      if (entry?.operation === 'PUT') return entry.string();
      if (await this.#putAfter(entry?.revision ?? 0, this.#secretKey, key)) return key;
    }
  }

  watch(changed: () => void): void {
    void this.#follow(changed);
  }

  async renew(id: MemberId): Promise<void> {
    await this.#put(this.#leasePrefix + id, String(this.#options.leaseMs));
  }

  /**
   * A lease has expired if the bucket reached a revision at least as high as the lease's, one lease duration ago by our monotonic clock. The
   * entry stores its own duration. Entries older than any clock skew are judged by the timestamps of the servers.
   */
  async living(ids: readonly MemberId[]): Promise<readonly MemberId[]> {
    const entries = await Promise.all(ids.map((id) => this.#get(this.#leasePrefix + id)));
    const wallMs = await this.#wallMs();
    return ids.filter((_, i) => {
      const entry = entries[i]!;
      if (entry?.operation !== 'PUT') return false;
      const durationMs = Number(entry.string()) || this.#options.leaseMs;
      const isLongAgo = entry.created.getTime() < wallMs - durationMs - skewMs;
      const isOver = isLongAgo || entry.revision <= this.#revisionClock.reachedBefore(durationMs);
      if (isOver) void this.#remove(entry.key, entry.revision).catch(() => {}); // a dead member cannot remove it
      return !isOver;
    });
  }

  forget(id: MemberId): Promise<void> {
    return this.#remove(this.#leasePrefix + id);
  }

  async close(): Promise<void> {
    this.#closing.abort();
    this.#endWatch();
    if (this.#session.isOwn) await this.#session.connection.close();
  }

  /** Reads from the leader of the stream. Direct gets, the default of the client, may be answered by stale replicas. */
  async #get(key: string): Promise<KvEntry | null> {
    const entry = await this.#ask((bucket) => bucket.get(key));
    if (entry !== null) this.#revisionClock.observe(entry.revision);
    return entry;
  }

  async #put(key: string, text: string, options: { previousSeq?: number } = {}): Promise<void> {
    const { highest } = this.#revisionClock;
    const revision = await this.#ask((bucket) => bucket.put(key, text, options));
    if (revision <= highest) this.#resetClock();
    this.#revisionClock.observe(revision);
  }

  /** Returns false if the key no longer has this revision. */
  async #putAfter(previousSeq: number, key: string, text: string): Promise<boolean> {
    try {
      await this.#put(key, text, { previousSeq });
      return true;
    } catch (error) {
      if (wrongLastSequence.includes(codeOf(error))) return false;
      throw error;
    }
  }

  /** Removes a key without a delete marker, but not a value stored after `revision`. */
  async #remove(key: string, revision?: number): Promise<void> {
    const filter = `$KV.${bucketName}.${key}`;
    await this.#ask((bucket) =>
      bucket.purgeBucket(revision === undefined ? { filter } : { filter, seq: revision + 1 }),
    );
  }

  /** Returns the time of the servers: stores a message and reads back its timestamp. It may be slightly behind, never ahead. */
  async #wallMs(): Promise<number> {
    let clock = this.#clock;
    if (clock === null || performance.now() - clock.at > clockKeepsMs) {
      await this.#put(clockKey, '');
      const entry = await this.#get(clockKey);
      if (entry === null) throw unavailable(`NATS at ${this.#hosts} has lost what was just stored`);
      clock = { wallMs: entry.created.getTime(), at: performance.now() };
      this.#clock = clock;
    }
    return clock.wallMs + performance.now() - clock.at;
  }

  /** Runs an operation on the bucket. Creates the bucket if it is missing. */
  async #ask<T>(work: (bucket: Bucket) => Promise<T>): Promise<T> {
    if (this.#isDisconnected) throw unavailable(`NATS cannot be reached at ${this.#hosts}`);
    const asked = async (): Promise<T> => {
      try {
        if (this.#bucket !== null) return await work(this.#bucket);
      } catch (error) {
        if (!isMissing(error)) throw error;
      }
      if (this.#bucket !== null) this.#resetClock();
      this.#bucket = (await this.#buckets.create(bucketName, { history: 1, allow_direct: false })) as Bucket;
      return work(this.#bucket);
    };
    return this.#within(asked());
  }

  async #within<T>(work: Promise<T>): Promise<T> {
    const limitMs = operationTimeoutMs(this.#options.leaseMs);
    let timer: NodeJS.Timeout | undefined;
    const late = new Promise<never>((_, reject) => {
      timer = setTimeout(() => reject(new Error(`no answer for ${Math.ceil(limitMs)} ms`)), limitMs);
    });
    try {
      return await Promise.race([work, late]);
    } catch (error) {
      throw toUserError(error, this.#hosts);
    } finally {
      clearTimeout(timer);
    }
  }

  /** Returns null if the bucket does not exist. */
  async #status(): Promise<KvStatus | null> {
    try {
      const bucket = await this.#buckets.open(bucketName);
      return await bucket.status();
    } catch (error) {
      if (codeOf(error) === streamNotFound) return null;
      throw error;
    }
  }

  /** Follows disconnects and reconnects. */
  async #watchConnection(): Promise<void> {
    for await (const { type } of this.#session.connection.status()) {
      if (this.#closing.signal.aborted) return;
      if (type !== 'disconnect' && type !== 'reconnect') continue;
      this.#isDisconnected = type === 'disconnect';
      this.#resetClock();
    }
  }

  /** The bucket may have lost data or gone back in time. Clearing the clock gives other members time to renew their leases. */
  #resetClock(): void {
    this.#resets += 1;
    this.#revisionClock.clear();
    this.#clock = null;
    this.#endWatch();
  }

  /** Also calls `changed` when a watch starts, because changes before that may have been missed. */
  async #follow(changed: () => void): Promise<void> {
    const { signal } = this.#closing;
    for (let failures = 0; !signal.aborted; failures += 1) {
      try {
        if (this.#bucket === null || this.#isDisconnected) await this.read();
        const updates = await this.#bucket!.watch({
          ...{ key: this.#viewKey, include: 'updates', headers_only: true },
        });
        this.#endWatch = () => updates.stop();
        failures = 0;
        changed();
        for await (const _ of updates) changed();
      } catch {
        // members also poll
      }
      const pauseMs = Math.min(firstPauseMs * 2 ** failures, operationTimeoutMs(this.#options.leaseMs));
      await pause(pauseMs, null, { signal, ref: false }).catch(() => {});
    }
  }
}

const codeOf = (error: unknown): number => (error as { code?: number }).code ?? 0;
const nameOf = (error: unknown): string => (error as Error).name;

const isMissing = (error: unknown): boolean =>
  codeOf(error) === streamNotFound || nameOf(error) === 'JetStreamNotEnabled'; // no stream answers for the keys

function toUserError(error: unknown, hosts: string): unknown {
  const name = nameOf(error);
  const { message } = error as Error;
  const code = codeOf(error);
  if (wrongLastSequence.includes(code)) return error;
  if (code >= 10_000) return unavailable(`NATS at ${hosts} says: ${message}`);
  if (name === 'AuthorizationError')
    return new InputError(`NATS at ${hosts} refuses this user, password or token`);
  if (name === 'PermissionViolationError')
    return new InputError(
      `NATS at ${hosts} does not let this user do all that bucket '${bucketName}' needs: ${message}`,
    );
  if (name === 'JetStreamNotEnabled')
    return new InputError(`NATS at ${hosts} has no JetStream: start nats-server with --jetstream`);
  return unavailable(`NATS cannot be reached at ${hosts}: ${message}`);
}
