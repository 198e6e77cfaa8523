// Where groups of this user on this machine live: nobody else may look into it.
import { createHash } from 'node:crypto';
import { existsSync, lstatSync, mkdirSync, readdirSync, readFileSync, type Stats } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { InputError } from '../../../core/assert.ts';
import { errorCode } from './exclusive-files.ts';

const longestGroup = 200;

/**
 * $BATON_DIR, or one beside the temporary files. Made if it is not there. All processes of a user must find the same: neither $XDG_RUNTIME_DIR nor
 * $TMPDIR is asked, which what cron starts has not, and /run/user/UID comes and goes with who is logged in.
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
    const recursive = !existsSync(dirname(directory)); // where nothing can be made, like /proc, it would try for ever
    mkdirSync(directory, { recursive, mode: 0o700 });
  } catch (error) {
    if (errorCode(error) === 'EEXIST') return; // something else is there, as will be said
    throw new InputError(
      `${directory} cannot be made (${errorCode(error)}): set BATON_DIR to a directory of yours`,
    );
  }
}

function chosenDirectory(uid: number): string {
  const { BATON_DIR: ours } = process.env;
  return ours ? resolve(ours) : `/tmp/baton-${uid}`; // others must find it, from wherever they are
}

function flawOf(stats: Stats, uid: number): string | null {
  if (!stats.isDirectory()) return 'is not a directory';
  if (stats.uid !== uid) return 'belongs to another user';
  return (stats.mode & 0o077) === 0 ? null : 'is open to other users';
}

/** The group's own part of it. Short, because paths of sockets are: any name gives the same length. */
export function groupDirectory(name: string): string {
  if (name.length < 1 || name.length > longestGroup)
    throw new InputError(`a group's name has 1 to ${longestGroup} characters, this one has ${name.length}`);
  return join(openDirectory(), createHash('sha256').update(name).digest('hex').slice(0, 12));
}

/** The names of the groups that are or were here. */
export function groupsPresent(): string[] {
  const directory = openDirectory();
  const names: string[] = [];
  for (const entry of readdirSync(directory)) {
    try {
      names.push(readFileSync(join(directory, entry, 'name'), 'utf8'));
    } catch {
      // not a group's
    }
  }
  return names.sort();
}
