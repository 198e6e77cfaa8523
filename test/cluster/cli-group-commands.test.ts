// exec, lead and status, run as from a shell.
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

  constructor(...args: string[]) {
    this.child = spawn(process.execPath, ['packages/batonjs/dist/cli.cjs', ...args], {
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

  /** Unlike `child.kill`, does not make Deno report that the signal ended the process. */
  signal(name: NodeJS.Signals): void {
    process.kill(this.child.pid!, name);
  }
}

/** A command that holds the lock until it gets a signal. */
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
const baton = (...args: string[]) =>
  spawnSync(process.execPath, ['packages/batonjs/dist/cli.cjs', ...args], {
    env,
    encoding: 'utf8',
    input: 'typed\n',
  });

const timeout = 60_000;

test('status: escapes what a terminal would obey in the name of a lock', { timeout }, async () => {
  const name = 'a\u001b[2J\u009b31m';
  await holding(name);
  const shown = baton('status').stdout;
  expect(shown).toContain('lock a\\u001b[2J\\u009b31m');
  const json = baton('status', '--group', 'default', '--json').stdout;
  for (const text of [shown, json, baton('status', '--consistent').stdout])
    expect(text).not.toMatch(/[^\n\P{Cc}]/u);
  expect(JSON.parse(json).locks[0].name).toBe(name);
});

test('exec: passes on exit code, streams and environment; the fence increases', { timeout }, () => {
  const first = baton('exec', '--lock', 'a', '--', ...script('cat; echo $BATON_FENCE; echo err >&2; exit 3'));
  expect(first.status).toBe(3);
  expect(first.stdout).toMatch(/^typed\n\d+\n$/);
  expect(first.stderr).toBe('err\n');
  const second = baton('exec', '--lock', 'a', '--', ...script('echo $BATON_FENCE'));
  expect(Number(second.stdout)).toBeGreaterThan(Number(first.stdout.split('\n')[1]));
  expect(baton('exec', '--lock', 'a', '--', ...script('kill -SEGV $$')).status).toBe(128 + 11);
});

test('exec: forwarding a signal does not consume standard input', { timeout }, async () => {
  const held = await holding('stdin', ...script('echo in; exec cat'));
  const says = (text: string) => {
    held.child.stdin!.write(`${text}\n`);
    return expect.poll(() => held.stdout, { timeout: 10_000 }).toContain(text);
  };
  await says('one');
  held.signal('SIGCONT');
  await says('two'); // standard input is idle from here on
  await says('three');
  held.child.stdin!.end();
  expect([await held.ended, held.stderr]).toEqual([0, '']);
});

test('exec: a command that cannot be run is reported in a sentence', { timeout }, () => {
  for (const args of [
    ['--lock', 'a', '--', 'no-such-command'],
    ['--lock', 'a'],
    ['--', 'true'],
    ['--lock', '', '--', 'true'],
  ]) {
    const { status, stdout, stderr } = baton('exec', ...args);
    expect([status, stdout]).toEqual([2, '']);
    expect(stderr).toMatch(/^(baton|error): .+\n$/);
  }
  for (const time of ['soon', '', ' ', '-1', 'Infinity'])
    expect(baton('exec', '--lock', 'a', `--timeout=${time}`, '--', 'true')).toMatchObject({
      status: 2,
      stderr: expect.stringContaining('milliseconds'),
    });
});

test('exec: one at a time; try and timeout exit with 75; a waiter reports the holder', {
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
  holder.signal('SIGTERM');
  expect(await holder.ended).toBe(128 + 15);
  expect(await waiter.ended).toBe(0);
  expect(waiter.stdout).toBe('served\n');
});

test('exec: forwards signals; a signal while it waits ends it', { timeout }, async () => {
  const holder = await holding(
    'c',
    ...script('trap "echo caught; exit 9" USR1; echo in; while :; do sleep 0.05; done'),
  );
  const waiter = new Started('exec', '--lock', 'c', '--', 'echo', 'no');
  await expect.poll(() => waiter.stderr, { timeout: 10_000 }).toContain('waiting');
  waiter.signal('SIGINT');
  expect([await waiter.ended, waiter.stdout]).toEqual([128 + 2, '']);
  holder.signal('SIGUSR1');
  expect([await holder.ended, holder.stdout]).toEqual([9, 'in\ncaught\n']);
});

test.each([
  ['exec', '--lock', 'f'],
  ['lead', 'f'],
])('%s: a signal ends it while the engine does not answer', { timeout }, async (...args) => {
  let calls = 0;
  const silent = createServer((socket) => {
    calls += 1;
    socket.on('error', () => {}).resume();
  });
  await new Promise<void>((resolve) => silent.listen(0, '127.0.0.1', resolve));
  const { port } = silent.address() as AddressInfo;
  const started = new Started(...args, '--engine', `redis://127.0.0.1:${port}`, '--', 'echo', 'no');
  await expect.poll(() => calls, { timeout: 10_000 }).toBe(1);
  const begun = performance.now();
  started.signal('SIGTERM');
  expect([await started.ended, started.stdout, started.stderr]).toEqual([128 + 15, '', '']);
  expect(performance.now() - begun).toBeLessThan(2000);
  silent.close();
});

test('exec: after kill -9 the next waiter runs, and the command of the killed process is killed too', {
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

test('exec: losing the lock ends the command with exit code 76', { timeout }, async () => {
  const holder = await holding('e', ...script('echo in; exec sleep 60'));
  holder.signal('SIGSTOP');
  const next = new Started('exec', '--lock', 'e', '--', 'echo', 'next');
  expect(await next.ended).toBe(0); // when the lease of the stopped process has expired
  holder.signal('SIGCONT');
  expect(await holder.ended).toBe(76);
  expect(holder.stderr).toContain("lock 'e' was lost");
});

test.each([[[]], [['--algorithm', 'chang-roberts']]])(
  'lead %j: the command runs in one process, and in another when that one is killed',
  {
    timeout,
  },
  async (options) => {
    const candidates = [1, 2].map(
      (i) => new Started('lead', 'job', ...options, '--', ...script(`echo ${i} $BATON_FENCE; exec sleep 60`)),
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
    second!.signal('SIGTERM');
    expect(await second!.ended).toBe(128 + 15);
  },
);

test.each([
  ['exec', '--lock', 'g'],
  ['lead', 'g'],
])('%s: after SIGTERM the next command begins when the first one has ended', { timeout }, async (...args) => {
  const file = join(directory, `order-${args[0]}`);
  const write = (what: string) => `echo ${what} >> ${file}`;
  const first = script(
    `trap "${write('told')}; sleep 0.5; ${write('ended')}; exit 5" TERM; ${write('began')}; while :; do sleep 0.01; done`,
  );
  const holder = new Started(...args, '--', ...first);
  const lines = () => readFileSync(file, { encoding: 'utf8', flag: 'a+' }).trim().split('\n');
  await expect.poll(lines, { timeout: 10_000 }).toEqual(['began']);
  const next = new Started(...args, '--', ...script(write('next')));
  const waiting = () => {
    const { locks, elections } = JSON.parse(baton('status', '--group', 'default', '--json').stdout);
    return [...locks, ...elections].flatMap(({ waiters, candidates }) => waiters ?? candidates).length;
  };
  await expect.poll(waiting, { timeout: 20_000 }).toBe(1);
  holder.signal('SIGTERM');
  expect([await holder.ended, await next.ended]).toEqual([5, 0]);
  expect(lines()).toEqual(['began', 'told', 'ended', 'next']);
});

test('lead: an algorithm that cannot elect a leader is refused', { timeout }, () => {
  const { status, stderr } = baton('lead', 'job', '--algorithm', 'raymond', '--', 'true');
  expect([status, stderr]).toEqual([2, 'baton: raymond is not an election algorithm: see baton list\n']);
});

test('lead: a process that is told to end when it has lost leadership does not stand again', {
  timeout,
}, async () => {
  const leader = new Started('lead', 'h', '--', ...script('echo in; exec sleep 60'));
  await expect.poll(() => leader.stdout, { timeout: 10_000 }).toBe('in\n');
  leader.signal('SIGSTOP');
  const next = new Started('lead', 'h', '--', 'echo', 'next');
  expect(await next.ended).toBe(0); // when the lease of the stopped process has expired
  leader.signal('SIGTERM');
  leader.signal('SIGCONT');
  expect([await leader.ended, leader.stdout]).toEqual([128 + 15, 'in\n']);
  expect(leader.stderr).not.toContain('stands again');
});

test('a signal that arrives as soon as the command runs is forwarded', { timeout }, () => {
  const ends = script('trap "exit 7" TERM; kill -TERM $PPID; while :; do sleep 0.01; done');
  for (let round = 0; round < 3; round += 1) {
    expect(baton('exec', '--lock', 'early', '--', ...ends).status).toBe(7);
    expect(baton('lead', 'early', '--', ...ends).status).toBe(7);
  }
});

test('an invalid directory is reported in a sentence', () => {
  for (const path of ['/dev/null', '/dev/null/x', '/proc/x']) {
    const { status, stdout, stderr } = spawnSync(
      process.execPath,
      ['packages/batonjs/dist/cli.cjs', 'status'],
      {
        env: { ...env, BATON_DIR: path },
        encoding: 'utf8',
      },
    );
    expect([status, stdout]).toEqual([2, '']);
    expect(stderr).toMatch(/^baton: \/.+: set BATON_DIR.* to a directory of yours.*\n$/);
  }
});

test('in Kubernetes, exec and lead without an engine are refused, unless local', { timeout }, () => {
  const { BATON_DIR, ...rest } = env;
  const inPod = (variables: NodeJS.ProcessEnv, ...args: string[]) =>
    spawnSync(process.execPath, ['packages/batonjs/dist/cli.cjs', ...args], {
      env: { ...rest, KUBERNETES_SERVICE_HOST: '10.0.0.1', ...variables },
      encoding: 'utf8',
    });
  for (const command of [
    ['exec', '--lock', 'kubernetes'],
    ['lead', 'kubernetes'],
  ]) {
    expect(inPod({}, ...command, '--', 'echo', 'ran')).toMatchObject({
      status: 2,
      stdout: '',
      stderr: expect.stringMatching(/^baton: in Kubernetes, .* all of them would lead: .*--local.*\n$/),
    });
    const ran = { status: 0, stdout: 'ran\n' };
    expect(inPod({}, ...command, '--local', '--', 'echo', 'ran')).toMatchObject(ran);
    expect(inPod({ BATON_LOCAL: '1' }, ...command, '--', 'echo', 'ran')).toMatchObject(ran);
    expect(inPod({ BATON_DIR }, ...command, '--', 'echo', 'ran')).toMatchObject(ran);
    const engine = { BATON_ENGINE: 'redis://127.0.0.1:1' };
    expect(inPod(engine, ...command, '--local', '--', 'echo', 'ran')).toMatchObject({
      status: 2,
      stderr: expect.stringMatching(/^baton: local: true is for a group without an engine/),
    });
  }
  expect(inPod({}, 'status', '--group', 'kubernetes')).toMatchObject({ status: 0 }); // looking harms nobody
});

test('unknown flags are refused with the one that was meant', () => {
  for (const args of [
    ['exec', '--lock', 'a', '--timeoutMs', '5', '--', 'true'],
    ['lead', 'a', '--engines', 'x', '--', 'true'],
    ['status', '--consistently'],
  ]) {
    const { status, stdout, stderr } = baton(...args);
    expect([status, stdout]).toEqual([2, '']);
    expect(stderr).toMatch(/^error: unknown option '--\w+'\n\(Did you mean --\w+\?\)\n$/);
  }
});

test('status: no members', () => {
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
