// Real processes share one lock. A seed decides when to kill, stop, continue and block them. The log that they write under the lock is
// checked afterwards.
import type { ChildProcess } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, expect, test } from 'vitest';
import { Random } from '../../src/core/random.ts';
import { signal } from './child-program.ts';
import { checkLog } from './processes/check-log.ts';
import { Worker } from './processes/worker-process.ts';

const directory = mkdtempSync(join(tmpdir(), 'baton-test-'));
afterAll(() => rmSync(directory, { recursive: true, force: true }));

const leaseMs = 1000;

const faults = ['kill', 'stop briefly', 'stop for long', 'block briefly', 'block for long'] as const;

async function trouble(workers: Worker[], random: Random, log: string, start: () => Worker): Promise<void> {
  const k = random.chance(0.6) ? holder(workers, log) : random.below(workers.length);
  const { child } = workers[k]!;
  const fault = faults[random.below(faults.length)]!;
  const ms = (fault.endsWith('briefly') ? 0.2 : 1.2) * leaseMs + random.below(leaseMs / 2);
  if (fault === 'kill') {
    child.kill('SIGKILL');
    workers[k] = start();
  } else if (fault.startsWith('block')) child.send({ blockMs: ms });
  else {
    const stopped = fault === 'stop for long' ? await stopInside(workers, log) : child;
    signal(stopped, 'SIGSTOP');
    setTimeout(() => signal(stopped, 'SIGCONT'), ms);
  }
  await sleep(100 + random.below(400));
}

/** Stops the process that holds the lock, for certain. */
async function stopInside(workers: readonly Worker[], log: string): Promise<ChildProcess> {
  for (;;) {
    const { child } = workers[holder(workers, log)]!;
    signal(child, 'SIGSTOP');
    await sleep(20);
    const lines = readFileSync(log, 'utf8').split('\n');
    const last = lines.findLast((line) => line.split(' ')[1] === `${child.pid}`);
    if (last !== undefined && /^(enter|held)/.test(last)) return child;
    signal(child, 'SIGCONT');
    await sleep(5);
  }
}

test.each([
  { seed: 1, algorithm: 'li-hudak' },
  { seed: 2, algorithm: 'ricart-agrawala' },
])(
  '8 processes and one lock, $algorithm, seed $seed: one holder at a time, fences increase, all are served',
  { timeout: 120_000 },
  async ({ seed, algorithm }) => {
    const log = join(directory, `log-${seed}`);
    const random = new Random(seed, 'nemesis');
    const start = () => new Worker({ log, group: `group-${seed}`, leaseMs, algorithm, directory });
    const workers = Array.from({ length: 8 }, start);
    await expect.poll(() => workers.every(({ hasJoined }) => hasJoined), { timeout: 20_000 }).toBe(true);
    for (let i = 0; i < 25; i += 1) await trouble(workers, random, log, start);
    await sleep(2 * leaseMs); // the last stopped processes wake up
    const before = workers.map(({ turns }) => turns);
    await expect
      .poll(() => workers.every(({ turns }, k) => turns > before[k]! + 5), { timeout: 20_000 })
      .toBe(true);
    for (const { child } of workers) child.send('stop');
    expect(await Promise.all(workers.map(({ ended }) => ended))).toEqual(workers.map(() => 0));
    const { entries, losses, violations } = checkLog(readFileSync(log, 'utf8'));
    expect(violations).toEqual([]);
    expect(entries).toBeGreaterThan(100);
    expect(losses).toBeGreaterThan(0); // some pauses were longer than the lease
    expect(await listeners()).toEqual([]);
  },
);

/** Returns the process that entered last, most probably. */
const holder = (workers: readonly Worker[], log: string) => {
  const [, pid] = readFileSync(log, 'utf8').trimEnd().split('\n').at(-1)!.split(' ');
  const k = workers.findIndex(({ child }) => child.pid === Number(pid));
  return Math.max(k, 0);
};

/** Remaining sockets belong to killed processes: none is listened on. */
const listeners = async () => {
  const sockets = readdirSync(directory, { recursive: true, encoding: 'utf8' }).filter((name) =>
    name.endsWith('.sock'),
  );
  const answers = sockets.map(
    (name) =>
      new Promise((resolve) => {
        const socket = connect(join(directory, name), () => resolve(name));
        socket.on('error', () => resolve(null));
      }),
  );
  return (await Promise.all(answers)).filter((name) => name !== null);
};
