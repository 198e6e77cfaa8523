// The leases of one group's members, one small file each. They lie apart from the views, lest every renewal wake who watches those.
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

// One clock for all processes of a machine, as nobody can set it.
const nowMs = (): number => Number(process.hrtime.bigint() / 1_000_000n);

export class LeaseFiles {
  readonly directory: string;
  readonly #lastsMs: number;
  readonly #open = new Map<MemberId, number>();

  constructor(groupDirectory: string, lastsMs: number) {
    this.directory = join(groupDirectory, 'leases');
    this.#lastsMs = lastsMs;
  }

  renew(id: MemberId): void {
    const text = `${String(nowMs() + this.#lastsMs).padStart(16, '0')} ${bootId}\n`; // as long as the one before
    writeSync(this.#descriptor(id), text, 0);
  }

  /** How long this member's lease still lasts; 0 if it is over, or there is none. */
  leftMs(id: MemberId): number {
    try {
      const [until, boot] = readFileSync(join(this.directory, id), 'utf8').trimEnd().split(' ');
      return boot === bootId ? Math.max(0, Number(until) - nowMs()) || 0 : 0;
    } catch (error) {
      if (errorCode(error) === 'ENOENT') return 0;
      throw error; // out of descriptors, for one: that says nothing about others
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
    this.#close(id); // somebody has swept the file away
    this.#ensureDirectory();
    const opened = openSync(join(this.directory, id), constants.O_WRONLY | constants.O_CREAT, 0o600);
    this.#open.set(id, opened);
    return opened;
  }

  /** In the group's, which must be there: whoever sweeps that away has to be noticed. */
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
