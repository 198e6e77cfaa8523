// The files of a group on one machine, and what can happen to them. As root they lie on a small disk of their own, and the members run as a
// user of their own.
import { type ChildProcess, execFileSync, fork, spawnSync } from 'node:child_process';
import {
  chmodSync,
  chownSync,
  closeSync,
  type Dirent,
  ftruncateSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  openSync,
  readdirSync,
  rmdirSync,
  rmSync,
  type Stats,
  writeFileSync,
  writeSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Random } from '../src/core/random.ts';
import type { MemberHost } from './ground.ts';

/** A file or a directory of the group. */
export interface Entry {
  readonly path: string;
  readonly kind: string; // the path without ids and numbers
  readonly isMark: boolean; // of the high-water mark, outside the directory of the group
  readonly stats: Stats;
}

type Damage = (typeof damages)[number];
const damages = ['truncated', 'random bytes', 'empty', 'a directory in its place'] as const;

const variable = /[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}|[0-9a-f]{8,}|\d+/g; // ids and numbers in the names of files
const diskBytes = 8 * 1024 * 1024;
const diskInodes = 4000;

export class GroupFiles implements MemberHost {
  readonly title: string;
  /** What cannot be done here, and why. */
  readonly leftOut: readonly string[];
  readonly hasDisk: boolean;
  readonly #folder = mkdtempSync(join(tmpdir(), 'bc-')); // short, as paths of sockets must be
  readonly #user: { readonly uid?: number; readonly gid?: number };
  readonly #markFolder: string | null;
  readonly #fills: string[] = [];
  readonly #changed = new Map<string, Stats>(); // paths with a wrong mode or a directory in place of a file, as they were before
  readonly #lostMarks = new Map<string, string>(); // paths of damaged marks, as they were left

  constructor() {
    const isRoot = process.getuid?.() === 0;
    const uid = 61_000 + (process.pid % 4000);
    const hasUser = isRoot && canRun(uid);
    this.#user = hasUser ? { uid, gid: uid } : {};
    this.#markFolder = hasUser ? `/var/tmp/baton-${uid}` : null;
    this.hasDisk = isRoot && this.#mount();
    if (hasUser) chownSync(this.#folder, uid, uid);
    this.title = `one machine${this.hasDisk ? ', a disk of 8 MB' : ''}`;
    this.leftOut = [
      this.hasDisk ? '' : 'The disk is never full: only root can mount one for this.',
      hasUser ? '' : 'The mark in /var/tmp is left alone: it belongs to a user who may have other groups.',
      isRoot && !hasUser ? 'No file has a wrong mode: root may open it all the same.' : '',
    ].filter((text) => text !== '');
    process.on('exit', this.#remove);
  }

  get hasModes(): boolean {
    return process.getuid?.() !== 0 || this.#user.uid !== undefined;
  }

  /** The folder that holds the directories of all groups. */
  get root(): string {
    return join(this.#folder, 'baton');
  }

  start(_member: number, file: string, env: NodeJS.ProcessEnv): ChildProcess {
    return fork(file, [], { env, serialization: 'advanced', ...this.#user });
  }

  async end(): Promise<void> {
    this.#remove();
    process.off('exit', this.#remove);
  }

  /** Removes the directory of the group with everything in it. */
  sweepGroup(): void {
    for (const { path, stats } of this.#entries(this.root, false))
      if (stats.isDirectory()) attempt(() => rmSync(path, { recursive: true, force: true, maxRetries: 5 }));
  }

  /** Removes the directory of all groups. */
  sweepRoot(): void {
    attempt(() => rmSync(this.root, { recursive: true, force: true, maxRetries: 5 }));
  }

  /** Removes files that have not been written for some time, as cleaners of temporary files do. */
  sweepOld(seconds: number): void {
    for (const { path, stats } of this.#entries(this.root, true))
      if (!stats.isDirectory() && Date.now() - stats.mtimeMs > 1000 * seconds) rmSync(path, { force: true });
  }

  /** Removes one file of a random kind, or all of that kind. */
  remove(random: Random, isChosen: (entry: Entry) => boolean): void {
    for (const entry of this.#pick(random, isChosen)) {
      rmSync(entry.path, { force: true });
      this.#noteMark(entry);
    }
  }

  /** Damages one file of a random kind, or all of that kind. */
  damage(random: Random, isChosen: (entry: Entry) => boolean): void {
    const how = damages[random.below(damages.length)]!;
    for (const entry of this.#pick(random, isChosen)) {
      attempt(() => this.#damageOne(entry, how, random));
      this.#noteMark(entry);
    }
  }

  /** Gives a random file or directory a mode that is too strict, or too open. */
  spoilMode(random: Random): void {
    const own = this.#entries(this.#folder, false).filter(({ path }) => path === this.root);
    const all = [...own, ...this.#entries(this.root, true)].filter(({ path }) => !this.#changed.has(path));
    const entry = oneOf(random, ofOneKind(random, all));
    if (entry === null) return;
    this.#changed.set(entry.path, entry.stats);
    attempt(() => chmodSync(entry.path, random.chance(0.5) ? 0 : 0o777));
  }

  /** Undoes wrong modes, and removes directories that stand in place of files: the part of the operator. */
  restore(): void {
    const outerFirst = [...this.#changed].sort(([a], [b]) => a.length - b.length); // inner ones may be out of reach before
    for (const [path, before] of outerFirst)
      attempt(() => {
        const stats = lstatSync(path);
        if (stats.isDirectory() && !before.isDirectory()) rmdirSync(path);
        else if (stats.ino === before.ino) chmodSync(path, before.mode & 0o777);
      });
    this.#changed.clear();
  }

  /** Fills the disk to the last byte, or takes its last inode. To be repeated, as members give room back. */
  fill(byInodes: boolean): void {
    attempt(() => {
      for (let left = 2 * diskInodes; left > 0; left -= 1) {
        const path = join(this.#folder, `full-${this.#fills.length}`);
        this.#fills.push(path);
        if (byInodes) writeFileSync(path, '');
        else writeAll(path);
      }
    });
  }

  makeRoom(): void {
    for (const path of this.#fills.splice(0)) rmSync(path, { force: true });
  }

  /** Whether the group has not yet repaired a mark that was removed or damaged. */
  get isMarkLost(): boolean {
    for (const [path, left] of this.#lostMarks)
      if (![left, ''].includes(fingerprint(path))) this.#lostMarks.delete(path);
    return this.#lostMarks.size > 0;
  }

  #noteMark({ path, isMark }: Entry): void {
    if (isMark) this.#lostMarks.set(path, fingerprint(path));
  }

  #pick(random: Random, isChosen: (entry: Entry) => boolean): Entry[] {
    const files = this.#all().filter((entry) => !entry.stats.isDirectory() && isChosen(entry));
    const kind = ofOneKind(random, files);
    const one = oneOf(random, kind);
    return one === null ? [] : random.chance(0.5) ? kind : [one];
  }

  #damageOne({ path, stats }: Entry, how: Damage, random: Random): void {
    if (how === 'a directory in its place') {
      this.#changed.set(path, stats);
      rmSync(path, { force: true });
      mkdirSync(path);
    } else if (!stats.isFile()) {
      rmSync(path, { force: true });
      writeFileSync(path, ''); // no socket any more
    } else {
      const file = openSync(path, 'r+');
      if (how === 'random bytes') writeSync(file, randomBytes(random, 1 + random.below(200)), 0);
      else ftruncateSync(file, how === 'empty' ? 0 : Math.floor(stats.size / 2));
      closeSync(file);
    }
    if (this.#user.uid !== undefined) chownSync(path, this.#user.uid, this.#user.uid);
  }

  #all(): Entry[] {
    return [
      ...this.#entries(this.root, true),
      ...(this.#markFolder === null ? [] : this.#entries(this.#markFolder, true, true)),
    ];
  }

  #entries(folder: string, recursive: boolean, isMark = false): Entry[] {
    let found: Dirent[] = [];
    attempt(() => {
      found = readdirSync(folder, { recursive, withFileTypes: true });
    });
    return found.flatMap((entry) => {
      const path = join(entry.parentPath, entry.name);
      const stats = lstatSync(path, { throwIfNoEntry: false });
      const name = relative(folder, path).replace(variable, '*');
      return stats === undefined ? [] : [{ path, kind: isMark ? `mark/${name}` : name, isMark, stats }];
    });
  }

  #mount(): boolean {
    const options = `size=${diskBytes},nr_inodes=${diskInodes},mode=0755`;
    const { status } = spawnSync('mount', ['-t', 'tmpfs', '-o', options, 'tmpfs', this.#folder]);
    return status === 0;
  }

  readonly #remove = () => {
    this.restore();
    if (this.hasDisk) attempt(() => execFileSync('umount', ['--lazy', this.#folder], { stdio: 'ignore' }));
    attempt(() => rmSync(this.#folder, { recursive: true, force: true }));
    if (this.#markFolder !== null) attempt(() => rmSync(this.#markFolder!, { recursive: true, force: true }));
  };
}

/** Whether this user can read the program of a member. */
function canRun(uid: number): boolean {
  const worker = fileURLToPath(new URL('worker.js', import.meta.url));
  return spawnSync(process.execPath, ['--check', worker], { uid, gid: uid }).status === 0;
}

const oneOf = <T>(random: Random, all: readonly T[]): T | null =>
  all.length === 0 ? null : all[random.below(all.length)]!;

/** Returns the entries of a random kind: kinds of which there are many are no more likely. */
function ofOneKind(random: Random, all: readonly Entry[]): Entry[] {
  const kind = oneOf(random, [...new Set(all.map((entry) => entry.kind))].sort());
  return all.filter((entry) => entry.kind === kind);
}

const randomBytes = (random: Random, length: number): Buffer =>
  Buffer.from(Array.from({ length }, () => random.below(256)));

function fingerprint(path: string): string {
  const stats = lstatSync(path, { throwIfNoEntry: false });
  return stats === undefined ? '' : `${stats.ino} ${stats.size} ${stats.mtimeMs}`;
}

function writeAll(path: string): void {
  const file = openSync(path, 'w');
  try {
    for (let size = 65_536; size >= 1; size /= 2)
      attempt(() => {
        for (;;) writeSync(file, Buffer.alloc(size));
      });
  } finally {
    closeSync(file);
  }
  throw new Error('full');
}

/** Does what may fail because members change their files at the same time. */
function attempt(action: () => void): void {
  try {
    action();
  } catch {
    // somebody else was faster, or the disk is full
  }
}
