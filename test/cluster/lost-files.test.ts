// Real processes share one lock while another program removes and damages the files of their group. The log that they write under the
// lock is checked afterwards.
import { fork } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync, truncateSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, describe, expect, test } from 'vitest';
import { machineNs } from '../../src/cluster/engines/local/machine-clock.ts';
import { type Group, join as joinGroup } from '../../src/cluster/index.ts';
import { Random } from '../../src/core/random.ts';
import { checkLog } from './processes/check-log.ts';
import { Worker } from './processes/worker-process.ts';

const folder = mkdtempSync(join(tmpdir(), 'baton-lost-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const leaseMs = 1000;
const isGone = (error: unknown) => (error as NodeJS.ErrnoException).code === 'ENOENT';

/** The files of the only group in a directory. Other processes remove some while they are listed. */
function filesOf(directory: string): string[] {
  try {
    return readdirSync(directory, { recursive: true, encoding: 'utf8' })
      .filter((name) => name.includes('/'))
      .map((name) => join(directory, name));
  } catch (error) {
    if (isGone(error)) return [];
    throw error;
  }
}

const matching = (directory: string, pattern: RegExp) =>
  filesOf(directory).filter((path) => pattern.test(path));
const remove = (paths: readonly string[]) => {
  for (const path of paths) rmSync(path, { force: true, recursive: true });
};

/** As cleaners of temporary files do. Members create files meanwhile, so that the directory may not be empty at the end. */
function sweep(directory: string): void {
  for (const name of readdirSync(directory)) {
    try {
      rmSync(join(directory, name), { recursive: true, force: true });
    } catch (error) {
      expect((error as NodeJS.ErrnoException).code).toBe('ENOTEMPTY');
    }
  }
}

/** Truncates files, or overwrites them. */
function damage(paths: readonly string[], random: Random): void {
  for (const path of paths)
    try {
      if (random.chance(0.5)) truncateSync(path, random.below(20));
      else writeFileSync(path, 'garbage', { flag: 'r+' });
    } catch (error) {
      if (!['ENOENT', 'EISDIR', 'ENXIO', 'EINVAL'].includes((error as NodeJS.ErrnoException).code!))
        throw error;
    }
}

const losses: Readonly<Record<string, (directory: string, random: Random) => void>> = {
  'the directory': sweep,
  'the views': (directory) => remove(matching(directory, /view-\d+$/)),
  'the sockets': (directory) => remove(matching(directory, /\.sock$/)),
  'the leases': (directory) => remove(matching(directory, /leases\/\w+$/)),
  'a damaged view': (directory, random) => damage(matching(directory, /view-\d+$/), random),
  'damaged leases': (directory, random) => damage(matching(directory, /leases\/\w+$/), random),
  'a damaged name': (directory, random) => damage(matching(directory, /name$/), random),
};

describe('files that are lost while processes share a lock', () => {
  const kinds = Object.keys(losses);
  const cases = [
    ...kinds.map((kind) => ({ title: kind, some: [kind] })),
    { title: 'all of it', some: kinds },
  ];

  test.for(cases.map((one, i) => ({ ...one, seed: i + 1 })))(
    '$title: one holder at a time, fences increase, all are served',
    { timeout: 120_000 },
    async ({ some, seed }, { onTestFinished }) => {
      const random = new Random(seed, 'losses');
      const directory = join(folder, `${seed}`);
      const log = join(folder, `log-${seed}`);
      const start = () => new Worker({ log, group: 'orders', leaseMs, algorithm: 'li-hudak', directory });
      const workers = Array.from({ length: 4 }, start);
      onTestFinished(() => {
        for (const { child } of workers) child.kill('SIGKILL');
      });
      const areServed = async () => {
        const before = workers.map(({ turns }) => turns);
        await expect
          .poll(() => workers.every(({ turns }, k) => turns > before[k]! + 3), { timeout: 30_000 })
          .toBe(true);
      };
      await areServed();
      for (let i = 0; i < (some.length > 1 ? 14 : 4); i += 1) {
        losses[some[random.below(some.length)]!]!(directory, random);
        if (random.chance(0.4)) {
          const k = random.below(workers.length);
          workers[k]!.child.kill('SIGKILL');
          workers[k] = start(); // a newcomer, which knows only what is stored
        } else if (random.chance(0.3)) workers.push(start());
        if (random.chance(0.5)) await sleep(random.below(300));
        else await areServed();
      }
      await areServed();
      for (const { child } of workers) child.send('stop');
      expect(await Promise.all(workers.map(({ ended }) => ended))).toEqual(workers.map(() => 0));
      const { entries, violations } = checkLog(readFileSync(log, 'utf8'));
      expect(violations).toEqual([]);
      expect(entries).toBeGreaterThan(50);
    },
  );
});

describe('files that are lost while the holder cannot notice', () => {
  const longLeaseMs = 3000;
  const blockMs = 800;

  test.for(Object.keys(losses))(
    '%s: a newcomer waits until the holder has lost the lock or handed it on',
    { timeout: 60_000 },
    async (what, { onTestFinished }) => {
      const directory = mkdtempSync(join(folder, 'blocked-'));
      process.env.BATON_DIR = directory;
      const child = fork('test/cluster/processes/blocked-holder.js', ['orders', `${longLeaseMs}`]);
      onTestFinished(() => {
        child.kill('SIGKILL');
        delete process.env.BATON_DIR;
      });
      const said = () =>
        new Promise<{ fence: number; heldUntil: string }>((resolve) => child.once('message', resolve));
      await said();
      const blocked = said();
      child.send({ blockMs });
      await sleep(50); // it is blocked by now
      losses[what]!(directory, new Random(1, 'blocked'));
      const newcomer = await joinGroup('orders', { leaseMs: longLeaseMs });
      onTestFinished(() => newcomer.leave());
      const turn = newcomer.lock('one').then((lock) => ({ lock, at: machineNs() }));
      const { fence, heldUntil } = await blocked;
      if (['the sockets', 'the leases', 'damaged leases', 'a damaged name'].includes(what))
        child.kill('SIGKILL'); // it is still a member
      const { lock, at } = await turn;
      expect(at).toBeGreaterThan(BigInt(heldUntil));
      expect(lock.fence).toBeGreaterThan(fence);
    },
  );
});

describe('after hundreds of views', () => {
  const held = async (group: Group) => {
    await using lock = await group.lock('invoice-42', { timeoutMs: 20_000 });
    return lock.fence;
  };

  test.for([
    ['the directory', sweep],
    ['the views', losses['the views']!],
  ] as const)(
    '%s is lost: the fence of a member that lives rises, and so does that of a newcomer',
    { timeout: 60_000 },
    async ([, lose]) => {
      const directory = mkdtempSync(join(folder, 'churn-'));
      process.env.BATON_DIR = directory;
      const member = await joinGroup('orders', { leaseMs });
      try {
        for (let i = 0; i < 100; i += 1) await (await joinGroup('orders', { leaseMs })).leave();
        let fence = await held(member);
        for (let i = 0; i < 3; i += 1) {
          lose(directory, new Random(1, 'unused'));
          for (const group of [member, await joinGroup('orders', { leaseMs })]) {
            const next = await held(group);
            expect(next).toBeGreaterThan(fence);
            fence = next;
            if (group !== member) await group.leave();
          }
        }
      } finally {
        await member.leave();
        delete process.env.BATON_DIR;
      }
    },
  );
});
