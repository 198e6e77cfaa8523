// Groups whose engine is unavailable for longer than their leases.
import { afterEach, describe, expect, test } from 'vitest';
import { liHudak } from '../../src/algorithms/index.ts';
import type { Engine } from '../../src/cluster/engines/engine.ts';
import { EmbeddedEngine } from '../../src/cluster/engines/local/embedded-engine.ts';
import { Group } from '../../src/cluster/group/group.ts';
import type { Lock } from '../../src/cluster/group/lock.ts';
import { engineLeaseFraction } from '../../src/cluster/membership/lease-margin.ts';
import { listenUnix } from '../../src/cluster/transport/unix.ts';
import { pause, soon } from '../conformance/engine.ts';
import { codeFrom } from './members.ts';
import { inOwnDirectory } from './temporary-directory.ts';

inOwnDirectory();

const leaseMs = 800;
let isAway = false;
let closingMs = 0; // how long connections take to close
let forgotten: string[] = []; // the members whose leases were ended
let refusedAt: number[] = []; // when the engine was asked while it was away

function member(): Promise<Group> {
  const group = 'orders';
  const engine = new EmbeddedEngine({ group, leaseMs: engineLeaseFraction * leaseMs });
  const there = <T>(work: () => Promise<T>): Promise<T> => (isAway ? refused() : work());
  const refused = (): Promise<never> => {
    refusedAt.push(performance.now());
    return Promise.reject(new Error('the engine is away'));
  };
  const faulty: Engine = {
    read: () => there(() => engine.read()),
    change: (...args) => there(() => engine.change(...args)),
    watch: (changed) => engine.watch(changed),
    renew: (id) => there(() => engine.renew(id)),
    expired: (members) => there(() => engine.expired(members)),
    forget: (id) =>
      there(async () => {
        await engine.forget(id);
        forgotten.push(id);
      }),
    close: () => engine.close(),
  };
  return new Group({
    ...{ group, algorithm: liHudak.name, algorithmOf: () => liHudak, leaseMs, priority: 0 },
    engine: faulty,
    spansMachines: false,
    listen: async (id, listener) => {
      const transport = await listenUnix(engine.address(id), { group, id, listener });
      const close = async () => {
        await pause(closingMs);
        await transport.close();
      };
      return {
        address: transport.address,
        send: transport.send.bind(transport),
        keep: transport.keep.bind(transport),
        reachItself: transport.reachItself.bind(transport),
        close,
      };
    },
  }).join(undefined);
}

test('locks are lost when the lease expires, and waiting requests are served when the engine is back', async () => {
  const groups = [await member(), await member(), await member()];
  const lock = await groups[0]!.lock('a');
  const { fence } = lock;
  const waiting = groups[1]!.lock('a', { timeoutMs: 10_000 });
  isAway = true;
  await soon(() => lock.state).toBe('lost');
  await pause(2 * leaseMs); // time for several attempts to rejoin
  isAway = false;
  const next = await waiting;
  expect(next.fence).toBeGreaterThan(fence);
  await next.release();
  const last = await groups[2]!.lock('a', { timeoutMs: 10_000 });
  expect(last.fence).toBeGreaterThan(fence);
  await Promise.all(groups.map((group) => group.leave()));
});

test('a request that is aborted while the process is out of the group never gets the lock', async () => {
  const [a, b] = [await member(), await member()];
  const locks = [await a.lock('a'), await b.lock('b')];
  const waiting = b.lock('a', { timeoutMs: 4 * leaseMs });
  closingMs = 5 * leaseMs;
  isAway = true;
  for (const lock of locks) await soon(() => lock.state).toBe('lost'); // both are out of the group
  isAway = false;
  expect(await codeFrom(waiting)).toBe('unavailable');
  closingMs = 0;
  await soon(() => b.view?.members.length).toBe(2);
  for (const group of [b, a]) await (await group.lock('a', { timeoutMs: 5000 })).release();
  await Promise.all([a.leave(), b.leave()]);
});

describe('outside the group', () => {
  /** Returns a group that is out, because its engine is away. */
  async function outside(): Promise<{ group: Group; lock: Lock; states: string[] }> {
    const group = await member();
    const lock = await group.lock('a');
    await soon(() => group.state).toBe('member');
    const states: string[] = ['member'];
    isAway = true;
    await soon(() => {
      if (states.at(-1) !== group.state) states.push(group.state);
      return group.state;
    }).toBe('out');
    return { group, lock, states };
  }
  afterEach(() => {
    isAway = false;
    forgotten = [];
    closingMs = 0;
  });

  const unavailable = {
    code: 'unavailable',
    definite: true,
    cause: expect.objectContaining({ message: 'the engine is away' }),
  };

  test('the state says so', async () => {
    const { group, lock, states } = await outside();
    expect(states).toEqual(['member', 'doubtful', 'out'].filter((one) => states.includes(one))); // a slow poll may miss one
    expect(states.at(-1)).toBe('out');
    expect(lock.state).toBe('lost');
    isAway = false;
    await soon(() => group.state).toBe('member');
    const leaving = group.leave();
    expect(group.state).toBe('left');
    await leaving;
    expect(group.state).toBe('left');
  });

  test('tryLock reads the clocks: a lock that this process has lost does not count as held', async () => {
    const group = await member();
    await group.lock('a');
    isAway = true;
    for (const until = performance.now() + leaseMs; performance.now() < until; ); // nothing has noticed yet
    expect(group.state).toBe('out');
    const answers = await Promise.allSettled([group.tryLock('a'), group.inspect()]);
    for (const answer of answers) expect(answer).toMatchObject({ status: 'rejected', reason: unavailable });
    await group.leave();
  });

  test('tryLock and inspect reject when the attempt to rejoin fails', async () => {
    const { group } = await outside();
    await expect(group.tryLock('a')).rejects.toMatchObject(unavailable);
    await expect(group.inspect()).rejects.toMatchObject(unavailable);
    await pause(2 * leaseMs); // between attempts that are far apart
    await expect(group.tryLock('a')).rejects.toMatchObject({
      ...unavailable,
      message:
        "lock 'a' cannot be tried: this process is not in group 'orders', and its attempt to rejoin failed",
    });
    await expect(group.inspect()).rejects.toMatchObject({
      ...unavailable,
      message:
        "the group cannot be inspected: this process is not in group 'orders', and its attempt to rejoin failed",
    });
    await group.leave();
  });

  test('tryLock and inspect are answered when the attempt to rejoin succeeds', async () => {
    closingMs = leaseMs; // the attempt begins when connections are closed
    const { group } = await outside();
    await soon(() => group.view).toBeNull();
    isAway = false;
    const answers = [group.tryLock('b'), group.inspect()] as const;
    expect(group.state).toBe('out');
    const lock = await answers[0];
    expect(lock!.state).toBe('held');
    expect((await answers[1]).members).toMatchObject([{ id: group.id }]);
    await group.leave();
  });

  test('a lock that times out says that the engine is unavailable', async () => {
    const { group } = await outside();
    await expect(group.lock('b', { timeoutMs: 50 })).rejects.toMatchObject({
      ...unavailable,
      message:
        "lock 'b' was not acquired within 50 ms: this process is not in group 'orders', and tries to rejoin",
    });
    await expect(group.lockAll(['b', 'c'], { timeoutMs: 50 })).rejects.toMatchObject(unavailable);
    const waits = group.lock('b');
    isAway = false;
    expect((await waits).state).toBe('held');
    await expect(group.lock('b', { timeoutMs: 5 })).rejects.toMatchObject({ code: 'timeout' });
    await group.leave();
  });

  test('attempts to rejoin stay as frequent as renewals, however long the engine is away', async () => {
    const { group } = await outside();
    refusedAt = [];
    await pause(5 * leaseMs);
    const gaps = refusedAt.slice(1).map((at, i) => at - refusedAt[i]!);
    expect(Math.max(...gaps)).toBeLessThan(0.5 * leaseMs);
    expect(refusedAt.length).toBeLessThan(60);
    await group.leave();
  });

  test('the lease of the former member is ended when the engine is back, as others wait for it', async () => {
    const group = await member();
    const { id } = group;
    isAway = true;
    await soon(() => group.state).toBe('out');
    await pause(leaseMs);
    expect(forgotten).not.toContain(id);
    isAway = false;
    await soon(() => group.state).toBe('member');
    expect(group.id).not.toBe(id);
    expect(forgotten).toContain(id);
    await group.leave();
  });

  test('leave does not wait for the engine to come back', async () => {
    const { group } = await outside();
    const waits = codeFrom(group.lock('a'));
    await pause(2 * leaseMs);
    const began = performance.now();
    await group.leave();
    expect(await waits).toBe('left');
    expect(performance.now() - began).toBeLessThan(leaseMs); // not the pause before the next attempt
  });
});
