// The server side of the live view: access control, and the life of the demonstration's processes.
import { once } from 'node:events';
import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { join as joinGroup } from '../../src/cluster/index.ts';
import type { Demonstration, GroupsNow } from '../../src/live/index.ts';
import { groupsIn, isAlive, type LabProcess, startLabProcess, until } from './lab-process.ts';

const directory = mkdtempSync(join(tmpdir(), 'baton-test-'));
let lab: LabProcess;

beforeAll(async () => {
  process.env.BATON_DIR = groupsIn(directory);
  lab = await startLabProcess(directory);
});
afterAll(() => {
  lab.server.kill();
  delete process.env.BATON_DIR;
  rmSync(directory, { recursive: true, force: true });
});

/** Sends a request with exactly these headers and returns its status. */
async function status(path: string, headers: Readonly<Record<string, string>>, method = 'POST') {
  const socket = connect(Number(lab.address.port), '127.0.0.1');
  const all = { host: lab.address.host, connection: 'close', 'content-length': '0', ...headers };
  const fields = Object.entries(all).map(([name, value]) => `${name}: ${value}\r\n`);
  socket.write(`${method} ${path} HTTP/1.1\r\n${fields.join('')}\r\n`);
  return Number((await text(socket)).split(' ')[1]);
}

/** Subscribes to the event stream and keeps the latest data. */
async function watch({ address, token }: LabProcess) {
  const controller = new AbortController();
  const { body } = await fetch(new URL('/live/events', address), {
    headers: { authorization: `Bearer ${token}` },
    signal: controller.signal,
  });
  const known = {
    demo: null as Demonstration | null,
    groups: null as GroupsNow | null,
    close: () => controller.abort(),
  };
  const read = async () => {
    let rest = '';
    for await (const chunk of body!.pipeThrough(new TextDecoderStream())) {
      const parts = (rest + chunk).split('\n\n');
      rest = parts.pop()!;
      for (const part of parts) {
        const [, event, data] = /^event: (demo|groups)\ndata: (.*)$/s.exec(part)!;
        Object.assign(known, { [event!]: JSON.parse(data!) });
      }
    }
  };
  read().catch(() => {}); // the lab has ended, or the test
  return known;
}

const post = async ({ address, token }: LabProcess, path: string) => {
  const response = await fetch(new URL(`/live/demo/${path}`, address), {
    method: 'POST',
    headers: { authorization: `Bearer ${token}` },
  });
  return [response.status, await response.text()];
};

test('requests without the token or from another page are refused', async () => {
  const { token, address } = lab;
  const authorization = `Bearer ${token}`;
  const own = `http://${address.host}`;
  for (const [path, method] of [
    ['/live/demo/start', 'POST'],
    ['/live/events', 'GET'],
  ] as const) {
    expect(await status(path, {}, method)).toBe(401);
    expect(await status(path, { authorization: `Bearer ${token}x` }, method)).toBe(401);
    expect(await status(path, { authorization: token }, method)).toBe(401);
    expect(await status(`${path}?token=${token}`, {}, method)).toBe(401);
    for (const foreign of [
      { origin: 'http://elsewhere.example' },
      { origin: 'http://localhost:3000' },
      { origin: 'null' },
      { origin: own.replace(/:\d+$/, '') },
      { 'sec-fetch-site': 'same-site' },
      { 'sec-fetch-site': 'cross-site' },
    ])
      expect(await status(path, { authorization, ...foreign }, method), JSON.stringify(foreign)).toBe(403);
    expect(await status(path, { authorization, host: 'elsewhere.example' }, method)).toBeGreaterThan(403);
  }
  expect(await status('/live/demo/kill?process=0', { authorization, origin: own })).toBe(409);
  expect(await status('/live/demo/start', { authorization }, 'GET')).toBe(405);
  expect(await status('/live/demo/nothing', { authorization })).toBe(404);
  const preflight = { origin: 'http://elsewhere.example', 'access-control-request-method': 'POST' };
  expect(await status('/live/demo/start', preflight, 'OPTIONS')).toBe(403);
});

test('the stream reports the groups of this machine', async () => {
  const known = await watch(lab);
  await using group = await joinGroup('orders');
  const lock = await group.lock('stock');
  await until(() => known.groups?.groups[0]?.locks[0]?.holder?.fence === lock.fence);
  const [reported] = known.groups!.groups;
  expect(reported).toMatchObject({ name: 'orders', members: [{ answered: true }], elections: [] });
  expect(reported!.locks).toMatchObject([{ name: 'stock', algorithm: 'li-hudak', waiters: [] }]);
  await lock.release();
  await until(() => known.groups?.groups[0]?.locks.length === 0);
  known.close();
});

const folders = () => readdirSync(directory).filter((name) => name.startsWith('baton-lab-'));

test('processes of the demonstration are killed, stopped, continued and added; none is left after the end', async () => {
  const known = await watch(lab);
  const seats = () => known.demo?.seats ?? [];
  expect(await post(lab, 'start')).toEqual([204, '']);
  await until(() => seats().length === 5 && seats().every(({ isMember }) => isMember));
  await until(() => seats().some(({ phase }) => phase === 'inside'));
  const killed = seats().findIndex(({ phase }) => phase === 'inside');
  await post(lab, `kill?process=${killed}`);
  await until(() => seats()[killed]!.state === 'dead');
  await until(() => seats().some(({ phase }) => phase === 'inside'));
  expect(await post(lab, `kill?process=${killed}`)).toEqual([204, '']); // pressed twice
  expect(await post(lab, `stop?process=${killed}`)).toEqual([409, 'there is no such process']);
  const other = (killed + 1) % 5;
  await post(lab, `stop?process=${other}`);
  await until(() => seats()[other]!.state === 'stopped' && !seats()[other]!.isMember); // its lease has expired
  await post(lab, `continue?process=${other}`);
  await until(() => seats()[other]!.isMember);
  const { pid } = seats()[killed]!;
  await post(lab, 'add');
  await until(() => seats()[killed]!.isMember && seats()[killed]!.pid !== pid);
  for (const more of [6, 7, 8]) {
    await post(lab, 'add');
    await until(() => seats().length === more);
  }
  expect(await post(lab, 'add')).toEqual([409, 'there are 8 already']);
  const late = await watch(lab);
  await until(() => late.demo?.seats.length === 8);
  const pids = seats().map((seat) => seat.pid);
  expect(pids.every(isAlive)).toBe(true);
  expect(await post(lab, 'end')).toEqual([204, '']);
  expect(pids.some(isAlive)).toBe(false);
  await until(() => known.demo?.isRunning === false && seats().length === 0);
  expect(folders()).toEqual([]);
  known.close();
  late.close();
});

test('starting and ending the demonstration at once leaves no process behind', async () => {
  expect(await post(lab, 'start')).toEqual([204, '']);
  expect(await post(lab, 'end')).toEqual([204, '']);
  expect(folders()).toEqual([]);
});

test.each(['SIGINT', 'SIGKILL'] as const)(
  'when %s ends the lab, its processes end too, even a stopped one',
  async (signal) => {
    const other = await startLabProcess(directory);
    const known = await watch(other);
    await post(other, 'start');
    await until(() => known.demo?.seats.length === 5);
    await post(other, 'stop?process=2');
    await until(() => known.demo!.seats[2]!.state === 'stopped');
    const pids = known.demo!.seats.map(({ pid }) => pid);
    other.server.kill(signal);
    await once(other.server, 'exit');
    await until(() => !pids.some(isAlive));
    await until(() => folders().length === 0);
  },
);
