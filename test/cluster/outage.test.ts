// Groups whose engine is away for longer than their leases last.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { liHudak } from '../../src/algorithms/index.ts';
import { EmbeddedEngine } from '../../src/cluster/engines/embedded.ts';
import type { Engine } from '../../src/cluster/engines/engine.ts';
import { Group } from '../../src/cluster/group.ts';
import { endsAtEngine } from '../../src/cluster/incarnation.ts';
import { listen } from '../../src/cluster/transport/unix.ts';
import { pause, soon } from '../conformance/engine.ts';

const directory = mkdtempSync(join(tmpdir(), 'baton-test-'));
beforeAll(() => {
  process.env.BATON_DIR = directory;
});
afterAll(() => {
  delete process.env.BATON_DIR;
  rmSync(directory, { recursive: true, force: true });
});

const leaseMs = 400;
let isAway = false;

function member(): Promise<Group> {
  const group = 'orders';
  const engine = new EmbeddedEngine({ group, leaseMs: endsAtEngine * leaseMs });
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
    checksReach: false,
    listen: (id, listener) => listen(engine.address(id), { group, id, listener }),
  }).join(undefined);
}

test('locks are lost when the lease is over, and whoever waits is served when the engine is back', async () => {
  const groups = [await member(), await member(), await member()];
  const lock = await groups[0]!.lock('a');
  const { fence } = lock;
  const waiting = groups[1]!.lock('a', { timeoutMs: 10_000 });
  isAway = true;
  await soon(() => lock.state).toBe('lost');
  await pause(2 * leaseMs); // to come back is tried more than once
  isAway = false;
  const next = await waiting;
  expect(next.fence).toBeGreaterThan(fence);
  await next.release();
  const last = await groups[2]!.lock('a', { timeoutMs: 10_000 });
  expect(last.fence).toBeGreaterThan(fence);
  await Promise.all(groups.map((group) => group.leave()));
});
