// The views of one group, as files `view-<epoch>` in one directory. Creating the next file exclusively is the compare-and-set.
import { mkdirSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { InputError } from '../../../core/assert.ts';
import { lastEpoch, type Peer, type View } from '../../../member/index.ts';
import { bootId } from '../../boot-id.ts';
import { epochAt, parseRecord, serializeView } from '../view-record.ts';
import { createExclusively, errorCode, touch } from './exclusive-files.ts';

const prefix = 'view-';
const viewsKept = 4;

/** The newest view file, valid or not. */
interface NewestViewFile {
  readonly epoch: number;
  readonly view: View | null;
  readonly isOfThisBoot: boolean;
}

export class ViewFiles {
  readonly directory: string;
  readonly #group: string;
  readonly #warn: (sentence: string) => void;
  readonly #reported = new Set<string>();

  constructor(directory: string, group: string, warn: (sentence: string) => void) {
    this.directory = directory;
    this.#group = group;
    this.#warn = warn;
    this.ensureDirectory();
  }

  /** Creates the directory of the group, also after another program removed it. */
  ensureDirectory(): void {
    mkdirSync(this.directory, { recursive: true, mode: 0o700 });
    createExclusively(this.directory, nameFile, this.#group);
    const name = readFileSync(join(this.directory, nameFile), 'utf8');
    if (name !== this.#group)
      throw new InputError(`${this.directory} is the directory of group '${name}', not of '${this.#group}'`);
  }

  /** Returns the newest view; null if there is no valid one. A view of an earlier boot has no members left. */
  newest(): View | null {
    return this.#newestFile()?.view ?? null;
  }

  /** Creates a view that follows `after`. Returns null if another process was faster. */
  create(after: View | null, algorithm: string, members: readonly Peer[]): View | null {
    const top = this.#newestFile();
    if ((top?.view?.epoch ?? null) !== (after?.epoch ?? null)) return null;
    const epoch = this.#next(top);
    if (epoch > lastEpoch) throw new InputError(`group '${this.#group}' has come to its last epoch`);
    const view: View = { epoch, algorithm, members };
    const name = prefix + epoch;
    if (!createExclusively(this.directory, name, serializeView(view, bootId))) return null;
    const epochs = this.#epochs();
    if (epochs.some((other) => other > epoch)) {
      rmSync(join(this.directory, name), { force: true }); // this process slept, and the number had been used and removed
      return null;
    }
    for (const old of epochs)
      if (old <= epoch - viewsKept) rmSync(join(this.directory, prefix + old), { force: true });
    return view;
  }

  /** Whether this file is only of use to an earlier boot. */
  isFromEarlierBoot(name: string): boolean {
    return name.startsWith(startPrefix) && name !== startFile;
  }

  touch(): void {
    for (const name of [nameFile, startFile, prefix + (this.#newestFile()?.epoch ?? '')])
      touch(join(this.directory, name));
  }

  /**
   * Returns the next epoch, the same in all processes: one more than the last. The first epoch of a boot comes from the wall clock, so that
   * epochs increase even if the directory or its newest files are lost.
   */
  #next(top: NewestViewFile | null): number {
    const least = top === null ? 0 : top.epoch + 1;
    let text = this.#read(startFile);
    if (text === null) {
      const first = top?.isOfThisBoot ? least : Math.max(least, epochAt(Date.now()));
      createExclusively(this.directory, startFile, String(first));
      text = this.#read(startFile);
    }
    if (!/^\d{1,12}$/.test(text ?? ''))
      throw new InputError(`${join(this.directory, startFile)} is damaged: remove it`);
    return Math.max(least, Number(text));
  }

  #epochs(): number[] {
    return readdirSync(this.directory).flatMap((name) => {
      const epoch = viewFile.test(name) ? Number(name.slice(prefix.length)) : Infinity;
      return epoch <= lastEpoch ? [epoch] : [];
    });
  }

  #newestFile(): NewestViewFile | null {
    let last = -1;
    for (;;) {
      const epochs = this.#epochs();
      if (epochs.length === 0) return null;
      const epoch = Math.max(...epochs);
      const text = this.#read(prefix + epoch);
      if (text !== null || epoch === last) return this.#trusted(epoch, text ?? '');
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

  #trusted(epoch: number, text: string): NewestViewFile {
    const file = parseRecord(text);
    if (file.is !== 'view' || file.view.epoch !== epoch) {
      const path = join(this.directory, prefix + epoch);
      if (!this.#reported.has(path))
        this.#warn(`${path} is not a view that this version can read: it is passed over`);
      this.#reported.add(path);
      return { epoch, view: null, isOfThisBoot: false };
    }
    const { algorithm, members } = file.view;
    const isOfThisBoot = file.boot === bootId;
    return { epoch, view: { epoch, algorithm, members: isOfThisBoot ? members : [] }, isOfThisBoot };
  }
}

const nameFile = 'name';
const startPrefix = 'start-';
const startFile = startPrefix + bootId;
const viewFile = /^view-(0|[1-9]\d{0,11})$/;
const unreadable = ['ENOENT', 'EISDIR', 'EACCES', 'ELOOP'];
