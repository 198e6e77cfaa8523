// The views of one group, as files `view-<epoch>` in one directory. Creating the next file exclusively is the compare-and-set, so all
// processes must choose the same next epoch.
import { lstatSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { lastEpoch, type Peer, type View } from '../../../member/index.ts';
import { bootId } from '../../boot-id.ts';
import { BatonError } from '../../errors.ts';
import { epochAt, parseRecord, serializeView } from '../view-record.ts';
import { createExclusively, discard, errorCode, touch } from './exclusive-files.ts';
import type { HighWaterMark } from './high-water-mark.ts';

const prefix = 'view-';

/** The newest view file, valid or not. */
interface NewestViewFile {
  readonly epoch: number;
  readonly view: View | null;
  readonly isOfThisBoot: boolean;
  readonly oldMembers: readonly Peer[]; // of a view that was created by an older version
}

export interface ViewFilesOptions {
  readonly directory: string;
  readonly group: string;
  readonly mark: HighWaterMark;
  readonly warn: (sentence: string) => void;
  readonly now?: () => number; // defaults to the wall clock
}

export class ViewFiles {
  readonly directory: string;
  readonly #group: string;
  readonly #mark: HighWaterMark;
  readonly #warn: (sentence: string) => void;
  readonly #now: () => number;
  readonly #reported = new Set<string>();
  #last: View | null = null; // newest that this process has read or created
  #parsedLast: { readonly epoch: number; readonly text: string; readonly file: NewestViewFile } | null = null;

  constructor({ directory, group, mark, warn, now = Date.now }: ViewFilesOptions) {
    this.directory = directory;
    this.#group = group;
    this.#mark = mark;
    this.#warn = warn;
    this.#now = now;
  }

  /** The newest view that this process has read or created, also if it is lost. */
  get last(): View | null {
    return this.#last;
  }

  /**
   * Returns the newest view; null if there is no valid one, or only an older one than has existed. A view of an earlier boot has no
   * members left.
   */
  newest(): View | null {
    return this.#newest().view;
  }

  /** Returns the members of the newest view if processes of an older version created it. */
  oldMembers(): readonly Peer[] {
    return this.#newestFile()?.oldMembers ?? [];
  }

  /** Returns the epoch of the view that follows `after`; null if another process was faster. */
  nextEpoch(after: View | null): number | null {
    const { view, base, isTrusted } = this.#newest();
    if (view?.epoch !== after?.epoch) return null;
    const epoch = isTrusted ? base + 1 : this.#startEpoch(base);
    if (epoch <= lastEpoch) return epoch;
    throw new BatonError(
      'input',
      `group '${this.#group}' has reached its last epoch: leave it in all processes and remove ${this.directory}, or use another name`,
    );
  }

  /** Creates a view that follows `after`. Returns null if another process was faster. */
  create(after: View | null, epoch: number, algorithm: string, members: readonly Peer[]): View | null {
    const before = this.#newest();
    if (before.view?.epoch !== after?.epoch || before.base >= epoch) return null;
    const view: View = { epoch, algorithm, members, ...(after !== null && { after: after.epoch }) };
    const name = prefix + epoch;
    this.listAgain(); // another file may be in the way
    if (!createExclusively(this.directory, name, serializeView(view, bootId))) return null;
    const names = readdirSync(this.directory);
    if (epochsIn(names).some((other) => other > epoch)) {
      discard(join(this.directory, name)); // this process slept, and the number had been used and removed
      return null;
    }
    this.#last = view;
    const older = epochsIn(names).filter((other) => other !== epoch);
    older.sort((a, b) => a - b); // see `#knownFile`
    for (const other of [...older.map((one) => prefix + one), ...names.filter(isStart)])
      discard(join(this.directory, other));
    return view;
  }

  touch(): void {
    touch(join(this.directory, prefix + (this.#newestFile()?.epoch ?? '')));
  }

  /** `base`: the highest epoch that may have been used. The mark is read first, as it is written after the view. */
  #newest(): { readonly view: View | null; readonly base: number; readonly isTrusted: boolean } {
    const known = Math.max(this.#mark.read().epoch, this.#last?.epoch ?? -1);
    const top = this.#knownFile(known) ?? this.#newestFile();
    const view = top !== null && top.epoch >= known ? top.view : null;
    if (view !== null) this.#last = view;
    const base = Math.max(known, top?.epoch ?? -1);
    return { view, base, isTrusted: view !== null && top!.isOfThisBoot };
  }

  /**
   * Returns the first epoch of this boot, or after views were lost: above the wall clock, so that it is above all that may have been used.
   * The first process to choose it stores it, for all others. The file is removed when the view has been created.
   */
  #startEpoch(base: number): number {
    for (let attempt = 0; ; attempt += 1) {
      const name = `${startPrefix}${bootId}-${base}-${attempt}`;
      let text = this.#read(name);
      if (text === null) {
        createExclusively(this.directory, name, String(Math.max(base, epochAt(this.#now())) + 1));
        text = this.#read(name);
      }
      const epoch = /^\d{1,12}$/.test(text ?? '') ? Number(text) : -1;
      if (epoch > base) return epoch;
      if (text !== null) this.#warnOnce(name, 'is damaged: it is passed over'); // null: removed meanwhile
    }
  }

  /** The next call finds the newest file, whatever its epoch. */
  listAgain(): void {
    this.#parsedLast = null;
  }

  /**
   * Returns the file that was the newest when it was last read, if it still is; null in doubt. The next view has the next epoch, and older
   * views are removed in the order of their epochs. To list the directory takes long while others change it.
   */
  #knownFile(leastEpoch: number): NewestViewFile | null {
    const known = this.#parsedLast;
    if (known === null || !known.file.isOfThisBoot || known.epoch < leastEpoch) return null;
    const next = join(this.directory, prefix + (known.epoch + 1));
    if (lstatSync(next, { throwIfNoEntry: false }) !== undefined) return null;
    return this.#read(prefix + known.epoch) === known.text ? known.file : null;
  }

  #newestFile(): NewestViewFile | null {
    let last = -1;
    for (;;) {
      const epochs = epochsIn(readdirSync(this.directory));
      if (epochs.length === 0) return null;
      const epoch = Math.max(...epochs);
      const text = this.#read(prefix + epoch);
      if (text !== null || epoch === last) return this.#parsed(epoch, text ?? '');
      last = epoch; // replaced by a newer view meanwhile, or unreadable
    }
  }

  #read(name: string): string | null {
    try {
      return readFileSync(join(this.directory, name), 'utf8');
    } catch (error) {
      if (unreadable.includes(errorCode(error)!)) return null;
      throw error;
    }
  }

  /** Members read the view again and again: a text that has not changed is not parsed again. */
  #parsed(epoch: number, text: string): NewestViewFile {
    if (this.#parsedLast?.epoch === epoch && this.#parsedLast.text === text) return this.#parsedLast.file;
    const file = this.#parse(epoch, text);
    this.#parsedLast = { epoch, text, file };
    return file;
  }

  #parse(epoch: number, text: string): NewestViewFile {
    const file = parseRecord(text);
    if (file.is === 'of format 1' && Math.floor(file.view.epoch / 8) === epoch) {
      const oldMembers = file.boot === bootId ? file.view.members : [];
      return { epoch: file.view.epoch, view: null, isOfThisBoot: false, oldMembers };
    }
    if (file.is !== 'view' || file.view.epoch !== epoch) {
      this.#warnOnce(prefix + epoch, 'is not a view that this version can read: it is passed over');
      return { epoch, view: null, isOfThisBoot: false, oldMembers: [] };
    }
    const isOfThisBoot = file.boot === bootId;
    const view = isOfThisBoot ? file.view : { epoch, algorithm: file.view.algorithm, members: [] };
    return { epoch, view, isOfThisBoot, oldMembers: [] };
  }

  #warnOnce(name: string, what: string): void {
    const path = join(this.directory, name);
    if (!this.#reported.has(path)) this.#warn(`${path} ${what}`);
    this.#reported.add(path);
  }
}

const epochsIn = (names: readonly string[]): number[] => names.flatMap((name) => viewEpoch(name) ?? []);

/** Returns the epoch of a view file; null if it is another file. */
export function viewEpoch(name: string): number | null {
  const epoch = viewFile.test(name) ? Number(name.slice(prefix.length)) : Infinity;
  return epoch <= lastEpoch ? epoch : null;
}

const startPrefix = 'start-';
const isStart = (name: string): boolean => name.startsWith(startPrefix);
const viewFile = /^view-(0|[1-9]\d{0,11})$/;
const unreadable = ['ENOENT', 'EISDIR', 'EACCES', 'ELOOP'];
