// The suite for a group whose engine is an external database: its locks when the database fails.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { Database } from '../../bench/servers.ts';
import { algorithms } from '../../src/algorithms/index.ts';
import { openEngine } from '../../src/cluster/engines/open-engine.ts';
import { Group } from '../../src/cluster/group/group.ts';
import { engineLeaseFraction } from '../../src/cluster/membership/lease-margin.ts';
import { listenUnix } from '../../src/cluster/transport/unix.ts';
import { pause, soon } from './engine.ts';

const usualLeaseMs = 5000;
const restartLeaseMs = 12_000; // a killed server may need some seconds if many tests run at once

export function carriesGroups(name: string, server: () => Database, wipe: () => Promise<void>): void {
  describe(`a group with ${name}`, () => {
    let folder: string;
    let groups: Group[] = [];
    beforeEach(() => {
      folder = mkdtempSync(join(tmpdir(), 'baton-stored-'));
    });
    afterEach(async () => {
      await Promise.all(groups.map((group) => group.leave()));
      groups = [];
      await wipe();
      rmSync(folder, { recursive: true, force: true });
    });

    async function member(leaseMs = usualLeaseMs): Promise<Group> {
      const group = 'orders';
      const engine = await openEngine(server().url, {
        ...{ group, leaseMs: engineLeaseFraction * leaseMs, unsafe: false, warn: () => {} },
      });
      const made = new Group({
        ...{ group, algorithm: 'li-hudak', leaseMs, priority: 0, engine, spansMachines: true },
        algorithmOf: (wanted) => algorithms.find((one) => one.name === wanted),
        listen: (id, listener) => listenUnix(join(folder, `${id}.sock`), { group, id, listener }),
      });
      groups.push(made);
      return made.join(undefined);
    }
    const members = async (count: number, leaseMs?: number) => {
      for (let i = 0; i < count; i += 1) await member(leaseMs);
      await soon(() => groups.map(({ view }) => view?.members.length)).toEqual(groups.map(() => count));
      return groups as [Group, Group, Group];
    };
    async function turn(group: Group): Promise<number> {
      await using lock = await group.lock('invoice-42', { timeoutMs: 20_000 });
      return lock.fence;
    }

    test('passes locks on, and lets members join and leave', async () => {
      const all = await members(3);
      const fences: number[] = [];
      for (let round = 0; round < 5; round += 1) for (const group of all) fences.push(await turn(group));
      await all[0].leave();
      await soon(() => all[1].view?.members.length).toBe(2);
      fences.push(await turn(all[1]), await turn(await member()), await turn(all[2]));
      expect(fences).toEqual([...new Set(fences)].sort((x, y) => x - y));
    });

    test('continues while the server restarts, and passes locks on meanwhile', async () => {
      const all = await members(3, restartLeaseMs);
      const lock = await all[0].lock('held');
      const fences = [await turn(all[0])];
      await server().kill();
      try {
        for (const group of [all[1], all[2], all[0]]) fences.push(await turn(group));
      } finally {
        await server().again();
      }
      await pause(0.75 * restartLeaseMs); // longer than the rest of the lease
      expect(lock.state).toBe('held');
      expect(lock.fence).toBeGreaterThan(0);
      fences.push(await turn(all[1]));
      expect(fences).toEqual([...new Set(fences)].sort((x, y) => x - y));
      await lock.release();
    });

    test('loses its locks when the server is down for longer than the lease, and recovers without help', async () => {
      const all = await members(3);
      const lock = await all[0].lock('invoice-42');
      const { fence } = lock;
      await server().kill();
      try {
        const killed = performance.now();
        await soon(() => lock.state).toBe('maybe lost');
        await soon(() => lock.state).toBe('lost');
        expect(performance.now() - killed).toBeLessThan(usualLeaseMs);
        await soon(() => lock.signal.aborted).toBe(true);
      } finally {
        await server().again();
      }
      expect(await turn(all[1])).toBeGreaterThan(fence);
      await soon(() => all.map(({ view }) => view?.members.length)).toEqual([3, 3, 3]);
    });

    test('says that the group is unavailable while the server is down, with the error of the engine', async () => {
      const [group] = await members(2, 3000);
      const lock = await group.lock('held');
      await server().kill();
      let served: Promise<number>;
      try {
        await soon(() => group.state).toBe('doubtful');
        await soon(() => group.state).toBe('out');
        await soon(() => lock.signal.aborted).toBe(true);
        const caused = { code: 'unavailable', definite: true, cause: expect.any(Error) };
        await expect(group.tryLock('other')).rejects.toMatchObject(caused);
        await expect(group.tryLock('other')).rejects.toMatchObject(caused);
        await expect(group.lock('other', { timeoutMs: 100 })).rejects.toMatchObject(caused);
        await expect(group.inspect()).rejects.toMatchObject(caused);
        served = turn(group);
      } finally {
        await server().again();
      }
      await served;
      await soon(() => group.state).toBe('member');
      expect((await group.inspect()).members.length).toBeGreaterThan(0);
      await (await group.tryLock('other'))!.release();
    });

    test('starts over with higher fences when its records are wiped', async () => {
      const all = await members(3);
      const lock = await all[0].lock('invoice-42');
      const { fence } = lock;
      await wipe();
      await soon(() => lock.state).toBe('lost');
      expect(await turn(all[1])).toBeGreaterThan(fence);
      await soon(() => all.map(({ view }) => view?.members.length)).toEqual([3, 3, 3]);
    });
  });
}
