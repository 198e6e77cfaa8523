// exec, lead and status, as a shell uses them.
import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { type AddressInfo, createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, expect, test } from 'vitest';

const directory = mkdtempSync(join(tmpdir(), 'baton-test-'));
const env: NodeJS.ProcessEnv = { ...process.env, BATON_DIR: join(directory, 'groups') };
const started: Started[] = [];
afterEach(() => {
  for (const { child } of started.splice(0)) child.kill('SIGKILL');
});
afterAll(() => rmSync(directory, { recursive: true, force: true }));

class Started {
  readonly child: ChildProcess;
  stdout = '';
  stderr = '';
  readonly ended: Promise<number | NodeJS.Signals | null>;

  constructor(...words: string[]) {
    this.child = spawn(process.execPath, ['dist/cli/main.js', ...words], {
      env,
      stdio: ['pipe', 'pipe', 'pipe'],
    });
    this.child.stdout!.on('data', (data) => {
      this.stdout += data;
    });
    this.child.stderr!.on('data', (data) => {
      this.stderr += data;
    });
    this.ended = new Promise((resolve) => this.child.on('close', (code, signal) => resolve(signal ?? code)));
    started.push(this);
  }
}

/** A command that holds the lock until it is told to end. */
const holding = async (lock: string, ...command: string[]) => {
  const held = new Started(
    'exec',
    '--lock',
    lock,
    '--',
    ...(command.length > 0 ? command : script('echo in; exec sleep 60')),
  );
  await expect.poll(() => held.stdout, { timeout: 10_000 }).toContain('in');
  return held;
};

const script = (text: string) => ['sh', '-c', text];
const baton = (...words: string[]) =>
  spawnSync(process.execPath, ['dist/cli/main.js', ...words], { env, encoding: 'utf8', input: 'typed\n' });

const timeout = 60_000;

test('exec: exit code, streams and environment are the command’s; the fence rises', { timeout }, () => {
  const first = baton('exec', '--lock', 'a', '--', ...script('cat; echo $BATON_FENCE; echo err >&2; exit 3'));
  expect(first.status).toBe(3);
  expect(first.stdout).toMatch(/^typed\n\d+\n$/);
  expect(first.stderr).toBe('err\n');
  const second = baton('exec', '--lock', 'a', '--', ...script('echo $BATON_FENCE'));
  expect(Number(second.stdout)).toBeGreaterThan(Number(first.stdout.split('\n')[1]));
  expect(baton('exec', '--lock', 'a', '--', ...script('kill -SEGV $$')).status).toBe(128 + 11);
});

test('exec: a signal that is passed on leaves standard input as it was', { timeout }, async () => {
  const held = await holding('stdin', ...script('echo in; exec cat'));
  const says = (text: string) => {
    held.child.stdin!.write(`${text}\n`);
    return expect.poll(() => held.stdout, { timeout: 10_000 }).toContain(text);
  };
  await says('one');
  held.child.kill('SIGCONT');
  await says('two'); // and now there is nothing to read for a while
  await says('three');
  held.child.stdin!.end();
  expect([await held.ended, held.stderr]).toEqual([0, '']);
});

test('exec: what cannot be run is said in a sentence', { timeout }, () => {
  for (const words of [
    ['--lock', 'a', '--', 'no-such-command'],
    ['--lock', 'a'],
    ['--', 'true'],
    ['--lock', '', '--', 'true'],
  ]) {
    const { status, stdout, stderr } = baton('exec', ...words);
    expect([status, stdout]).toEqual([2, '']);
    expect(stderr).toMatch(/^(baton|error): .+\n$/);
  }
  for (const time of ['soon', '', ' ', '-1', 'Infinity'])
    expect(baton('exec', '--lock', 'a', `--timeout=${time}`, '--', 'true')).toMatchObject({
      status: 2,
      stderr: expect.stringContaining('milliseconds'),
    });
});

test('exec: one at a time; try and timeout exit with 75; who waits is told whom for', {
  timeout,
}, async () => {
  const holder = await holding('b');
  const waiter = new Started('exec', '--lock', 'b', '--timeout', '3000000000', '--', 'echo', 'served');
  expect(baton('exec', '--lock', 'b', '--try', '--', 'echo', 'no')).toMatchObject({ status: 75, stdout: '' });
  const late = baton('exec', '--lock', 'b', '--timeout', '100', '--', 'echo', 'no');
  expect([late.status, late.stdout]).toEqual([75, '']);
  expect(late.stderr).toContain("lock 'b' was not free within 100 ms");
  await expect.poll(() => waiter.stderr, { timeout: 10_000 }).toContain(`:${holder.child.pid} holds it`);
  const status = JSON.parse(baton('status', '--group', 'default', '--json').stdout);
  expect(status.locks).toMatchObject([
    { name: 'b', holder: { label: expect.stringContaining(`:${holder.child.pid}`) } },
  ]);
  expect(status.locks[0].waiters).toHaveLength(1);
  expect(baton('status').stdout).toMatch(/lock b {2}held by .+ then /);
  expect(baton('status', '--consistent').stdout).toMatch(
    new RegExp(
      `in one state\n.*\n {2}lock b {2}held by .+:${holder.child.pid} {2}then .+:${waiter.child.pid}\n`,
    ),
  );
  holder.child.kill('SIGTERM');
  expect(await holder.ended).toBe(128 + 15);
  expect(await waiter.ended).toBe(0);
  expect(waiter.stdout).toBe('served\n');
});

test('exec: signals are passed on; told to end while it waits, it waits no more', { timeout }, async () => {
  const holder = await holding(
    'c',
    ...script('trap "echo caught; exit 9" USR1; echo in; while :; do sleep 0.05; done'),
  );
  const waiter = new Started('exec', '--lock', 'c', '--', 'echo', 'no');
  await expect.poll(() => waiter.stderr, { timeout: 10_000 }).toContain('waiting');
  waiter.child.kill('SIGINT');
  expect([await waiter.ended, waiter.stdout]).toEqual([128 + 2, '']);
  holder.child.kill('SIGUSR1');
  expect([await holder.ended, holder.stdout]).toEqual([9, 'in\ncaught\n']);
});

test.each([
  ['exec', '--lock', 'f'],
  ['lead', 'f'],
])('%s: told to end while the engine does not answer, it ends', { timeout }, async (...words) => {
  let calls = 0;
  const silent = createServer((socket) => {
    calls += 1;
    socket.on('error', () => {}).resume();
  });
  await new Promise<void>((resolve) => silent.listen(0, '127.0.0.1', resolve));
  const { port } = silent.address() as AddressInfo;
  const told = new Started(...words, '--engine', `redis://127.0.0.1:${port}`, '--', 'echo', 'no');
  await expect.poll(() => calls, { timeout: 10_000 }).toBe(1);
  const begun = performance.now();
  told.child.kill('SIGTERM');
  expect([await told.ended, told.stdout, told.stderr]).toEqual([128 + 15, '', '']);
  expect(performance.now() - begun).toBeLessThan(2000);
  silent.close();
});

test('exec: after kill -9 the next one runs, and the command of the dead one does not go on', {
  timeout,
}, async () => {
  const file = join(directory, 'beats');
  writeFileSync(file, '');
  const holder = await holding('d', ...script(`echo in; while :; do echo . >> ${file}; sleep 0.05; done`));
  const waiter = new Started(
    'exec',
    '--lock',
    'd',
    '--',
    ...script(`sleep 0.2; wc -c < ${file}; sleep 0.5; wc -c < ${file}`),
  );
  await expect.poll(() => waiter.stderr, { timeout: 10_000 }).toContain('waiting');
  holder.child.kill('SIGKILL');
  expect(await waiter.ended).toBe(0);
  const [before, after] = waiter.stdout.trim().split('\n').map(Number);
  expect(before).toBeGreaterThan(0);
  expect(after).toBe(before);
});

test('exec: a lock that is lost ends the command, and the exit code is 76', { timeout }, async () => {
  const holder = await holding('e', ...script('echo in; exec sleep 60'));
  holder.child.kill('SIGSTOP');
  const next = new Started('exec', '--lock', 'e', '--', 'echo', 'next');
  expect(await next.ended).toBe(0); // when the lease of the stopped one is over
  holder.child.kill('SIGCONT');
  expect(await holder.ended).toBe(76);
  expect(holder.stderr).toContain("lock 'e' was lost");
});

test('lead: the command runs in one of them, and in another when that is killed', { timeout }, async () => {
  const candidates = [1, 2].map(
    (i) => new Started('lead', 'job', '--', ...script(`echo ${i} $BATON_FENCE; exec sleep 60`)),
  );
  const leaders = () => candidates.filter(({ stdout }) => stdout !== '');
  await expect.poll(() => leaders().length, { timeout: 10_000 }).toBe(1);
  expect(JSON.parse(baton('status', '--group', 'default', '--json').stdout).elections).toMatchObject([
    { name: 'job', leader: { label: expect.stringContaining(`:${leaders()[0]!.child.pid}`) } },
  ]);
  const [first] = leaders();
  first!.child.kill('SIGKILL');
  await expect.poll(() => leaders().length, { timeout: 10_000 }).toBe(2);
  const [second] = candidates.filter((one) => one !== first);
  expect(Number(second!.stdout.split(' ')[1])).toBeGreaterThan(Number(first!.stdout.split(' ')[1]));
  second!.child.kill('SIGTERM');
  expect(await second!.ended).toBe(128 + 15);
});

test('a signal that comes as soon as the command runs is passed on to it', { timeout }, () => {
  const ends = script('trap "exit 7" TERM; kill -TERM $PPID; while :; do sleep 0.01; done');
  for (let round = 0; round < 3; round += 1) {
    expect(baton('exec', '--lock', 'early', '--', ...ends).status).toBe(7);
    expect(baton('lead', 'early', '--', ...ends).status).toBe(7);
  }
});

test('a directory that cannot be is said in a sentence', () => {
  for (const path of ['/dev/null', '/dev/null/x', '/proc/x']) {
    const { status, stdout, stderr } = spawnSync(process.execPath, ['dist/cli/main.js', 'status'], {
      env: { ...env, BATON_DIR: path },
      encoding: 'utf8',
    });
    expect([status, stdout]).toEqual([2, '']);
    expect(stderr).toMatch(/^baton: \/.+: set BATON_DIR to a directory of yours.*\n$/);
  }
});

test('status: nobody', () => {
  expect(baton('status', '--group', 'nobody')).toMatchObject({
    status: 0,
    stdout: "nobody is in group 'nobody'\n",
  });
  expect(JSON.parse(baton('status', '--group', 'nobody', '--json').stdout)).toMatchObject({
    members: [],
    locks: [],
  });
  expect(readFileSync('docs/locks.md', 'utf8')).toContain('76');
});
