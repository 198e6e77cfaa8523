// What a database does for a group: it keeps one record, which is changed by compare-and-set, a key, and the leases of the members.
import type { MemberId } from '../../member/index.ts';

/**
 * The storage of one group in a database. Implement it to use a database of your own as the engine, see
 * [an engine of your own](docs/engines/your-own.md). Locks never touch it.
 *
 * A method that rejects is called again later. An error that no later call can mend is a {@link BatonError} with the code `input`.
 *
 * @example
 * import type { Store, StoreOptions } from 'batonjs';
 *
 * export async function openTable({ group, leaseMs }: StoreOptions): Promise<Store> {
 *   throw new Error(`a store for group ${group}, with leases of ${leaseMs} ms`);
 * }
 */
export interface Store {
  /** Returns the newest record, never a stale one, whichever replica answers. */
  read(): Promise<StoredRecord>;
  /** Stores the text durably if the record is still `before`. Returns false if it is not. */
  swap(before: StoredRecord, text: string): Promise<boolean>;
  /**
   * Calls `changed` whenever the record may have changed, and after a time in which changes may have been missed. May do nothing: members
   * also read the record five times in a lease.
   */
  watch(changed: () => void): void;
  /** Returns the key of the group. Stores `key` durably if no key is stored. Concurrent calls return the same key. */
  keyOr(key: string): Promise<string>;
  /** Extends the lease of a member to `leaseMs` from now, counted by the database. */
  renew(id: MemberId): Promise<void>;
  /** Returns those of the ids that have a lease. A lease that was renewed less than `leaseMs` ago is never missing. */
  living(ids: readonly MemberId[]): Promise<readonly MemberId[]>;
  /** Ends the lease of a member. */
  forget(id: MemberId): Promise<void>;
  /** Ends what the store has opened. */
  close(): Promise<void>;
}

/** The record of a group, as a {@link Store} reads it. */
export interface StoredRecord {
  /** The text that was stored last; null if there is no record. */
  readonly text: string | null;
  /** Changes with every write, even of the same text, and is never used again, even after the record was lost. */
  readonly revision: string;
  /** The time by the clock of the database, in milliseconds since 1970. If there is no record, read after that was found. */
  readonly wallMs: number;
  /** The clock of the database showed at most this much more than `wallMs`, in milliseconds. */
  readonly precisionMs: number;
}

/** What a {@link Store} is opened with. */
export interface StoreOptions {
  /** The name of the group: up to 200 characters of any kind, no control characters. */
  readonly group: string;
  /** How long a lease lasts, in milliseconds. */
  readonly leaseMs: number;
  /** Whether to accept a database that may lose acknowledged writes. A store refuses such a database otherwise. */
  readonly unsafe: boolean;
  /** Emits a warning of the process. */
  readonly warn: (sentence: string) => void;
}

/**
 * Opens the store of a group. `postgres(pool)`, `mysql(pool)`, `redis(client)` and the like return such a function, and so can you. It is called once for
 * each `join` and each inspection.
 *
 * @throws {BatonError} `unavailable` when the database cannot be reached, `input` when it cannot be used.
 */
export type OpenStore = (options: StoreOptions) => Promise<Store>;

/** The time limit of one operation of a store. It leaves a member time to retry within its lease. */
export const operationTimeoutMs = (leaseMs: number): number => Math.min(Math.max(leaseMs / 3, 250), 5000);
