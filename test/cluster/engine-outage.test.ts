// Groups whose engine is unavailable for longer than their leases.
import { expect, test } from 'vitest';
import { liHudak } from '../../src/algorithms/index.ts';
import type { Engine } from '../../src/cluster/engines/engine.ts';
import { EmbeddedEngine } from '../../src/cluster/engines/local/embedded-engine.ts';
import { Group } from '../../src/cluster/group/group.ts';
import { engineLeaseFraction } from '../../src/cluster/membership/lease-margin.ts';
import { listenUnix } from '../../src/cluster/transport/unix.ts';
import { pause, soon } from '../conformance/engine.ts';
import { inOwnDirectory } from './temporary-directory.ts';

inOwnDirectory();

const leaseMs = 400;
let isAway = false;
let closingMs = 0; // how long connections take to close

function member(): Promise<Group> {
  const group = 'orders';
  const engine = new EmbeddedEngine({ group, leaseMs: engineLeaseFraction * leaseMs });
  const there = <T>(work: () => Promise<T>): Promise<T> =>
    isAway ? Promise.reject(new Error('the engine is away')) : work();
  const faulty: Engine = {
    read: () => there(() => engine.read()),
    change: (...args) => there(() => engine.change(...args)),
    watch: (changed) => engine.watch(changed),
    renew: (id) => there(() => engine.renew(id)),
    expired: (members) => there(() => engine.expired(members)),
    forget: (id) => there(() => engine.forget(id)),
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
  await expect(waiting).rejects.toThrow('was not free within');
  closingMs = 0;
  await soon(() => b.view?.members.length).toBe(2);
  for (const group of [b, a]) await (await group.lock('a', { timeoutMs: 5000 })).release();
  await Promise.all([a.leave(), b.leave()]);
});
