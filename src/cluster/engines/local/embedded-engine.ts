// The engine for one machine, on files of one user. File operations are synchronous. They take tens of microseconds, and a thread pool
// that the application keeps busy takes longer.
import { type FSWatcher, lstatSync, readdirSync, rmSync, statSync, watch } from 'node:fs';
import { join } from 'node:path';
import { assert } from '../../../core/assert.ts';
import type { MemberId, Peer, View } from '../../../member/index.ts';
import { unavailable } from '../../errors.ts';
import { isSocketDead } from '../../transport/unix.ts';
import type { Engine } from '../engine.ts';
import { isMemberId } from '../view-record.ts';
import { errorCode, temporaryPrefix } from './exclusive-files.ts';
import { groupDirectory } from './group-directory.ts';
import { LeaseFiles } from './lease-files.ts';
import { ViewFiles } from './view-files.ts';

const touchEveryMs = 60_000;
const leftOverMs = 60_000;
const socketSuffix = '.sock';

export interface EmbeddedOptions {
  readonly group: string;
  readonly leaseMs: number;
  /** Called with a sentence about each file that is not valid. */
  readonly warn?: (sentence: string) => void;
}

export class EmbeddedEngine implements Engine {
  readonly #views: ViewFiles;
  readonly #leases: LeaseFiles;
  readonly #leaseMs: number;
  readonly #probed = new Set<MemberId>(); // members whose sockets answered
  #watcher: FSWatcher | null = null;
  #watched = 0; // the directory's inode
  #changed: ((view: View) => void) | null = null;
  #reportedEpoch = -1;
  #isReadScheduled = false;
  #touchedAt = performance.now();
  #isClosed = false;

  constructor({ group, leaseMs, warn = () => {} }: EmbeddedOptions) {
    this.#views = new ViewFiles(groupDirectory(group), group, warn);
    this.#leases = new LeaseFiles(this.#views.directory, leaseMs);
    this.#leaseMs = leaseMs;
  }

  /** Returns the path of the socket for this member's transport. */
  address(id: MemberId): string {
    assert(isMemberId(id), `'${id}' cannot be a member's id here`);
    return join(this.#views.directory, id + socketSuffix);
  }

  async read(): Promise<View | null> {
    return this.#inDirectory(() => this.#views.newest());
  }

  async change(after: View | null, algorithm: string, members: readonly Peer[]): Promise<View> {
    const made = this.#inDirectory(() => this.#views.create(after, algorithm, members));
    if (made !== null) {
      setImmediate(() => this.#tidy(made));
      return made;
    }
    const newest = this.#views.newest();
    if (newest === null) throw unavailable(`the views of this group in ${this.#views.directory} are gone`);
    return newest;
  }

  watch(changed: (view: View) => void): void {
    this.#changed = changed;
    this.#watch();
  }

  async renew(id: MemberId): Promise<void> {
    this.#inDirectory(() => this.#leases.renew(id));
    if (performance.now() < this.#touchedAt + touchEveryMs) return;
    this.#touchedAt = performance.now();
    if (this.#views.newest()?.members[0]?.id === id) this.#views.touch();
  }

  /** Probes the socket of a member once, and when its lease runs short. The transport reports later deaths. */
  async expired(members: readonly Peer[]): Promise<readonly MemberId[]> {
    for (const id of this.#probed) if (!members.some((peer) => peer.id === id)) this.#probed.delete(id);
    const over = await Promise.all(
      members.map(async ({ id, address }) => {
        const leftMs = this.#leases.leftMs(id);
        if (leftMs === 0) return true;
        if (this.#probed.has(id) && leftMs > this.#leaseMs / 2) return false;
        if (await isSocketDead(address)) return true;
        this.#probed.add(id);
        return false;
      }),
    );
    return members.flatMap(({ id }, i) => (over[i] ? [id] : []));
  }

  async forget(id: MemberId): Promise<void> {
    this.#leases.forget(id);
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    this.#watcher?.close();
    this.#leases.close();
  }

  /** Runs `work`. Recovers if the directory was removed, or created again by another process. */
  #inDirectory<T>(work: () => T): T {
    try {
      if (this.#changed !== null && statSync(this.#views.directory).ino !== this.#watched) this.#watch();
      return work();
    } catch (error) {
      if (errorCode(error) !== 'ENOENT') throw error;
      this.#views.ensureDirectory();
      this.#watch();
      return work();
    }
  }

  #watch(): void {
    this.#watcher?.close();
    if (this.#changed === null || this.#isClosed) return;
    try {
      this.#watched = statSync(this.#views.directory).ino;
      const watcher = watch(this.#views.directory, { persistent: false });
      watcher.on('change', () => this.#scheduleRead());
      watcher.on('error', () => watcher.close());
      this.#watcher = watcher;
    } catch {
      this.#watcher = null; // out of inotify watches: members also poll
    }
  }

  #scheduleRead(): void {
    if (this.#isReadScheduled) return;
    this.#isReadScheduled = true;
    setImmediate(() => {
      this.#isReadScheduled = false;
      const view = this.#isClosed ? null : this.#newestOrNull();
      if (view === null || view.epoch <= this.#reportedEpoch) return;
      this.#reportedEpoch = view.epoch;
      this.#changed?.(view);
    });
  }

  #newestOrNull(): View | null {
    try {
      return this.#views.newest();
    } catch {
      return null;
    }
  }

  /** Removes files of dead processes. A process that is joining is in no view either, but its files are recent. */
  async #tidy({ members }: View): Promise<void> {
    const { directory } = this.#views;
    const isIn = (id: MemberId) => members.some((peer) => peer.id === id);
    try {
      for (const name of readdirSync(directory)) {
        const path = join(directory, name);
        const isSocket = name.endsWith(socketSuffix) && !isIn(name.slice(0, -socketSuffix.length));
        const isUseless =
          this.#views.isFromEarlierBoot(name) ||
          (name.startsWith(temporaryPrefix) && isOld(path)) ||
          (isSocket && isOld(path) && (await isSocketDead(path)));
        if (isUseless) rmSync(path, { force: true });
      }
      for (const id of readdirSync(this.#leases.directory))
        if (!isIn(id) && this.#leases.leftMs(id) === 0 && isOld(join(this.#leases.directory, id)))
          this.#leases.forget(id);
    } catch {
      // the next change of the view tries again
    }
  }
}

const isOld = (path: string): boolean =>
  Date.now() - (lstatSync(path, { throwIfNoEntry: false })?.mtimeMs ?? Infinity) > leftOverMs;
