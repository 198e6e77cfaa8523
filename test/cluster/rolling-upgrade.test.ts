// Processes of this version and of older ones in one group. The older ones say nothing of their version in the view, and their transports
// speak only versions 4 and 5. They are replaced one by one, under load, and come back.
import { type ChildProcess, fork } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join as joinPath } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { join } from '../../src/cluster/index.ts';
import { checkLog } from './processes/check-log.ts';

const directory = mkdtempSync(joinPath(tmpdir(), 'baton-test-'));
const before = process.env.BATON_DIR;
beforeAll(() => {
  process.env.BATON_DIR = directory;
});
afterAll(() => {
  if (before === undefined) delete process.env.BATON_DIR;
  else process.env.BATON_DIR = before;
  rmSync(directory, { recursive: true, force: true });
});

const leaseMs = 10_000; // nobody loses a lock on a busy machine
type Version = 4 | 5 | 6;

interface Progress {
  readonly turns: number;
  readonly terms: number;
  readonly sent: Readonly<Record<string, number>>; // frames, by type
  readonly isKept: boolean; // the lock that the test holds was not free
}

class MixedProcess {
  readonly child: ChildProcess;
  readonly version: Version;
  hasJoined = false;
  isKept = true; // since the test holds the lock
  progress: Progress = { turns: 0, terms: 0, sent: {}, isKept: true };
  readonly ended: Promise<number | null>;

  constructor(group: string, algorithm: string, version: Version) {
    this.version = version;
    const args = [joinPath(directory, `log-${group}`), group, `${leaseMs}`, algorithm, `${version}`];
    this.child = fork('test/cluster/processes/mixed-version.js', args, {
      env: { ...process.env, BATON_DIR: directory },
    });
    this.child.on('message', (message: 'joined' | Progress) => {
      if (message === 'joined') this.hasJoined = true;
      else {
        this.progress = message;
        this.isKept &&= message.isKept;
      }
    });
    this.ended = new Promise((resolve) => this.child.on('exit', resolve));
  }

  sent(...types: string[]): number {
    return types.reduce((sum, type) => sum + (this.progress.sent[type] ?? 0), 0);
  }
}

const ofFlush = ['flush', 'install', 'run'];
const ofHomes = ['want', 'stop', 'stopped', 'start', 'step'];

test.each(['li-hudak', 'ricart-agrawala'])(
  '%s: old members are replaced one by one by new ones, and back: one holder and one leader at a time, fences rise, all are served',
  { timeout: 90_000 },
  async (algorithm) => {
    const group = `upgrade-${algorithm}`;
    let processes: MixedProcess[] = [];
    const soon = (what: () => boolean) => expect.poll(what, { timeout: 30_000, interval: 20 }).toBe(true);
    const allGoOn = async () => {
      const counts = processes.map(({ progress }) => progress.turns);
      await soon(() => processes.every(({ progress }, k) => progress.turns > counts[k]! + 3));
    };
    const add = async (version: Version) => {
      const added = new MixedProcess(group, algorithm, version);
      processes.push(added);
      await soon(() => added.hasJoined);
    };
    const replace = async (by: Version, isKilled: boolean) => {
      const old = processes.shift()!;
      if (isKilled) old.child.kill('SIGKILL');
      else old.child.send('stop');
      await add(by);
      await allGoOn();
      await old.ended;
      expect(old.isKept).toBe(true);
    };
    const expectProtocol = async (used: readonly string[], unused: readonly string[]) => {
      await allGoOn(); // messages of the view before have arrived
      const counts = processes.map((one) => [one.sent(...used), one.sent(...unused)]);
      await soon(() => processes.every((one, k) => one.version < 6 || one.sent(...used) > counts[k]![0]!));
      expect(processes.map((one) => one.sent(...unused))).toEqual(
        counts.map(([, unusedBefore]) => unusedBefore),
      );
    };

    try {
      for (const version of [4, 5, 5] as const) await add(version);
      await allGoOn();
      const ours = await join(group, { leaseMs, algorithm }); // of this version
      const kept = await ours.lock('kept');
      await allGoOn();
      for (const one of processes) one.isKept = true;
      await expectProtocol(ofFlush, ofHomes);
      await replace(6, false);
      await replace(6, true);
      await expectProtocol(ofFlush, ofHomes);
      await replace(6, false);
      expect(ours.view!.members.map(({ speaks }) => speaks)).toEqual([6, 6, 6, 6]);
      await expectProtocol(ofHomes, ofFlush);
      await replace(5, true); // an older one comes back
      await expectProtocol(ofFlush, ofHomes);
      await add(6);
      await allGoOn();
      await replace(6, false);
      await replace(4, false);
      processes = [
        ...processes.filter(({ version }) => version < 6),
        ...processes.filter(({ version }) => version === 6),
      ];
      await replace(6, false);
      await replace(6, true);
      await expectProtocol(ofHomes, ofFlush);
      expect(kept.state).toBe('held');
      expect(processes.every(({ isKept, progress }) => isKept && progress.terms > 0)).toBe(true);
      await ours.leave();
      await allGoOn();
    } finally {
      for (const { child } of processes) if (child.connected) child.send('stop');
    }
    expect(await Promise.all(processes.map(({ ended }) => ended))).toEqual(processes.map(() => 0));
    const logs = readdirSync(directory).filter((name) => name.startsWith(`log-${group}-`));
    expect(logs).toHaveLength(5);
    for (const name of logs) {
      const { entries, losses, violations } = checkLog(readFileSync(joinPath(directory, name), 'utf8'));
      expect([violations, losses], name).toEqual([[], 0]);
      expect(entries, name).toBeGreaterThan(20);
    }
  },
);
