// The directory for this user's groups on this machine. Other users have no access.
import { createHash } from 'node:crypto';
import { existsSync, lstatSync, mkdirSync, readdirSync, readFileSync } from 'node:fs';
import { basename, dirname, join, resolve } from 'node:path';
import { BatonError, systemReason, unavailable } from '../../errors.ts';
import { createExclusively, errorCode, replaceFile } from './exclusive-files.ts';

const longestGroup = 200;
const nameFile = 'name';

/** The directory of one group. Its owner, mode and identity are checked whenever it is used: another user may have created it anew. */
export class GroupDirectory {
  readonly path: string;
  readonly #group: string;
  readonly #root = chosenDirectory();
  readonly #warn: (sentence: string) => void;

  constructor(group: string, warn: (sentence: string) => void) {
    if (group.length < 1 || group.length > longestGroup)
      throw inputError(`a group's name has 1 to ${longestGroup} characters, this one has ${group.length}`);
    this.#group = group;
    this.#warn = warn;
    this.path = join(this.#root, directoryName(group));
  }

  /** Creates the directory of the group, also after another program removed it. */
  create(): void {
    createDirectory(this.#root);
    privateDirectory(this.#root);
    createDirectory(this.path);
    privateDirectory(this.path);
    this.ensureName();
  }

  /**
   * Returns what distinguishes this directory from one that is created later at the same path.
   *
   * @throws the system's error when it is missing, a BatonError when it is not private to this user.
   */
  identity(): string {
    privateDirectory(this.#root);
    const { dev, ino } = privateDirectory(this.path);
    return `${dev}:${ino}`;
  }

  /** Creates the file with the group's name, or repairs it. */
  ensureName(): void {
    if (createExclusively(this.path, nameFile, this.#group)) return;
    const path = this.nameFile;
    const name = textIn(path);
    if (name === this.#group) return;
    if (name !== null && directoryName(name) === basename(this.path))
      throw inputError(`${this.path} is the directory of group '${name}', not of '${this.#group}'`);
    this.#warn(`${path} was damaged: it is written again`);
    replaceFile(this.path, nameFile, this.#group);
  }

  get nameFile(): string {
    return join(this.path, nameFile);
  }
}

const inputError = (message: string) => new BatonError('input', message);

/** The name of a group's directory is a short hash, because paths of sockets must be short. */
const directoryName = (group: string): string =>
  createHash('sha256').update(group).digest('hex').slice(0, 12);

/**
 * Returns $BATON_DIR, or /tmp/baton-UID, and creates it if necessary. All processes of a user must find the same directory. So
 * $XDG_RUNTIME_DIR and $TMPDIR are ignored, which cron does not set, and /run/user/UID, which is removed at logout.
 */
export function openDirectory(): string {
  const directory = chosenDirectory();
  createDirectory(directory);
  privateDirectory(directory);
  return directory;
}

function createDirectory(directory: string): void {
  try {
    const recursive = !existsSync(dirname(directory)); // `recursive` never ends where nothing can be created, as in /proc
    mkdirSync(directory, { recursive, mode: 0o700 });
  } catch (error) {
    if (errorCode(error) !== 'EEXIST') throw unusable(directory, 'created', error); // the caller checks what is there
  }
}

function unusable(directory: string, what: string, error: unknown): BatonError {
  const code = errorCode(error)!;
  const message = `${directory} cannot be ${what}`;
  if (circumstances.includes(code)) return unavailable(`${message}: ${systemReason(error)}`, error);
  return new BatonError('input', `${message} (${code}): set BATON_DIR to a directory of yours`, {
    cause: error,
  });
}

const circumstances = ['ENOSPC', 'EDQUOT', 'EMFILE', 'ENFILE', 'EIO', 'ENOMEM'];

function chosenDirectory(): string {
  const { BATON_DIR: ours } = process.env;
  return ours ? resolve(ours) : `/tmp/baton-${ownUid()}`; // absolute: other processes run in other directories
}

export function ownUid(): number {
  const uid = process.getuid?.();
  if (uid !== undefined) return uid;
  throw inputError(
    'groups of one machine need unix sockets, which this system does not have: name an engine',
  );
}

/** Returns the identity of a directory that is private to this user. */
function privateDirectory(directory: string): DirectoryStats {
  let stats: DirectoryStats;
  try {
    stats = lstatSync(directory, { bigint: true });
  } catch (error) {
    throw errorCode(error) === 'ENOENT' ? error : unusable(directory, 'used', error);
  }
  const flaw = flawOf(stats);
  if (flaw === null) return stats;
  const remedy = flaw.remedy === null ? '' : `${flaw.remedy}, or `;
  throw inputError(
    `${directory} ${flaw.is}: ${remedy}set BATON_DIR, for all processes of the group, to a directory of yours with mode 0700`,
  );
}

interface DirectoryStats {
  readonly dev: bigint;
  readonly ino: bigint;
  readonly uid: bigint;
  readonly mode: bigint;
  isDirectory(): boolean;
}

/** Why a directory is not private to this user, and what to do about it, if anything. */
export interface DirectoryFlaw {
  readonly is: string;
  readonly remedy: string | null;
}

/** Returns null if the directory is private to this user. */
export function flawOf(stats: DirectoryStats): DirectoryFlaw | null {
  if (!stats.isDirectory()) return { is: 'is not a directory', remedy: null };
  if (stats.uid !== BigInt(ownUid()))
    return { is: `belongs to another user, uid ${stats.uid}`, remedy: 'have it removed' };
  if ((stats.mode & 0o077n) === 0n) return null;
  return { is: 'is open to other users', remedy: 'give it mode 0700' };
}

function textIn(path: string): string | null {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return null;
  }
}

/**
 * Returns the names of this user's groups on this machine, in alphabetical order, including groups without members.
 *
 * @throws {BatonError} `input` when the directory of groups cannot be used.
 * @throws {BatonError} `unavailable` when the system cannot read it now.
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
  let entries: string[];
  try {
    entries = readdirSync(directory);
  } catch (error) {
    throw unavailable(`${directory} cannot be read: ${systemReason(error)}`, error);
  }
  return entries
    .flatMap((entry) => {
      const name = textIn(join(directory, entry, nameFile));
      return name !== null && directoryName(name) === entry ? [name] : [];
    })
    .sort();
}
