import { InputError } from '../../../core/assert.ts';
import { lastEpoch, type MemberId, type Peer, type View } from '../../../member/index.ts';
import { unavailable } from '../../errors.ts';
import type { Engine } from '../engine.ts';
import { epochAt, parseRecord, serializeView } from '../view-record.ts';

/** What is asked of a database for one group: one record that is changed by compare-and-set, and leases. */
export interface Store {
  /** What was stored last: never anything older, whichever replica answers. */
  read(): Promise<StoredRecord>;
  /** Stores this text for good before it answers, if what is stored is still that; false: it is not. */
  swap(before: StoredRecord, text: string): Promise<boolean>;
  /** Tells whenever the record may have changed, and when that may have been missed. */
  watch(changed: () => void): void;
  /** From now on this member's lease lasts as long as was said, counted by the database. */
  renew(id: MemberId): Promise<void>;
  /** Who of these has a lease. */
  living(ids: readonly MemberId[]): Promise<readonly MemberId[]>;
  forget(id: MemberId): Promise<void>;
  close(): Promise<void>;
}

export interface StoredRecord {
  readonly text: string | null; // null: nothing is stored
  readonly revision: string; // another one whenever something was stored, be it the same text
  readonly wallMs: number; // by the clock of the database
}

/** What every kind of store is opened with. */
export interface StoreOptions {
  readonly address: string; // a URL; some have several hosts
  readonly group: string;
  readonly leaseMs: number;
  readonly unsafe: boolean; // the database may forget what it has acknowledged, and the user knows
  readonly warn: (sentence: string) => void;
}

/** How long one operation of a store may take: a member whose lease lasts so long has time to try again. */
export const operationTimeoutMs = (leaseMs: number): number => Math.min(Math.max(leaseMs / 3, 250), 5000);

/** An engine that many machines reach. */
export class StoreEngine implements Engine {
  readonly #store: Store;
  readonly #group: string;
  readonly #warn: (sentence: string) => void;
  #highest = -1; // epoch that was ever seen here
  #isWarned = false;
  #told = -1;
  #changed: (view: View) => void = () => {};
  #isLooking = false;
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
    this.#store.watch(() => this.#look());
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

  /** One at a time; told again meanwhile: once more. */
  async #look(): Promise<void> {
    if (this.#isLooking || this.#isClosed) {
      this.#isStale = true;
      return;
    }
    this.#isLooking = true;
    this.#isStale = false;
    const view = await this.read().catch(() => null); // members also ask, and tell what went wrong
    this.#isLooking = false;
    if (view !== null && view.epoch > this.#told && !this.#isClosed) {
      this.#told = view.epoch;
      this.#changed(view);
    }
    if (this.#isStale && !this.#isClosed) void this.#look();
  }
}
