// Effects of importing, joining and leaving on a process. Each test runs a separate process.
import { spawnSync } from 'node:child_process';
import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { moduleArguments } from './inline-module.ts';

const directory = mkdtempSync(join(tmpdir(), 'baton-test-'));
afterAll(() => rmSync(directory, { recursive: true, force: true }));

/** Runs code as a module; fails unless the process ends by itself. */
function run(text: string): string {
  const { status, stdout, stderr } = spawnSync(process.execPath, moduleArguments(text), {
    encoding: 'utf8',
    env: { ...process.env, BATON_DIR: directory },
    timeout: 30_000,
  });
  expect([status, stderr]).toEqual([0, '']);
  return stdout;
}

const timeout = 60_000;
const threads = "readdirSync('/proc/self/task').length";

test('importing starts no thread, timer or socket', { timeout }, () => {
  const out = run(`
    import { readdirSync } from 'node:fs';
    const turn = () => new Promise((resolve) => setTimeout(resolve, 50));
    await import('commander'); // loading files starts threads
    await turn();
    const before = [process.getActiveResourcesInfo().join(), ${threads}];
    await import('batonjs');
    await turn();
    console.log(JSON.stringify([before, [process.getActiveResourcesInfo().join(), ${threads}]]));`);
  const [before, after] = JSON.parse(out);
  expect(after).toEqual(before);
});

test('a process that leaves exits by itself, and leaves only the view behind', { timeout }, () => {
  const out = run(`
    import { join } from 'batonjs';
    const group = await join('gone');
    const lock = await group.lock('a');
    const waiting = group.lock('a').catch((error) => console.log(error.code));
    const stop = new AbortController();
    const term = await group.election('e').terms({ signal: stop.signal }).next();
    await group.leave();
    await waiting;
    await new Promise((resolve) => setTimeout(resolve, 50));
    console.log(lock.state, term.value.state, process.getActiveResourcesInfo().filter((one) => !/Pipe|TTY/.test(one)));`);
  expect(out).toBe('left\nlost lost []\n');
  const left = readdirSync(directory, { recursive: true, encoding: 'utf8' });
  expect(left.filter((name) => /sock|leases\//.test(name))).toEqual([]);
});

test('a process that dies of its own error releases its locks', { timeout }, () => {
  const dies = spawnSync(
    process.execPath,
    moduleArguments(
      `import { join } from 'batonjs'; await (await join('d')).lock('a'); throw new Error('oh');`,
    ),
    { encoding: 'utf8', env: { ...process.env, BATON_DIR: directory } },
  );
  expect(dies.status).toBe(1);
  expect(
    run(`import { join } from 'batonjs'; const g = await join('d');
    const lock = await g.lock('a', { timeoutMs: 2000 }); console.log(lock.state); await g.leave();`),
  ).toBe('held\n');
});
