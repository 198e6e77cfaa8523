import { randomBytes } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import { InputError } from '../../../core/assert.ts';
import { lastEpoch, type MemberId, type Peer, type View } from '../../../member/index.ts';
import { BatonError, unavailable } from '../../errors.ts';
import type { Engine } from '../engine.ts';
import type { Store, StoredRecord, StoreOptions } from '../store.ts';
import { epochAt, epochMs, oldMembers, parseRecord, serializeView, startOfEpoch } from '../view-record.ts';

const keyBytes = 32;

const slowestClock = 0.9; // of a database, compared with ours

interface FoundView {
  readonly record: StoredRecord;
  readonly view: View | null;
  readonly readAt: number; // by our monotonic clock, after the clock of the database was read
}

/** An engine for several machines, on top of a store. */
export class StoreEngine implements Engine {
  readonly #store: Store;
  readonly #group: string;
  readonly #warn: (sentence: string) => void;
  #highest = -1; // highest epoch seen by this process
  #newest: (FoundView & { readonly view: View }) | null = null; // that was read
  #isWarned = false;
  #reportedEpoch = -1;
  #changed: (view: View | null) => void = () => {};
  #isReading = false;
  #isStale = false;
  #isClosed = false;

  constructor(store: Store, { group, warn }: Pick<StoreOptions, 'group' | 'warn'>) {
    this.#store = store;
    this.#group = group;
    this.#warn = warn;
  }

  /**
   * Returns the random key by which members authenticate each other if they have neither a secret nor certificates. Whoever can read the
   * records of the group knows it. The first member stores it before the first view, so an engine that forgets its last writes never
   * forgets the key and keeps a view.
   */
  groupKey(): Promise<Uint8Array> {
    return this.#explained(() => this.#groupKey());
  }

  async #groupKey(): Promise<Uint8Array> {
    const text = await this.#store.keyOr(randomBytes(keyBytes).toString('base64'));
    const key = Buffer.from(text, 'base64');
    if (key.length !== keyBytes || key.toString('base64') !== text)
      throw new BatonError(
        'input',
        `what is stored as the key of group '${this.#group}' is not a key: delete it and the view of the group, and the members agree on another one`,
      );
    return key;
  }

  read(): Promise<View | null> {
    return this.#explained(async () => (await this.#read()).view);
  }

  change(after: View | null, algorithm: string, members: readonly Peer[]): Promise<View> {
    return this.#explained(() => this.#change(after, algorithm, members));
  }

  watch(changed: (view: View | null) => void): void {
    this.#changed = changed;
    this.#store.watch(() => this.#readAndReport());
  }

  renew(id: MemberId): Promise<void> {
    return this.#explained(() => this.#store.renew(id));
  }

  expired(members: readonly Peer[]): Promise<readonly MemberId[]> {
    return this.#explained(async () => {
      const ids = members.map(({ id }) => id);
      const living = new Set(await this.#store.living(ids));
      return ids.filter((id) => !living.has(id));
    });
  }

  forget(id: MemberId): Promise<void> {
    return this.#explained(() => this.#store.forget(id));
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    await this.#store.close();
  }

  /**
   * The epoch follows the clock of the database, because what is stored may be lost or replaced by something older. So no view is created
   * before the time of its epoch, except where the clock was set back. Without a record, a view of this very moment may have been lost: the
   * epoch is the next one then. If `after` was the view when it was last read, no further read is needed: if it is not the view any more, the
   * swap fails.
   */
  async #change(after: View | null, algorithm: string, members: readonly Peer[]): Promise<View> {
    let start: number | null = null;
    let hasWaited = false;
    const known = after !== null && this.#newest?.view.epoch === after.epoch ? this.#newest : null;
    for (let found = known ?? (await this.#read()); ; found = await this.#read()) {
      const { record, view: newest, readAt } = found;
      if (newest !== null && newest.epoch !== after?.epoch) return newest;
      if (newest === null && after !== null) return { epoch: after.epoch, algorithm, members: [] };
      const wallMs = record.wallMs + slowestClock * (performance.now() - readAt);
      const latest = wallMs + record.precisionMs;
      if (newest === null) start ??= epochAt(latest) + 1;
      const epoch = Math.max(this.#highest + 1, start ?? epochAt(wallMs));
      if (epoch > lastEpoch)
        throw new InputError(`group '${this.#group}' has reached its last epoch: use another name`);
      const earlyMs = startOfEpoch(epoch) - latest;
      const isSetBack = earlyMs > epochMs + record.precisionMs; // an epoch is never further ahead of a clock that only rises
      if (earlyMs > 0 && !(isSetBack && hasWaited)) {
        hasWaited = true;
        await pause(Math.ceil(Math.max(Math.min(earlyMs, epochMs), record.precisionMs / 20)));
      } else {
        const view: View = { epoch, algorithm, members, ...(after !== null && { after: after.epoch }) };
        if (!(await this.#store.swap(record, serializeView(view)))) continue;
        this.#highest = Math.max(this.#highest, epoch);
        return view;
      }
    }
  }

  /** The view is null if it is older than one that this process had seen before it asked. */
  async #read(): Promise<FoundView> {
    for (;;) {
      const seen = this.#highest;
      const record = await this.#store.read();
      const readAt = performance.now();
      const view = await this.#viewIn(record);
      if (view === null || view.epoch < seen) return { record, view: null, readAt };
      if (view.epoch < this.#highest) continue; // another call has seen a newer view meanwhile
      this.#highest = view.epoch;
      this.#newest = { record, view, readAt };
      return this.#newest;
    }
  }

  async #viewIn({ text }: StoredRecord): Promise<View | null> {
    const parsed = text === null ? null : parseRecord(text);
    if (parsed?.is === 'of another version')
      throw new InputError(
        `group '${this.#group}' was last changed by a newer version of batonjs: install that one here, too`,
      );
    if (parsed?.is === 'damaged' && !this.#isWarned)
      this.#warn(`what is stored for group '${this.#group}' is not a view: it is passed over`);
    this.#isWarned = parsed?.is === 'damaged';
    if (parsed?.is === 'view') return parsed.view;
    if (parsed?.is === 'of format 1') {
      const { epoch, members } = parsed.view;
      if ((await this.#store.living(members.map(({ id }) => id))).length > 0) throw oldMembers(this.#group);
      this.#highest = Math.max(this.#highest, epoch);
    }
    return null;
  }

  /** Runs once at a time. A call during a run makes it run once more. */
  async #readAndReport(): Promise<void> {
    if (this.#isReading || this.#isClosed) {
      this.#isStale = true;
      return;
    }
    this.#isReading = true;
    this.#isStale = false;
    const view = await this.read().catch(() => undefined); // members also poll, and report errors
    this.#isReading = false;
    const isNews = view === null ? this.#reportedEpoch >= 0 : (view?.epoch ?? -1) > this.#reportedEpoch;
    if (view !== undefined && isNews && !this.#isClosed) {
      this.#reportedEpoch = view?.epoch ?? -1;
      this.#changed(view);
    }
    if (this.#isStale && !this.#isClosed) void this.#readAndReport();
  }

  async #explained<T>(work: () => Promise<T>): Promise<T> {
    try {
      return await work();
    } catch (error) {
      if (error instanceof BatonError) throw error;
      const { message } = error as Error;
      if (error instanceof InputError) throw new BatonError('input', message, { cause: error });
      throw unavailable(`the engine of group '${this.#group}' fails: ${message}`, error);
    }
  }
}
