// The owner and mode of a group's directories are checked at every use, and errors of the file system are reported in a sentence.
import { execFileSync, spawnSync } from 'node:child_process';
import {
  chmodSync,
  chownSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, type TestContext, test } from 'vitest';
import { EmbeddedEngine } from '../../src/cluster/engines/local/embedded-engine.ts';
import { BatonError, type Group, groups, join as joinGroup } from '../../src/cluster/index.ts';
import { algorithm, leaseMs, peerNamed, soon } from '../conformance/engine.ts';
import { moduleArguments } from './inline-module.ts';

const a = peerNamed('a');
const nobody = 65_534;
const isRoot = process.getuid!() === 0;
const needsRoot = ({ skip }: TestContext) => {
  if (!isRoot) skip('only root can give a directory to another user');
};
let folder: string;
let engine: EmbeddedEngine;
const root = () => join(folder, 'groups');
const ofGroup = () => join(root(), readdirSync(root())[0]!);
const open = () => new EmbeddedEngine({ group: 'orders', leaseMs, markDirectory: join(folder, 'marks') });

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'baton-private-'));
  process.env.BATON_DIR = root();
});
afterEach(async () => {
  delete process.env.BATON_DIR;
  rmSync(folder, { recursive: true, force: true });
});

/** Replaces a directory by one that looks the same to a careless process. */
const replacements: Readonly<Record<string, (path: string) => void>> = {
  'belongs to another user': (path) => {
    mkdirSync(path, { mode: 0o700 });
    chownSync(path, nobody, nobody);
  },
  'is open to other users': (path) => {
    mkdirSync(path);
    chmodSync(path, 0o777);
  },
  'is not a directory': (path) => {
    mkdirSync(join(folder, 'target'), { mode: 0o700 });
    symlinkSync(join(folder, 'target'), path);
  },
};

describe('a directory that somebody else creates anew', () => {
  beforeEach(async () => {
    engine = open();
    await engine.renew('a');
    await engine.change(null, algorithm, [a]);
  });
  afterEach(() => engine.close());

  const operations: Readonly<Record<string, () => Promise<unknown>>> = {
    read: () => engine.read(),
    change: () => engine.change(null, algorithm, [a]),
    renew: () => engine.renew('a'),
    forget: () => engine.forget('a'),
    listen: () => engine.listen('b', async () => {}),
  };
  const paths = { 'of the user': root, 'of the group': ofGroup };
  const cases = Object.keys(replacements).flatMap((what) =>
    Object.entries(paths).map(([whose, path]) => ({ what, whose, path })),
  );

  test.for(cases)('and $what, is not used: the one $whose', async ({ what, path }, context) => {
    if (what.includes('another user')) needsRoot(context);
    const at = path();
    renameSync(at, join(folder, 'swept'));
    replacements[what]!(at);
    for (const operation of Object.values(operations))
      await expect(operation()).rejects.toMatchObject({
        code: 'input',
        message: expect.stringMatching(new RegExp(`^${at} ${what}.*set BATON_DIR`)),
      });
    expect(readdirSync(at)).toEqual([]);
    rmSync(at, { recursive: true });
    expect(await engine.read()).toBe(null); // it is created again
  });
});

describe('the default directory', () => {
  test('of another user: the error says what to do', (context) => {
    needsRoot(context);
    mkdirSync(root(), { mode: 0o700 });
    chownSync(root(), nobody, nobody);
    const sentence = `${root()} belongs to another user, uid ${nobody}: have it removed, or set BATON_DIR, for all processes of the group, to a directory of yours with mode 0700`;
    expect(() => open()).toThrow(sentence);
    expect(() => groups()).toThrow(sentence);
  });

  test('a process of another user does not use ours, nor create files in it', (context) => {
    needsRoot(context);
    open();
    chmodSync(folder, 0o755);
    const program = `
      process.setgid(${nobody}); process.setuid(${nobody});
      const { join } = await import('batonjs');
      await join('orders').then(() => console.log('joined'), ({ code, message }) => console.log(code, message));`;
    const { stdout } = spawnSync(process.execPath, moduleArguments(program), {
      encoding: 'utf8',
      env: { ...process.env, BATON_DIR: root() },
    });
    expect(stdout).toMatch(new RegExp(`^input ${root()} belongs to another user, uid 0`));
    expect(readdirSync(ofGroup())).toEqual(['name']);
  });
});

describe('a full disk', () => {
  let isMounted = false;
  let joined: Group[] = [];
  const disk = () => join(folder, 'disk');

  function mount({ skip }: TestContext): void {
    mkdirSync(disk(), { mode: 0o700 });
    try {
      execFileSync('mount', ['-t', 'tmpfs', '-o', 'size=256k,mode=700', 'tmpfs', disk()], {
        stdio: 'ignore',
      });
      isMounted = true;
    } catch {
      skip('a file system can only be mounted by root, and not in every container');
    }
    process.env.BATON_DIR = disk();
  }
  const fill = () => {
    for (let size = 65_536; size >= 1; size = Math.floor(size / 4))
      try {
        for (let i = 0; ; i += 1) writeFileSync(join(disk(), `filler-${size}-${i}`), 'x'.repeat(size));
      } catch (error) {
        expect((error as NodeJS.ErrnoException).code).toBe('ENOSPC');
      }
  };
  const empty = () => {
    for (const name of readdirSync(disk())) if (name.startsWith('filler')) rmSync(join(disk(), name));
  };
  afterEach(async () => {
    await Promise.all(joined.map((group) => group.leave()));
    joined = [];
    if (isMounted) execFileSync('umount', ['-l', disk()]);
    isMounted = false;
  });

  const sentence = /the disk is full$/;

  test('refuses to join with a sentence, and admits when there is room', async (context) => {
    mount(context);
    fill();
    const error = await joinGroup('orders').catch((reason) => reason);
    expect(error).toBeInstanceOf(BatonError);
    expect(error).toMatchObject({ code: 'unavailable', message: expect.stringMatching(sentence) });
    expect(error.cause).toMatchObject({ code: 'ENOSPC' });
    empty();
    joined.push(await joinGroup('orders'));
  });

  test('costs no member its locks, and is told as an event', async (context) => {
    mount(context);
    const first = await joinGroup('orders', { leaseMs: 1000 });
    const second = await joinGroup('orders', { leaseMs: 1000 });
    joined.push(first, second);
    const failures: unknown[] = [];
    first.on('failed', (error) => failures.push(error));
    await using lock = await first.lock('invoice-42');
    fill();
    const leaving = second.leave(); // needs a new view
    await soon(() => failures.length + (first.view?.members.length === 1 ? 1 : 0)).toBeGreaterThan(0);
    await leaving;
    await new Promise((resolve) => setTimeout(resolve, 1500)); // longer than a lease: renewals need no room
    lock.assertHeld();
    for (const error of failures) {
      expect(error).toBeInstanceOf(BatonError);
      expect(error).toMatchObject({ code: 'unavailable' });
    }
    empty();
    joined.push(await joinGroup('orders', { leaseMs: 1000 }));
    expect(lock.fence).toBeGreaterThan(0);
  });
});

test.for([
  ['EROFS', '/proc/sys/baton'],
  ['ENOTDIR', '/dev/null/baton'],
] as const)('a directory that cannot be used (%s) is refused with a sentence', async ([, path]) => {
  process.env.BATON_DIR = path;
  await expect(joinGroup('orders')).rejects.toMatchObject({
    name: 'BatonError',
    code: 'input',
    message: expect.stringMatching(/^\/\w+\/.* cannot be (?:created|used) \(E\w+\): set BATON_DIR/),
  });
  expect(existsSync(path)).toBe(false);
});
