// The leases of a group's members, one small file each. They have their own directory, so that renewals do not wake watchers of views.
import { closeSync, constants, fstatSync, mkdirSync, openSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import type { MemberId } from '../../../member/index.ts';
import { bootId } from '../../boot-id.ts';
import { errorCode, overwrite } from './exclusive-files.ts';
import { longestLeaseMs, machineMs } from './machine-clock.ts';

const shape = /^(\d{16}) (\S+)\n$/;

export class LeaseFiles {
  readonly directory: string;
  readonly #durationMs: number;
  readonly #open = new Map<MemberId, number>();
  readonly #missingSince = new Map<MemberId, number>();

  constructor(groupDirectory: string, durationMs: number) {
    this.directory = join(groupDirectory, 'leases');
    this.#durationMs = durationMs;
  }

  renew(id: MemberId): void {
    this.#write(id, machineMs() + this.#durationMs);
  }

  /** Ends a lease. Its file stays, because a missing file does not show that a lease is over. */
  end(id: MemberId): void {
    this.#write(id, 0);
    this.#close(id);
  }

  remove(id: MemberId): void {
    this.#close(id);
    rmSync(join(this.directory, id), { force: true });
  }

  /**
   * Returns the remaining time of a member's lease; 0 if it is over. A lease without a valid file is over one lease after that was first
   * found: its member may have renewed it before another program removed or damaged the file.
   */
  leftMs(id: MemberId): number {
    const now = machineMs();
    const until = this.#until(id);
    if (until !== null) this.#missingSince.delete(id);
    else if (!this.#missingSince.has(id)) this.#missingSince.set(id, now);
    return Math.max(0, (until ?? this.#missingSince.get(id)! + this.#durationMs) - now);
  }

  /** Forgets since when leases of other members are missing. */
  keep(ids: ReadonlySet<MemberId>): void {
    for (const id of this.#missingSince.keys()) if (!ids.has(id)) this.#missingSince.delete(id);
  }

  close(): void {
    for (const id of this.#open.keys()) this.#close(id);
  }

  /** Returns the end of a lease; null if it has no valid file. */
  #until(id: MemberId): number | null {
    let text: string;
    try {
      text = readFileSync(join(this.directory, id), 'utf8');
    } catch (error) {
      if (['ENOENT', 'EISDIR', 'ELOOP', 'EACCES'].includes(errorCode(error)!)) return null;
      throw error; // for example out of file descriptors: no evidence about the member
    }
    const [, until, boot] = shape.exec(text) ?? [];
    if (until === undefined) return null;
    if (boot !== bootId) return 0;
    return Number(until) > machineMs() + longestLeaseMs ? null : Number(until);
  }

  #write(id: MemberId, until: number): void {
    const text = `${String(Math.ceil(until)).padStart(16, '0')} ${bootId}\n`; // fixed length: it overwrites the previous text
    overwrite(this.#descriptor(id), text);
  }

  #descriptor(id: MemberId): number {
    const known = this.#open.get(id);
    if (known !== undefined && fstatSync(known).nlink > 0) return known;
    this.#close(id); // the file was removed by another program
    this.#ensureDirectory();
    const flags = constants.O_WRONLY | constants.O_CREAT | constants.O_NOFOLLOW;
    const opened = openSync(join(this.directory, id), flags, 0o600);
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
