// The highest epoch of a group and the end of the newest lease, outside of the directory that cleaners of temporary files sweep. So fences
// rise even if the clock was set back, and a newcomer waits for members whose files are lost.
import { createHash } from 'node:crypto';
import {
  closeSync,
  constants,
  fstatSync,
  lstatSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  rmSync,
} from 'node:fs';
import { join } from 'node:path';
import { lastEpoch } from '../../../member/index.ts';
import { bootId } from '../../boot-id.ts';
import { errorCode, overwrite } from './exclusive-files.ts';
import { flawOf, ownUid } from './group-directory.ts';
import { longestLeaseMs, machineMs } from './machine-clock.ts';

const keptMs = 30 * 24 * 3_600_000;
const mostPruned = 100; // at a time
const attempts = 3; // a read beside a write may see a part of each
const shape = /^(\d{12}) (\d{16}) (\S{1,36}) ([\da-f]{8})\n$/;

/** The content of a mark. */
export interface Mark {
  readonly epoch: number; // -1: not known
  readonly leaseUntil: number; // by the clock of the machine; 0 if no lease of this boot is known
}

const unknown: Mark = { epoch: -1, leaseUntil: 0 };

export const markDirectory = (): string => `/var/tmp/baton-${ownUid()}`;

/** Returns the name of the mark of the group in this directory. */
export const markName = (groupDirectory: string, group: string): string =>
  createHash('sha256').update(`${groupDirectory}\0${group}`).digest('hex').slice(0, 32);

export class HighWaterMark {
  readonly #directory: string;
  readonly #path: string;
  readonly #warn: (sentence: string) => void;
  readonly #warned = new Set<string>();

  constructor(
    groupDirectory: string,
    group: string,
    warn: (sentence: string) => void,
    directory = markDirectory(),
  ) {
    this.#directory = directory;
    this.#path = join(directory, markName(groupDirectory, group));
    this.#warn = warn;
  }

  read(): Mark {
    try {
      if (!this.#isUsable()) return unknown;
      for (let attempt = 0; attempt < attempts; attempt += 1) {
        const found = parse(this.#text());
        if (found !== null) return found;
      }
      this.#warnOnce(`${this.#path} is damaged: it is ignored, and written again with the next view`);
    } catch (error) {
      if (errorCode(error) !== 'ENOENT') this.#failed(error);
    }
    return unknown;
  }

  /** Raises the epoch and the end of the newest lease. `leaseUntil` null: there are no members, so no lease is left. */
  raise(epoch: number, leaseUntil: number | null): void {
    const before = this.read();
    const until = leaseUntil === null ? 0 : Math.max(before.leaseUntil, leaseUntil);
    try {
      if (this.#isUsable()) this.#write(serialize(Math.max(before.epoch, epoch), Math.ceil(until)));
    } catch (error) {
      this.#failed(error);
    }
  }

  #text(): string {
    const opened = openSync(this.#path, constants.O_RDONLY | constants.O_NOFOLLOW);
    try {
      return readFileSync(opened, 'utf8');
    } finally {
      closeSync(opened);
    }
  }

  #write(text: string): void {
    const flags = constants.O_WRONLY | constants.O_CREAT | constants.O_NOFOLLOW;
    const opened = openSync(this.#path, flags, 0o600);
    try {
      const { size } = fstatSync(opened);
      overwrite(opened, text);
      if (size === 0) this.#prune();
    } finally {
      closeSync(opened);
    }
  }

  /** Creates the directory if it is missing. Returns false if it is not private to this user. */
  #isUsable(): boolean {
    try {
      mkdirSync(this.#directory, { mode: 0o700 });
    } catch (error) {
      if (errorCode(error) !== 'EEXIST') throw error;
    }
    const flaw = flawOf(lstatSync(this.#directory, { bigint: true }));
    if (flaw !== null) this.#useless(flaw.is);
    return flaw === null;
  }

  /** Removes marks that were not written for long, of some that are there. */
  #prune(): void {
    const names = readdirSync(this.#directory);
    const first = Math.floor(Math.random() * Math.max(0, names.length - mostPruned + 1));
    for (const name of names.slice(first, first + mostPruned)) {
      const path = join(this.#directory, name);
      const { mtimeMs } = lstatSync(path, { throwIfNoEntry: false }) ?? {};
      if (mtimeMs !== undefined && Date.now() - mtimeMs > keptMs) rmSync(path, { force: true });
    }
  }

  #failed(error: unknown): void {
    this.#useless(`cannot be used (${errorCode(error) ?? error})`);
  }

  #useless(why: string): void {
    this.#warnOnce(
      `${this.#directory} ${why}. Without it, only the clock keeps fences rising when files of a group are lost`,
    );
  }

  #warnOnce(sentence: string): void {
    if (!this.#warned.has(sentence)) this.#warn(sentence);
    this.#warned.add(sentence);
  }
}

const checksum = (text: string): string => createHash('sha256').update(text).digest('hex').slice(0, 8);

/** Has a fixed length, so that it overwrites the previous text. */
function serialize(epoch: number, until: number): string {
  const text = `${String(epoch).padStart(12, '0')} ${String(until).padStart(16, '0')} ${bootId}`;
  return `${text} ${checksum(text)}\n`;
}

function parse(text: string): Mark | null {
  const [, epoch, until, boot, sum] = shape.exec(text) ?? [];
  if (sum === undefined || checksum(text.slice(0, -sum.length - 2)) !== sum) return null;
  const leaseUntil = boot === bootId ? Number(until) : 0;
  if (Number(epoch) > lastEpoch || leaseUntil > machineMs() + longestLeaseMs) return null;
  return { epoch: Number(epoch), leaseUntil };
}

/** Whether a lease of the group may still run. */
export const isLeaseRunning = ({ leaseUntil }: Mark): boolean => leaseUntil > machineMs();
