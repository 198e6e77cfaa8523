// etcd as an engine. The view is one key, changed by a transaction. Each member has a key that is attached to a lease of etcd.
import { setTimeout as pause } from 'node:timers/promises';
import type { MemberId } from '../../../member/index.ts';
import { type EngineUrl, escapeKey, parseEngineUrl } from '../engine-url.ts';
import { operationTimeoutMs, type Store, type StoredRecord, type StoreOptions } from '../store.ts';
import { EtcdGateway, type EtcdTls, type JsonObject } from './etcd-gateway.ts';

export const defaultEtcdPort = 2379;
const firstPauseMs = 50;
const clockPrecisionMs = 999; // the gateway tells whole seconds, rounded down

export const openEtcd = async (address: string, options: StoreOptions): Promise<Store> =>
  openEtcdAt(parseEngineUrl(address, defaultEtcdPort), {}, options);

export async function openEtcdAt(address: EngineUrl, tls: EtcdTls, options: StoreOptions): Promise<Store> {
  const store = new EtcdStore(address, tls, options);
  try {
    await store.read();
    return store;
  } catch (error) {
    await store.close();
    throw error;
  }
}

class EtcdStore implements Store {
  readonly #gateway: EtcdGateway;
  readonly #viewKey: string;
  readonly #secretKey: string;
  readonly #leasePrefix: string;
  readonly #leaseMs: number;
  readonly #leases = new Map<MemberId, Promise<string>>(); // ids of leases in etcd
  readonly #closing = new AbortController();

  constructor(address: EngineUrl, tls: EtcdTls, { group, leaseMs }: StoreOptions) {
    const prefix = `baton/${escapeKey(group, '%')}/`;
    this.#gateway = new EtcdGateway(address, tls, operationTimeoutMs(leaseMs));
    this.#viewKey = `${prefix}view`;
    this.#secretKey = `${prefix}key`;
    this.#leasePrefix = `${prefix}leases/`;
    this.#leaseMs = leaseMs;
  }

  async read(): Promise<StoredRecord> {
    const { body, wallMs } = await this.#gateway.ask('/v3/kv/range', { key: base64(this.#viewKey) });
    const [kv] = kvsOf(body);
    return {
      text: kv === undefined ? null : textOf(kv.value),
      revision: String(kv?.mod_revision ?? 0),
      wallMs,
      precisionMs: clockPrecisionMs,
    };
  }

  async swap(before: StoredRecord, text: string): Promise<boolean> {
    const key = base64(this.#viewKey);
    const isSameRevision = { key, target: 'MOD', result: 'EQUAL', mod_revision: before.revision };
    const isSameText = { key, target: 'VALUE', result: 'EQUAL', value: base64(before.text ?? '') };
    const { body } = await this.#gateway.ask('/v3/kv/txn', {
      compare: before.text === null ? [isSameRevision] : [isSameRevision, isSameText], // a restored cluster counts revisions again
      success: [{ request_put: { key, value: base64(text) } }],
    });
    return body.succeeded === true;
  }

  watch(changed: () => void): void {
    void this.#follow(changed);
  }

  async keyOr(text: string): Promise<string> {
    const key = base64(this.#secretKey);
    const { body } = await this.#gateway.ask('/v3/kv/txn', {
      compare: [{ key, target: 'CREATE', result: 'EQUAL', create_revision: '0' }],
      success: [{ request_put: { key, value: base64(text) } }],
      failure: [{ request_range: { key } }],
    });
    if (body.succeeded === true) return text;
    const [found] = (body.responses ?? []) as readonly JsonObject[];
    return textOf(kvsOf((found?.response_range ?? {}) as JsonObject)[0]?.value);
  }

  /** The lease may last longer than `leaseMs`, because etcd counts in seconds and has a minimum. */
  async renew(id: MemberId): Promise<void> {
    const known = this.#leases.get(id);
    if (known !== undefined) {
      const lease = await known.catch(() => null);
      if (lease !== null && (await this.#isKeptAlive(lease))) return;
      if (this.#leases.get(id) === known) this.#leases.delete(id);
    }
    if (this.#leases.has(id)) return this.renew(id); // another call granted it, maybe before this one started
    const granted = this.#granted(id);
    this.#leases.set(id, granted);
    await granted;
  }

  async living(ids: readonly MemberId[]): Promise<readonly MemberId[]> {
    if (ids.length === 0) return [];
    const range =
      ids.length === 1
        ? { key: base64(this.#leasePrefix + ids[0]) }
        : { key: base64(this.#leasePrefix), range_end: base64(endOf(this.#leasePrefix)) };
    const { body } = await this.#gateway.ask('/v3/kv/range', { ...range, keys_only: true });
    const found = new Set(kvsOf(body).map(({ key }) => textOf(key).slice(this.#leasePrefix.length)));
    return ids.filter((id) => found.has(id));
  }

  /** Deletes the key only; the lease of etcd expires by itself. */
  async forget(id: MemberId): Promise<void> {
    this.#leases.delete(id);
    await this.#gateway.ask('/v3/kv/deleterange', { key: base64(this.#leasePrefix + id) });
  }

  async close(): Promise<void> {
    this.#closing.abort();
    this.#gateway.close();
  }

  async #granted(id: MemberId): Promise<string> {
    const { body } = await this.#gateway.ask('/v3/lease/grant', {
      TTL: Math.ceil(this.#leaseMs / 1000) || 1,
    });
    const lease = String(body.ID);
    await this.#gateway.ask('/v3/kv/put', { key: base64(this.#leasePrefix + id), value: '', lease });
    return lease;
  }

  /** Returns false if the lease no longer exists. */
  async #isKeptAlive(lease: string): Promise<boolean> {
    const { body } = await this.#gateway.ask('/v3/lease/keepalive', { ID: lease });
    return Number(body.TTL ?? 0) > 0;
  }

  /** Also calls `changed` when a stream starts, because changes before that may have been missed. */
  async #follow(changed: () => void): Promise<void> {
    const { signal } = this.#closing;
    const question = { create_request: { key: base64(this.#viewKey) } };
    for (let failures = 0; !signal.aborted; failures += 1) {
      const onResult = ({ canceled }: JsonObject) => {
        if (canceled === true) return false;
        failures = 0;
        changed();
        return true;
      };
      await this.#gateway.follow('/v3/watch', question, signal, onResult).catch(() => {}); // members also poll
      const pauseMs = Math.min(firstPauseMs * 2 ** failures, Math.max(this.#leaseMs / 2, firstPauseMs));
      await pause(pauseMs, null, { signal, ref: false }).catch(() => {});
    }
  }
}

const base64 = (text: string): string => Buffer.from(text).toString('base64');
const textOf = (value: unknown): string => Buffer.from(String(value ?? ''), 'base64').toString();
const kvsOf = ({ kvs }: JsonObject): readonly JsonObject[] => (kvs ?? []) as readonly JsonObject[];

/** Returns the first key after all keys with this prefix. */
const endOf = (prefix: string): string =>
  prefix.slice(0, -1) + String.fromCharCode(prefix.charCodeAt(prefix.length - 1) + 1);
