// The fault campaign, for a few seconds on each engine. It kills, pauses and cuts off real processes, and kills and wipes their engine.
import { execFileSync, spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { complaints, type Outcome } from '../../campaign/report.ts';

const folder = mkdtempSync(join(tmpdir(), 'campaign-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));
beforeAll(() => {
  execFileSync('npx', ['tsc', '-p', 'campaign'], { stdio: 'inherit' });
});

const engines = ['etcd', 'postgres', 'redis', 'nats'];

test.for(engines)('%s', (name, { skip }) => {
  const { stdout, stderr } = spawnSync(
    process.execPath,
    ['build/campaign/main.js', '--on', name, '--seconds', '8', '--seed', '1', '--out', folder],
    { encoding: 'utf8' },
  );
  if (stdout.startsWith('Without') && !process.env.CI) skip(stdout);
  const outcome = JSON.parse(readFileSync(join(folder, `${name}-1.json`), 'utf8')) as Outcome;
  expect(complaints(outcome), `${stdout}${stderr}\n${JSON.stringify(outcome, null, 2)}`).toEqual([]);
  expect(Object.keys(outcome.injected).length).toBeGreaterThan(5);
  expect(outcome.verdict.holds).toBeGreaterThan(20);
  expect(outcome.resource.fencedWrites).toBeGreaterThan(20);
});
