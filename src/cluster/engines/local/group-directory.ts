// The directory for this user's groups on this machine. Other users have no access.
import { createHash } from 'node:crypto';
import { existsSync, lstatSync, mkdirSync, readdirSync, readFileSync, type Stats } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { InputError } from '../../../core/assert.ts';
import { errorCode } from './exclusive-files.ts';

const longestGroup = 200;

/**
 * Returns $BATON_DIR, or /tmp/baton-UID, and creates it if necessary. All processes of a user must find the same directory. So
 * $XDG_RUNTIME_DIR and $TMPDIR are ignored, which cron does not set, and /run/user/UID, which is removed at logout.
 */
export function openDirectory(): string {
  const uid = process.getuid?.();
  if (uid === undefined)
    throw new InputError(
      'groups of one machine need unix sockets, which this system has not: name an engine',
    );
  const directory = chosenDirectory(uid);
  createDirectory(directory);
  const stats = lstatSync(directory);
  const flaw = flawOf(stats, uid);
  if (flaw !== null)
    throw new InputError(`${directory} ${flaw}: set BATON_DIR to a directory of yours with mode 0700`);
  return directory;
}

function createDirectory(directory: string): void {
  try {
    const recursive = !existsSync(dirname(directory)); // `recursive` never ends where nothing can be created, as in /proc
    mkdirSync(directory, { recursive, mode: 0o700 });
  } catch (error) {
    if (errorCode(error) === 'EEXIST') return; // the caller checks what is there
    throw new InputError(
      `${directory} cannot be made (${errorCode(error)}): set BATON_DIR to a directory of yours`,
    );
  }
}

function chosenDirectory(uid: number): string {
  const { BATON_DIR: ours } = process.env;
  return ours ? resolve(ours) : `/tmp/baton-${uid}`; // absolute: other processes run in other directories
}

function flawOf(stats: Stats, uid: number): string | null {
  if (!stats.isDirectory()) return 'is not a directory';
  if (stats.uid !== uid) return 'belongs to another user';
  return (stats.mode & 0o077) === 0 ? null : 'is open to other users';
}

/** Returns the directory of a group. Its name is a short hash, because paths of sockets must be short. */
export function groupDirectory(name: string): string {
  if (name.length < 1 || name.length > longestGroup)
    throw new InputError(`a group's name has 1 to ${longestGroup} characters, this one has ${name.length}`);
  return join(openDirectory(), createHash('sha256').update(name).digest('hex').slice(0, 12));
}

/**
 * Returns the names of this user's groups on this machine, in alphabetical order, including groups without members.
 *
 * @throws {InputError} when the directory of groups cannot be used.
 *
 * @example
 * import { join } from 'batonjs';
 * import { groups } from 'batonjs/cluster';
 *
 * await using group = await join('orders');
 * groups(); // → ['orders']
 */
export function groupsPresent(): string[] {
  const directory = openDirectory();
  const names: string[] = [];
  for (const entry of readdirSync(directory)) {
    try {
      names.push(readFileSync(join(directory, entry, 'name'), 'utf8'));
    } catch {
      // not the directory of a group
    }
  }
  return names.sort();
}
