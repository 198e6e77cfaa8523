import { InputError } from '../../../core/assert.ts';
import { lastEpoch, type MemberId, type Peer, type View } from '../../../member/index.ts';
import { unavailable } from '../../errors.ts';
import type { Engine } from '../engine.ts';
import { epochAt, parseRecord, serializeView } from '../view-record.ts';

/** A database as storage of one group: one record that is changed by compare-and-set, and leases. */
export interface Store {
  /** Returns the newest record, never a stale one, whichever replica answers. */
  read(): Promise<StoredRecord>;
  /** Stores the text durably if the record is still `before`. Returns false if it is not. */
  swap(before: StoredRecord, text: string): Promise<boolean>;
  /** Calls `changed` whenever the record may have changed, and after a time in which changes may have been missed. */
  watch(changed: () => void): void;
  /** Extends a member's lease to `leaseMs` from now, counted by the database. */
  renew(id: MemberId): Promise<void>;
  /** Returns the ids that have a lease. */
  living(ids: readonly MemberId[]): Promise<readonly MemberId[]>;
  forget(id: MemberId): Promise<void>;
  close(): Promise<void>;
}

export interface StoredRecord {
  readonly text: string | null; // null: no record
  readonly revision: string; // changes with every write, even of the same text
  readonly wallMs: number; // by the clock of the database
}

/** The options of every kind of store. */
export interface StoreOptions {
  readonly address: string; // a URL, for some stores with several hosts
  readonly group: string;
  readonly leaseMs: number;
  readonly unsafe: boolean; // accepts a database that may lose acknowledged writes
  readonly warn: (sentence: string) => void;
}

/** The time limit of one operation of a store. It leaves a member time to retry within its lease. */
export const operationTimeoutMs = (leaseMs: number): number => Math.min(Math.max(leaseMs / 3, 250), 5000);

/** An engine for several machines, on top of a store. */
export class StoreEngine implements Engine {
  readonly #store: Store;
  readonly #group: string;
  readonly #warn: (sentence: string) => void;
  #highest = -1; // highest epoch seen by this process
  #isWarned = false;
  #reportedEpoch = -1;
  #changed: (view: View) => void = () => {};
  #isReading = false;
  #isStale = false;
  #isClosed = false;

  constructor(store: Store, { group, warn }: Pick<StoreOptions, 'group' | 'warn'>) {
    this.#store = store;
    this.#group = group;
    this.#warn = warn;
  }

  async read(): Promise<View | null> {
    return this.#viewIn(await this.#store.read());
  }

  async change(after: View | null, algorithm: string, members: readonly Peer[]): Promise<View> {
    for (;;) {
      const before = await this.#store.read();
      const newest = this.#viewIn(before);
      if (newest !== null && newest.epoch !== after?.epoch) return newest;
      if (newest === null && after !== null) throw unavailable(`the view of group '${this.#group}' is gone`);
      const epoch = Math.max(this.#highest + 1, epochAt(before.wallMs));
      if (epoch > lastEpoch) throw new InputError(`group '${this.#group}' has come to its last epoch`);
      const view: View = { epoch, algorithm, members };
      if (!(await this.#store.swap(before, serializeView(view)))) continue;
      this.#highest = Math.max(this.#highest, epoch);
      return view;
    }
  }

  watch(changed: (view: View) => void): void {
    this.#changed = changed;
    this.#store.watch(() => this.#readAndReport());
  }

  renew(id: MemberId): Promise<void> {
    return this.#store.renew(id);
  }

  async expired(members: readonly Peer[]): Promise<readonly MemberId[]> {
    const ids = members.map(({ id }) => id);
    const living = new Set(await this.#store.living(ids));
    return ids.filter((id) => !living.has(id));
  }

  forget(id: MemberId): Promise<void> {
    return this.#store.forget(id);
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    await this.#store.close();
  }

  #viewIn({ text }: StoredRecord): View | null {
    const reading = text === null ? null : parseRecord(text);
    if (reading?.is === 'of another version')
      throw new InputError(
        `group '${this.#group}' was last changed by a newer version of batonjs: install that one here, too`,
      );
    if (reading?.is === 'damaged' && !this.#isWarned)
      this.#warn(`what is stored for group '${this.#group}' is not a view: it is passed over`);
    this.#isWarned = reading?.is === 'damaged';
    if (reading?.is !== 'view') return null;
    this.#highest = Math.max(this.#highest, reading.view.epoch);
    return reading.view;
  }

  /** Runs once at a time. A call during a run makes it run once more. */
  async #readAndReport(): Promise<void> {
    if (this.#isReading || this.#isClosed) {
      this.#isStale = true;
      return;
    }
    this.#isReading = true;
    this.#isStale = false;
    const view = await this.read().catch(() => null); // members also poll, and report errors
    this.#isReading = false;
    if (view !== null && view.epoch > this.#reportedEpoch && !this.#isClosed) {
      this.#reportedEpoch = view.epoch;
      this.#changed(view);
    }
    if (this.#isStale && !this.#isClosed) void this.#readAndReport();
  }
}
