// The fault campaign, for a few seconds on each engine. It kills, pauses and cuts off real processes, and kills and wipes their engine.
import { execFileSync, fork, spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { History } from '../../campaign/history.ts';
import { MemberProcesses } from '../../campaign/member-processes.ts';
import { complaints, type Outcome } from '../../campaign/report.ts';
import { Resources } from '../../campaign/resource.ts';
import { pause } from '../conformance/engine.ts';

const folder = mkdtempSync(join(tmpdir(), 'campaign-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));
beforeAll(() => {
  execFileSync('npx', ['tsc', '-p', 'campaign'], { stdio: 'inherit' });
});

function campaign(...args: string[]) {
  return spawnSync(process.execPath, ['build/campaign/main.js', '--out', folder, ...args], {
    encoding: 'utf8',
  });
}

const outcomeOf = (name: string) =>
  JSON.parse(readFileSync(join(folder, `${name}-1.json`), 'utf8')) as Outcome;

test.for(['etcd', 'postgres', 'redis', 'nats', 'mysql'])('%s', (name, { skip }) => {
  const { stdout, stderr } = campaign('--on', name, '--seconds', '8', '--seed', '1');
  if (stdout.startsWith('Without') && !process.env.CI) skip(stdout);
  const outcome = outcomeOf(name);
  expect(complaints(outcome), `${stdout}${stderr}\n${JSON.stringify(outcome, null, 2)}`).toEqual([]);
  expect(Object.keys(outcome.injected).length).toBeGreaterThan(2);
  expect(outcome.verdict.holds).toBeGreaterThan(20);
  expect(outcome.resource.fencedWrites).toBeGreaterThan(20);
});

describe('files', () => {
  test('keep the promises of locks', () => {
    const { stdout, stderr, status } = campaign(...['--on', 'embedded', '--seconds', '15', '--seed', '1']);
    const outcome = outcomeOf('embedded');
    expect(complaints(outcome), `${stdout}${stderr}\n${JSON.stringify(outcome, null, 2)}`).toEqual([]);
    expect(status).toBe(0);
    expect(Object.keys(outcome.injected).length).toBeGreaterThan(2);
    expect(outcome.verdict.holds).toBeGreaterThan(20);
    expect(outcome.resource.fencedWrites).toBeGreaterThan(20);
  });
});

test('a process that is blocked while it is paused is not blocked later', async () => {
  const processes = new MemberProcesses({
    host: {
      title: 'a process',
      start: (_, __, env) => fork('build/campaign/worker.js', [], { env, serialization: 'advanced' }),
      end: async () => {},
    },
    settingOf: () => ({ contender: 'embedded', group: 'orders', network: null, leaseMs: 2000, locks: ['a'] }),
    envOf: () => ({ BATON_DIR: join(folder, 'groups') }),
    ...{ serverPid: () => undefined, members: 1, history: new History(), resources: new Resources() },
  });
  const served = async () => {
    processes.awaitService();
    await expect.poll(() => processes.unserved, { timeout: 20_000 }).toEqual([]);
  };
  try {
    processes.start(0);
    await served();
    const blockMs = 4000;
    processes.pause(0);
    processes.block(0, blockMs);
    await pause(blockMs);
    processes.goOn(0);
    const continued = performance.now();
    await served();
    expect(performance.now() - continued).toBeLessThan(blockMs / 2);
  } finally {
    processes.abandon();
  }
});

test('a fault that the contender does not have is refused with those it has', () => {
  const { stderr, status } = campaign('--on', 'embedded', '--faults', 'partition');
  expect(stderr).toContain('embedded has none of these faults; it has kill, join and leave');
  expect(status).toBe(2);
});
