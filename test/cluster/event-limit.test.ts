// The events `refused` and `failed`: address, count and rate.
import { connect } from 'node:net';
import { afterEach, describe, expect, test, vi } from 'vitest';
import { liHudak } from '../../src/algorithms/index.ts';
import { engineHosts } from '../../src/cluster/engines/engine-url.ts';
import { EmbeddedEngine } from '../../src/cluster/engines/local/embedded-engine.ts';
import { EventLimit } from '../../src/cluster/group/event-limit.ts';
import { Group } from '../../src/cluster/group/group.ts';
import { BatonError } from '../../src/cluster/index.ts';
import { listenUnix } from '../../src/cluster/transport/unix.ts';
import type { Peer } from '../../src/member/index.ts';
import { members } from './members.ts';
import { inOwnDirectory } from './temporary-directory.ts';

inOwnDirectory();
afterEach(() => {
  vi.useRealTimers();
});

describe('a limit of events', () => {
  function limited() {
    vi.useFakeTimers();
    const emitted: [string, string | null, number][] = [];
    const limit = new EventLimit<string>((...event) => emitted.push(event));
    return { emitted, limit };
  }

  test('passes the first at once, then one a second with the number of those in between', () => {
    const { emitted, limit } = limited();
    for (let i = 0; i < 5; i += 1) limit.report('kind', `event ${i}`, 'a');
    expect(emitted).toEqual([['event 0', 'a', 1]]);
    vi.advanceTimersByTime(999);
    expect(emitted).toHaveLength(1);
    vi.advanceTimersByTime(1);
    expect(emitted.splice(0)).toEqual([
      ['event 0', 'a', 1],
      ['event 4', 'a', 4],
    ]);
    limit.report('kind', 'soon after', 'a');
    expect(emitted).toEqual([]);
    vi.advanceTimersByTime(1000);
    expect(emitted.splice(0)).toEqual([['soon after', 'a', 1]]);
    vi.advanceTimersByTime(5000);
    limit.report('kind', 'much later', 'a');
    expect(emitted).toEqual([['much later', 'a', 1]]);
  });

  test('is apart for each kind and address', () => {
    const { emitted, limit } = limited();
    for (const kind of ['x', 'y']) for (const address of ['a', 'b', null]) limit.report(kind, kind, address);
    expect(emitted).toHaveLength(6);
  });

  test('keeps a bounded number of addresses, and counts all events', () => {
    const { emitted, limit } = limited();
    for (let i = 0; i < 10_000; i += 1) limit.report('kind', 'event', `address ${i}`);
    expect(emitted).toHaveLength(101);
    expect(emitted.at(-1)).toEqual(['event', null, 1]);
    expect(vi.getTimerCount()).toBe(101);
    vi.advanceTimersByTime(1000);
    expect(emitted.at(-1)).toEqual(['event', null, 9899]);
    vi.advanceTimersByTime(1000);
    expect(vi.getTimerCount()).toBe(0);
  });

  test('gives what was suppressed when it is flushed, and keeps no timer', () => {
    const { emitted, limit } = limited();
    for (let i = 0; i < 3; i += 1) limit.report('kind', 'event', 'a');
    limit.flush();
    expect(emitted).toEqual([
      ['event', 'a', 1],
      ['event', 'a', 2],
    ]);
    expect(vi.getTimerCount()).toBe(0);
  });
});

/** Sends bytes that are no frame to a member, this often. */
async function sendGarbage({ view, id }: Group, times: number): Promise<void> {
  const { address } = view!.members.find((peer) => peer.id === id)!;
  for (let i = 0; i < times; i += 1)
    await new Promise((resolve) => {
      const socket = connect(address, () => socket.write(Buffer.from([0, 0, 0, 1, 0xc1])));
      socket
        .on('error', () => {})
        .on('close', resolve)
        .resume();
    });
}

test('a group reports refused connections once a second, with their number', async () => {
  const [group] = (await members(1)) as [Group];
  const events: [string, string | null, number][] = [];
  group.on('refused', (...event) => events.push(event));
  const started = performance.now();
  await sendGarbage(group, 50);
  const counted = () => events.reduce((sum, [, , count]) => sum + count, 0);
  await expect.poll(counted, { timeout: 10_000 }).toBe(50);
  expect(events[0]).toEqual(['malformed', null, 1]); // a unix socket has no address of the remote end
  expect(events.length).toBeLessThanOrEqual(2 + (performance.now() - started) / 1000);
});

test('a group names the member whose message it drops', async () => {
  const [a, b] = (await members(2)) as [Group, Group];
  const events: [string, string | null, number][] = [];
  a.on('refused', (...event) => events.push(event));
  await expect.poll(() => a.view!.members.length, { timeout: 10_000 }).toBe(2);
  const [first, other] = a.view!.members as [Peer, Peer];
  const silent = { received: () => {}, closed: () => {}, refused: () => {} };
  const second = await listenUnix(`${other.address}2`, { group: a.name, id: b.id, listener: silent });
  second.send(first, { type: 'view', epoch: 0 });
  await expect.poll(() => events, { timeout: 10_000 }).toContainEqual(['foreign epoch', other.address, 1]);
  await second.close();
});

test('a group reports operations of the engine that fail once a second, with its address and their number', async () => {
  class FailingEngine extends EmbeddedEngine {
    isFailing = false;

    override async read() {
      if (this.isFailing) throw Object.assign(new Error('connect ECONNREFUSED'), { code: 'ECONNREFUSED' });
      return super.read();
    }
  }
  const [name, leaseMs] = ['failing', 300];
  const engine = new FailingEngine({ group: name, leaseMs });
  const group = new Group(
    {
      ...{ group: name, algorithm: liHudak.name, algorithmOf: () => liHudak, leaseMs, priority: 0, engine },
      spansMachines: false,
      listen: (id, listener) => listenUnix(engine.address(id), { group: name, id, listener }),
    },
    'db.example',
  );
  await group.join(undefined);
  const events: [unknown, string | null, number][] = [];
  group.on('failed', (...event) => events.push(event));
  engine.isFailing = true;
  await expect.poll(() => events.length, { timeout: 10_000 }).toBe(2);
  const [[error, address, first], [, , second]] = events as [(typeof events)[0], (typeof events)[0]];
  expect([address, first]).toEqual(['db.example', 1]);
  expect(second).toBeGreaterThan(1);
  expect(error).toBeInstanceOf(BatonError);
  expect(error).toMatchObject({
    code: 'unavailable',
    message: 'an operation of the engine failed: connect ECONNREFUSED',
    cause: { code: 'ECONNREFUSED' },
  });
  engine.isFailing = false;
  await group.leave();
});

test('a listener of refused that throws does not disturb the group', async () => {
  const [group] = (await members(1)) as [Group];
  const thrown: unknown[] = [];
  const uncaught = process.listeners('uncaughtException');
  process.removeAllListeners('uncaughtException').on('uncaughtException', (error) => thrown.push(error));
  try {
    group.on('refused', () => {
      throw new Error('of a listener');
    });
    await sendGarbage(group, 1);
    await expect.poll(() => thrown).toEqual([new Error('of a listener')]);
  } finally {
    process.removeAllListeners('uncaughtException');
    for (const listener of uncaught) process.on('uncaughtException', listener);
  }
  await (await group.lock('a')).release();
});

test.each([
  ['postgres://app:pass%40word@db.example/app', 'db.example'],
  ['etcd://a:2379,b:2379', 'a:2379,b:2379'],
  ['redis://[::1]:6379/', '[::1]:6379'],
  ['postgres://db.example:5432/app?sslmode=require', 'db.example:5432'],
  ['postgres://app:pass/word@db.example/app', null],
  ['postgres://db.example/app?password=a@b', null],
  ['postgres:///app', null],
  [undefined, null],
])('events name the engine without user and password: %s', (url, hosts) => {
  expect(engineHosts(url)).toBe(hosts);
});
