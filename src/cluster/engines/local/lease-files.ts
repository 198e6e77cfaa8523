// The leases of a group's members, one small file each. They have their own directory, so that renewals do not wake watchers of views.
import {
  closeSync,
  constants,
  fstatSync,
  mkdirSync,
  openSync,
  readFileSync,
  rmSync,
  writeSync,
} from 'node:fs';
import { join } from 'node:path';
import type { MemberId } from '../../../member/index.ts';
import { bootId } from '../../boot-id.ts';
import { errorCode } from './exclusive-files.ts';

// A monotonic clock that all processes of a machine share.
const nowMs = (): number => Number(process.hrtime.bigint() / 1_000_000n);

export class LeaseFiles {
  readonly directory: string;
  readonly #durationMs: number;
  readonly #open = new Map<MemberId, number>();

  constructor(groupDirectory: string, durationMs: number) {
    this.directory = join(groupDirectory, 'leases');
    this.#durationMs = durationMs;
  }

  renew(id: MemberId): void {
    const text = `${String(nowMs() + this.#durationMs).padStart(16, '0')} ${bootId}\n`; // fixed length: it overwrites the previous text
    writeSync(this.#descriptor(id), text, 0);
  }

  /** Returns the remaining time of a member's lease; 0 if it has expired or does not exist. */
  leftMs(id: MemberId): number {
    try {
      const [until, boot] = readFileSync(join(this.directory, id), 'utf8').trimEnd().split(' ');
      return boot === bootId ? Math.max(0, Number(until) - nowMs()) || 0 : 0;
    } catch (error) {
      if (errorCode(error) === 'ENOENT') return 0;
      throw error; // for example out of file descriptors: no evidence about the member
    }
  }

  forget(id: MemberId): void {
    this.#close(id);
    rmSync(join(this.directory, id), { force: true });
  }

  close(): void {
    for (const id of this.#open.keys()) this.#close(id);
  }

  #descriptor(id: MemberId): number {
    const known = this.#open.get(id);
    if (known !== undefined && fstatSync(known).nlink > 0) return known;
    this.#close(id); // the file was removed by another program
    this.#ensureDirectory();
    const opened = openSync(join(this.directory, id), constants.O_WRONLY | constants.O_CREAT, 0o600);
    this.#open.set(id, opened);
    return opened;
  }

  /** Not recursive: if the directory of the group is missing, the caller must notice. */
  #ensureDirectory(): void {
    try {
      mkdirSync(this.directory, { mode: 0o700 });
    } catch (error) {
      if (errorCode(error) !== 'EEXIST') throw error;
    }
  }

  #close(id: MemberId): void {
    const known = this.#open.get(id);
    this.#open.delete(id);
    if (known !== undefined) closeSync(known);
  }
}
