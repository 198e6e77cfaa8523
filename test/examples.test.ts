// The examples work as documented, with several processes at a time.
import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { appendFileSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import mysql from 'mysql2/promise';
import pg from 'pg';
import { createClient } from 'redis';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { inspectGroup } from '../src/cluster/index.ts';
import { withServer } from './cluster/database-server.ts';

const directory = mkdtempSync(join(tmpdir(), 'baton-test-'));
const running: Example[] = [];
beforeAll(() => {
  process.env.BATON_DIR = join(directory, 'groups');
  execFileSync(process.execPath, ['node_modules/typescript/bin/tsc', '-p', 'examples'], { stdio: 'inherit' });
}, 60_000);
afterEach(() => {
  for (const { child } of running.splice(0)) child.kill('SIGKILL');
});
afterAll(() => rmSync(directory, { recursive: true, force: true }));

class Example {
  readonly child: ChildProcess;
  output = '';
  readonly ended: Promise<number | null>;

  constructor(name: string, args: readonly string[] = [], env: NodeJS.ProcessEnv = {}) {
    this.child = spawn(process.execPath, [`build/examples/${name}.js`, ...args], {
      env: { ...process.env, ...env },
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    this.child.stdout!.on('data', (data) => {
      this.output += data;
    });
    this.ended = new Promise((resolve) => this.child.on('close', resolve));
    running.push(this);
  }
}

const three = (name: string, args: readonly string[] = [], env: NodeJS.ProcessEnv = {}) =>
  [1, 2, 3].map(() => new Example(name, args, env));
const timeout = 60_000;
const soon = { timeout: 20_000 };

test('cron: one of three runs the job, and another one when it is killed', { timeout }, async () => {
  const all = three('cron', [], { EVERY_MS: '20' });
  const active = () => all.filter(({ output }) => output !== '');
  await expect.poll(async () => (await inspectGroup('reports'))?.members.length, soon).toBe(3); // a process that is still starting would die of SIGTERM
  await expect.poll(() => active()[0]?.output.split('\n').length ?? 0, soon).toBeGreaterThan(5);
  expect(active()).toHaveLength(1);
  active()[0]!.child.kill('SIGKILL');
  await expect.poll(() => active().length, soon).toBe(2);
  for (const { child } of all) child.kill('SIGTERM');
  expect((await Promise.all(all.map(({ ended }) => ended))).sort()).toEqual([0, 0, null]);
});

test('consumer: only the leader consumes; all know the leader', { timeout }, async () => {
  const queue = join(directory, 'queue');
  writeFileSync(queue, 'first\n');
  const all = three('consumer', [queue]);
  const output = () => all.map((one) => one.output).join('');
  await expect.poll(output, soon).toMatch(/consumed first under fence \d+/);
  appendFileSync(queue, 'second\n');
  await expect.poll(output, soon).toMatch(/consumed second/);
  await expect.poll(() => all.filter((one) => one.output.includes(' leads')).length, soon).toBe(3);
  expect(output().match(/consumed/g)).toHaveLength(2);
  expect(output().match(/that is me/g)).toHaveLength(1);
  for (const { child } of all) child.kill('SIGTERM');
  expect(await Promise.all(all.map(({ ended }) => ended))).toEqual([0, 0, 0]);
});

describe('service', () => {
  /** Starts an instance, and returns it once it answers requests. */
  async function instance(file: string, env: NodeJS.ProcessEnv) {
    const example = new Example('service', [file], { EVERY_MS: '10', ...env });
    await expect.poll(() => example.output, soon).toMatch(/^port \d+\n/);
    const url = `http://127.0.0.1:${example.output.match(/\d+/)![0]}`;
    return Object.assign(example, { url });
  }
  const linesOf = (file: string) => readFileSync(file, { encoding: 'utf8', flag: 'a+' }).trim().split('\n');
  const workerOf = (line: string | undefined) => Number(line?.split(' ')[1]);

  /** Stops the instance that works, in the middle of its work. Returns its lines, and checks that nobody else worked at that time. */
  async function stopWorker(file: string, env: NodeJS.ProcessEnv) {
    const all = [await instance(file, env), await instance(file, env)];
    await expect.poll(() => linesOf(file).at(-1), soon).toMatch(/^begins/);
    const worker = all.find(({ child }) => child.pid === workerOf(linesOf(file).at(-1)))!;
    const other = all.find((one) => one !== worker)!;
    const answer = fetch(`${worker.url}/invoices/7`, { method: 'POST' }).then(({ status }) => status);
    await expect.poll(async () => (await inspectGroup('service'))?.locks.length, soon).toBe(1);
    worker.child.kill('SIGTERM');
    await expect
      .poll(() => linesOf(file).some((line) => workerOf(line) === other.child.pid), soon)
      .toBe(true);
    const lines = linesOf(file);
    const next = lines.findIndex((line) => workerOf(line) === other.child.pid);
    expect(await worker.ended).toBe(0);
    const after = linesOf(file).slice(next);
    expect(after.filter((line) => workerOf(line) === worker.child.pid)).toEqual([]);
    const fences = linesOf(file).map((line) => Number(line.split(' ')[2]));
    expect(fences).toEqual(fences.toSorted((a, b) => a - b));
    await expect(fetch(worker.url)).rejects.toThrow();
    expect((await fetch(other.url)).status).toBe(200);
    other.child.kill('SIGTERM');
    expect(await other.ended).toBe(0);
    return { last: lines[next - 1]!.replace(/ .*/, ''), status: await answer };
  }

  test('an instance that is stopped finishes its work before the other one begins', { timeout }, async () => {
    const file = join(directory, 'finished');
    expect(await stopWorker(file, { WORK_MS: '1500' })).toEqual({ last: 'ends', status: 200 });
  });

  test('work that takes longer than the drain is stopped before the other instance begins', {
    timeout,
  }, async () => {
    const file = join(directory, 'stopped');
    const env = { WORK_MS: '30000', DRAIN_MS: '100' };
    expect(await stopWorker(file, env)).toEqual({ last: 'stops', status: 503 });
  });
});

test('migrate: runs once', { timeout }, async () => {
  const all = three('migrate', [join(directory, 'schema')]);
  expect(await Promise.all(all.map(({ ended }) => ended))).toEqual([0, 0, 0]);
  expect(all.map(({ output }) => output).sort()).toEqual([
    'already migrated\n',
    'already migrated\n',
    'migrated\n',
  ]);
});

test('fenced-file: no write is lost, and a late write is not read', {
  timeout,
}, async () => {
  const folder = join(directory, 'fenced');
  const all = ['a', 'b', 'c', 'd'].map((text) => new Example('fenced-file', [folder, text]));
  expect(await Promise.all(all.map(({ ended }) => ended))).toEqual([0, 0, 0, 0]);
  const newest = () => readFileSync(join(folder, readdirSync(folder).sort().at(-1)!), 'utf8');
  expect(newest().split('\n').sort().join('')).toBe('abcd');
  writeFileSync(join(folder, '0000000000000001'), 'late');
  expect(newest()).not.toContain('late');
});

describe('fenced-postgres', () => {
  withServer('postgresql', (server) => {
    test('every change counts', { timeout }, async () => {
      const all = three('fenced-postgres', [server().url]);
      expect(await Promise.all(all.map(({ ended }) => ended))).toEqual([0, 0, 0]);
      const client = new pg.Client(server().url);
      await client.connect();
      const { rows } = await client.query('select total, fence from invoices, baton_fences');
      await client.end();
      expect(rows).toEqual([{ total: 3, fence: expect.stringMatching(/^\d{10,}$/) }]);
    });
  });
});

describe('fenced-mysql', () => {
  withServer('mariadb', (server) => {
    test('every change counts', { timeout }, async () => {
      const all = three('fenced-mysql', [server().url]);
      expect(await Promise.all(all.map(({ ended }) => ended))).toEqual([0, 0, 0]);
      const client = await mysql.createConnection(server().url);
      const [rows] = await client.query('select total, fence from invoices, baton_fences');
      await client.end();
      expect(rows).toEqual([{ total: 3, fence: expect.any(Number) }]);
    });
  });
});

describe('fenced-redis', () => {
  withServer('redis', (server) => {
    test('no write is lost', { timeout }, async () => {
      const all = ['a', 'b', 'c'].map((text) => new Example('fenced-redis', [server().url, text]));
      expect(await Promise.all(all.map(({ ended }) => ended))).toEqual([0, 0, 0]);
      const client = createClient({ url: server().url });
      await client.connect();
      expect([...(await client.get('summary'))!].sort().join('')).toBe('abc');
      client.destroy();
    });
  });
});

test('fenced-http: answers a late writer with 412, one without a fence with 428', { timeout }, async () => {
  const server = new Example('fenced-http');
  await expect.poll(() => server.output, soon).toContain('\n');
  const url = `http://127.0.0.1:${JSON.parse(server.output).port}/summary`;
  const put = async (body: string, headers: Record<string, string> = {}) =>
    (await fetch(url, { method: 'PUT', body, headers })).status;
  expect(await put('first', { 'Baton-Fence': '7' })).toBe(204);
  expect(await put('second', { 'Baton-Fence': '8' })).toBe(204);
  expect(await put('late', { 'Baton-Fence': '7' })).toBe(412);
  expect(await put('anybody')).toBe(428);
  expect(await put('third', { 'Baton-Fence': '8' })).toBe(204);
  expect(await (await fetch(url)).text()).toBe('third');
});

test('the code in docs/fences.md is in the examples', () => {
  const plain = (text: string) => text.replace(/^\s+/gm, '');
  const programs = readdirSync('examples')
    .filter((name) => name.startsWith('fenced-'))
    .map((name) => plain(readFileSync(join('examples', name), 'utf8')));
  const shown = [...readFileSync('docs/fences.md', 'utf8').matchAll(/^```ts\n([\s\S]*?)^```/gm)];
  expect(shown).toHaveLength(4);
  for (const [, block] of shown)
    expect(
      programs.some((text) => text.includes(plain(block!))),
      block,
    ).toBe(true);
});
