// The engine for one machine, on files of one user. File operations are synchronous. They take tens of microseconds, and a thread pool
// that the application keeps busy takes longer.
import { existsSync, type FSWatcher, lstatSync, readdirSync, watch } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { assert } from '../../../core/assert.ts';
import type { MemberId, Peer, View } from '../../../member/index.ts';
import { BatonError, systemReason, unavailable } from '../../errors.ts';
import { isSocketDead, socketSuffixes } from '../../transport/unix.ts';
import type { Engine } from '../engine.ts';
import { clockReaches, isMemberId, oldMembers } from '../view-record.ts';
import { discard, errorCode, temporaryPrefix, touch } from './exclusive-files.ts';
import { GroupDirectory } from './group-directory.ts';
import { HighWaterMark, isLeaseRunning } from './high-water-mark.ts';
import { LeaseFiles } from './lease-files.ts';
import { machineMs } from './machine-clock.ts';
import { ViewFiles, viewEpoch } from './view-files.ts';

const touchEveryMs = 60_000;
const leftOverMs = 60_000;
const tidyAfterMs = 200;
const lostViewPollMs = 20;
const sweptAttempts = 20; // a directory is removed file by file, which takes a while

export interface EmbeddedOptions {
  readonly group: string;
  readonly leaseMs: number;
  /** Called with a sentence about each file that is not valid. */
  readonly warn?: (sentence: string) => void;
  /** The wall clock. Defaults to that of the system. */
  readonly now?: () => number;
  /** Where the high-water mark is. Defaults to a directory of the user in /var/tmp. */
  readonly markDirectory?: string | undefined;
}

export class EmbeddedEngine implements Engine {
  readonly #group: string;
  readonly #directory: GroupDirectory;
  readonly #mark: HighWaterMark;
  readonly #views: ViewFiles;
  readonly #leases: LeaseFiles;
  readonly #leaseMs: number;
  readonly #now: () => number;
  readonly #probed = new Set<MemberId>(); // members whose sockets answered
  readonly #opened = new Set<MemberId>(); // members of this process
  #watcher: FSWatcher | null = null;
  #watched = ''; // the identity of the directory
  #changed: ((view: View | null) => void) | null = null;
  #reportedEpoch = -1; // of the newest view that the user of this engine knows
  #isReadScheduled = false;
  #tidyTimer: NodeJS.Timeout | null = null;
  #touchedAt = performance.now();
  #isClosed = false;

  constructor({ group, leaseMs, warn = () => {}, now = Date.now, markDirectory }: EmbeddedOptions) {
    machineMs(); // throws where the clock cannot be read
    this.#group = group;
    this.#leaseMs = leaseMs;
    this.#now = now;
    this.#directory = new GroupDirectory(group, warn);
    const { path: directory } = this.#directory;
    this.#mark = new HighWaterMark(directory, group, warn, markDirectory);
    this.#views = new ViewFiles({ directory, group, mark: this.#mark, warn, now });
    this.#leases = new LeaseFiles(directory, leaseMs);
    this.#inDirectory(() => this.#directory.ensureName());
  }

  /** Returns the path of the socket for this member's transport. */
  address(id: MemberId): string {
    assert(isMemberId(id), `'${id}' cannot be a member's id here`);
    this.#inDirectory(() => {});
    this.#opened.add(id);
    return this.#socket(id);
  }

  /** Opens the transport of a member at its address, again if the directory was removed meanwhile. */
  async listen<T>(id: MemberId, open: (address: string) => Promise<T>): Promise<T> {
    for (let attempt = 1; ; attempt += 1)
      try {
        return await open(this.address(id));
      } catch (error) {
        if (errorCode((error as Error).cause ?? {}) !== 'ENOENT' || attempt === sweptAttempts) throw error;
      }
  }

  async read(): Promise<View | null> {
    const view = this.#newest();
    if (view === null) await this.#assertNoOldMembers();
    return this.#reported(view);
  }

  async change(after: View | null, algorithm: string, members: readonly Peer[]): Promise<View> {
    const made = await this.#create(after, algorithm, members);
    if (made !== null) {
      this.#tidyLater();
      return this.#reported(made);
    }
    const newest = this.#newest();
    if (newest !== null) return this.#reported(newest);
    await pause(Math.min(lostViewPollMs, this.#leaseMs / 10));
    return { epoch: after?.epoch ?? 0, algorithm, members: [] };
  }

  watch(changed: (view: View | null) => void): void {
    this.#changed = changed;
    this.#inDirectory(() => {});
  }

  async renew(id: MemberId): Promise<void> {
    this.#inDirectory(() => this.#leases.renew(id));
    const { last } = this.#views;
    if (last?.members.some((peer) => peer.id === id)) this.#mark.raise(last.epoch, this.#leaseEnd());
    if (performance.now() < this.#touchedAt + touchEveryMs) return;
    this.#touchedAt = performance.now();
    this.#views.listAgain();
    this.#inDirectory(() => {
      if (this.#views.newest()?.members[0]?.id !== id) return;
      this.#directory.ensureName();
      touch(this.#directory.nameFile);
      this.#views.touch();
    });
  }

  /** Probes the socket of a member once, and when its lease runs short. The transport reports later deaths. */
  async expired(members: readonly Peer[]): Promise<readonly MemberId[]> {
    const ids = new Set(members.map(({ id }) => id));
    for (const id of this.#probed) if (!ids.has(id)) this.#probed.delete(id);
    const over = await Promise.all(
      members.map(async ({ id, address }) => {
        const leftMs = this.#withFiles(() => this.#leases.leftMs(id));
        if (leftMs === 0) return true;
        if (this.#probed.has(id) && leftMs > this.#leaseMs / 2) return false;
        if (await isSocketDead(address)) return true;
        this.#probed.add(id);
        return false;
      }),
    );
    return members.flatMap(({ id }, i) => (over[i] ? [id] : []));
  }

  /** The files of a member stay while it is in the view, or while the view is lost: they show that it is out. */
  async forget(id: MemberId): Promise<void> {
    this.#inDirectory(() => {
      const view = this.#views.newest();
      if (view === null || isIn(view, id)) this.#leases.end(id);
      else this.#leases.remove(id);
    });
  }

  async close(): Promise<void> {
    if (this.#isClosed) return;
    this.#isClosed = true;
    this.#watcher?.close();
    this.#leases.close();
    if (this.#tidyTimer !== null) await this.#tidy();
    const view = this.#newestOrNull();
    for (const id of this.#opened) if (view !== null && !isIn(view, id)) discard(this.#socket(id));
  }

  /** Returns null if another process was faster, or if members of a lost view may still hold locks. */
  async #create(after: View | null, algorithm: string, members: readonly Peer[]): Promise<View | null> {
    if (after === null && !(await this.#isLostViewOver())) return null;
    const epoch = this.#inDirectory(() => this.#views.nextEpoch(after));
    if (epoch === null) return null;
    await clockReaches(epoch, this.#now);
    const made = this.#inDirectory(() => this.#views.create(after, epoch, algorithm, members));
    if (made !== null) this.#mark.raise(epoch, members.length === 0 ? null : this.#leaseEnd());
    return made;
  }

  /**
   * Whether all members of a view that was lost are out of the group. Each ends its lease when it notices. A process that does not know
   * the lost view waits for the end of the newest lease. Its own members are out: it asks only while it joins. The view may even have been lost
   * while it created that view, with the member that it renews now.
   */
  async #isLostViewOver(): Promise<boolean> {
    const mark = this.#mark.read();
    const { last } = this.#views;
    if (last === null || mark.epoch > last.epoch) return !isLeaseRunning(mark);
    if (mark.epoch === last.epoch && mark.leaseUntil > 0 && !isLeaseRunning(mark)) return true;
    const others = last.members.filter(({ id }) => !this.#opened.has(id));
    return (await this.expired(others)).length === others.length;
  }

  async #assertNoOldMembers(): Promise<void> {
    const members = this.#inDirectory(() => this.#views.oldMembers());
    if (members.length === 0 || (await this.expired(members)).length === members.length) return;
    throw oldMembers(this.#group);
  }

  #newest(): View | null {
    return this.#inDirectory(() => this.#views.newest());
  }

  #leaseEnd(): number {
    return machineMs() + this.#leaseMs;
  }

  #socket(id: MemberId): string {
    return join(this.#directory.path, id + socketSuffixes[0]);
  }

  /** Runs `work` in the directory of the group. Recovers if the directory was removed, or created again by another process. */
  #inDirectory<T>(work: () => T): T {
    return this.#withFiles(() => {
      for (let attempt = 1; ; attempt += 1)
        try {
          if (attempt > 1) this.#directory.create();
          const before = this.#directory.identity();
          if (before !== this.#watched) this.#watch(before);
          const result = work();
          if (this.#directory.identity() === before) return result;
        } catch (error) {
          if (errorCode(error) !== 'ENOENT' || attempt === sweptAttempts) throw error;
        }
    });
  }

  /** Errors of the system become a sentence, with the error as its cause. */
  #withFiles<T>(work: () => T): T {
    try {
      return work();
    } catch (error) {
      if (error instanceof BatonError || errorCode(error) === undefined) throw error;
      throw unavailable(
        `the files of group '${this.#group}' in ${this.#directory.path} cannot be used: ${systemReason(error)}`,
        error,
      );
    }
  }

  #watch(identity: string): void {
    this.#watcher?.close();
    this.#watcher = null;
    if (this.#changed === null || this.#isClosed) return;
    this.#watched = identity;
    try {
      const watcher = watch(this.#directory.path, { persistent: false });
      watcher.on('change', (_, name) => {
        if (this.#mayChangeView(name)) this.#scheduleRead();
      });
      watcher.on('error', () => watcher.close());
      this.#watcher = watcher;
    } catch {
      // out of inotify watches: members also poll
    }
  }

  /** Whether the change of this file may be a change of the view. Sockets, temporary files and older views are not: all members would read the view. */
  #mayChangeView(name: string | Buffer | null): boolean {
    const epoch = viewEpoch(String(name));
    if (epoch === null) return !isBesideViews(String(name));
    const known = this.#reportedEpoch;
    if (epoch > known + 1) this.#views.listAgain(); // it does not follow the view that is known
    return epoch > known || (epoch === known && !existsSync(join(this.#directory.path, String(name))));
  }

  /** The caller gets this view, so that `watch` need not report it. */
  #reported<V extends View | null>(view: V): V {
    this.#reportedEpoch = Math.max(this.#reportedEpoch, view?.epoch ?? -1);
    return view;
  }

  #scheduleRead(): void {
    if (this.#isReadScheduled) return;
    this.#isReadScheduled = true;
    setImmediate(() => {
      this.#isReadScheduled = false;
      if (this.#isClosed) return;
      const view = this.#newestOrNull();
      if (view === null ? this.#reportedEpoch < 0 : view.epoch <= this.#reportedEpoch) return;
      this.#reportedEpoch = view?.epoch ?? -1;
      this.#changed?.(view);
    });
  }

  /** Does not create the directory again: who only watches needs none. */
  #newestOrNull(): View | null {
    try {
      this.#directory.identity();
      return this.#views.newest();
    } catch {
      return null;
    }
  }

  /** Right after a change of the view there is more urgent work. */
  #tidyLater(): void {
    this.#tidyTimer ??= setTimeout(() => this.#tidy(), tidyAfterMs).unref();
  }

  /** Removes files of dead processes. A process that is joining is in no view either, but its files are recent. */
  async #tidy(): Promise<void> {
    if (this.#tidyTimer !== null) clearTimeout(this.#tidyTimer);
    this.#tidyTimer = null;
    const view = this.#newestOrNull();
    if (view === null) return;
    const directory = this.#directory.path;
    const members = new Set(view.members.map(({ id }) => id));
    try {
      for (const name of readdirSync(directory)) {
        const path = join(directory, name);
        const suffix = socketSuffixes.find((one) => name.endsWith(one));
        const isTemporary = name.startsWith(temporaryPrefix);
        const isSocket = suffix !== undefined && !members.has(name.slice(0, -suffix.length));
        if (!(isTemporary || isSocket) || !isOld(path)) continue;
        if (isTemporary || (await isSocketDead(path))) discard(path);
      }
      const leases = readdirSync(this.#leases.directory);
      this.#leases.keep(new Set([...leases, ...members]));
      for (const id of leases)
        if (!members.has(id) && isOld(join(this.#leases.directory, id)) && this.#leases.leftMs(id) === 0)
          this.#leases.remove(id);
    } catch {
      // the next change of the view tries again
    }
  }
}

/** Whether a file of the directory of a group has nothing to do with its views. */
const isBesideViews = (name: string): boolean =>
  name.startsWith(temporaryPrefix) || socketSuffixes.some((suffix) => name.endsWith(suffix));

const isIn = ({ members }: View, id: MemberId): boolean => members.some((peer) => peer.id === id);

const isOld = (path: string): boolean =>
  Date.now() - (lstatSync(path, { throwIfNoEntry: false })?.mtimeMs ?? Infinity) > leftOverMs;
