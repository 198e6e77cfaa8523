// Who stays awake for a lock, and who is told to.
import { availableParallelism } from 'node:os';
import { afterAll, beforeEach, describe, expect, test, vi } from 'vitest';
import { liHudak } from '../../src/algorithms/index.ts';
import { EmbeddedEngine } from '../../src/cluster/engines/local/embedded-engine.ts';
import { Group } from '../../src/cluster/group/group.ts';
import { LockRequest } from '../../src/cluster/group/lock-request.ts';
import { engineLeaseFraction } from '../../src/cluster/membership/lease-margin.ts';
import { SpinWait } from '../../src/cluster/membership/spin-wait.ts';
import { listenUnix } from '../../src/cluster/transport/unix.ts';
import { pause, soon } from '../conformance/engine.ts';
import { inOwnDirectory } from './temporary-directory.ts';

const processors = availableParallelism();
const turns = vi.spyOn(globalThis, 'setImmediate');
beforeEach(() => {
  turns.mockClear();
});
afterAll(() => {
  turns.mockRestore();
});

/** A wait that took and held so long. */
function held(waited: number, milliseconds: number): [wait: LockRequest, released: number] {
  const wait = new LockRequest('a', liHudak.name, false, 1000);
  wait.grantedAt = 1000 + waited;
  return [wait, 1000 + waited + milliseconds];
}

describe.skipIf(processors === 1)('with more than one processor', () => {
  test('who is told stays awake for a moment, not longer', async () => {
    const awake = new SpinWait(false);
    awake.spin();
    await pause(20);
    const count = turns.mock.calls.length;
    expect(count).toBeGreaterThan(0);
    await pause(20);
    expect(turns).toHaveBeenCalledTimes(count);
  });

  test('and no longer than until it has the lock', async () => {
    const awake = new SpinWait(false);
    awake.spin();
    awake.granted(held(0, 0)[0], 3);
    await pause(20);
    expect(turns).toHaveBeenCalledTimes(1);
  });

  test.each([
    { waited: 0.01, between: 1, isAwake: true },
    { waited: 5, between: 1, isAwake: false },
    { waited: 0.01, between: processors, isAwake: false }, // more want it than there are processors
    { waited: 0, between: 0, isAwake: false }, // it came from this process
  ])('who waited $waited ms while others entered $between times waits awake: $isAwake', (one) => {
    const awake = new SpinWait(false);
    awake.granted(held(one.waited, 0)[0], one.between);
    awake.spinIfQuick();
    expect(turns).toHaveBeenCalledTimes(one.isAwake ? 1 : 0);
  });

  test('only who held the lock for a moment tells', () => {
    const awake = new SpinWait(false);
    expect(awake.shouldSendHint).toBe(false);
    awake.released(...held(0, 0.01));
    expect(awake.shouldSendHint).toBe(true);
    awake.released(...held(0, 1));
    expect(awake.shouldSendHint).toBe(false);
  });
});

test('between machines, nobody stays awake or tells', () => {
  const awake = new SpinWait(true);
  awake.released(...held(0, 0.01));
  expect(awake.shouldSendHint).toBe(false);
  awake.granted(held(0.01, 0)[0], 1);
  awake.spinIfQuick();
  awake.spin();
  expect(turns).not.toHaveBeenCalled();
});

describe.skipIf(processors === 1)('in a group', () => {
  inOwnDirectory();

  const leaseMs = 5000;
  let hints: string[] = []; // to whom

  function member(): Promise<Group> {
    const group = 'orders';
    const engine = new EmbeddedEngine({ group, leaseMs: engineLeaseFraction * leaseMs });
    return new Group({
      ...{ group, algorithm: liHudak.name, algorithmOf: () => liHudak, leaseMs, priority: 0 },
      engine,
      spansMachines: false,
      listen: async (id, listener) => {
        const transport = await listenUnix(engine.address(id), { group, id, listener });
        return {
          address: transport.address,
          send: (to, frame) => {
            if (frame.type === 'soon') hints.push(to.id);
            transport.send(to, frame);
          },
          keep: transport.keep.bind(transport),
          close: transport.close.bind(transport),
        };
      },
    }).join(undefined);
  }

  test.each([
    { holdMs: 0, isHinted: true },
    { holdMs: 3, isHinted: false },
  ])(
    'of three that want the lock again and again and hold it for $holdMs ms',
    async ({ holdMs, isHinted }) => {
      const groups = [await member(), await member(), await member()];
      await soon(() => groups.every(({ view }) => view?.members.length === 3)).toBe(true);
      hints = [];
      const fences: number[] = [];
      const work = async (group: Group) => {
        for (let k = 0; k < 30; k += 1) {
          const lock = await group.lock('a');
          if (holdMs > 0) await pause(holdMs);
          fences.push(lock.fence);
          await lock.release();
        }
      };
      let rounds = 0;
      // A busy machine may keep everybody from being quick for a while.
      for (; rounds === 0 || (isHinted && rounds < 100 && new Set(hints).size < groups.length); rounds += 1)
        await Promise.all(groups.map(work));
      expect(fences).toHaveLength(90 * rounds);
      expect([...fences].sort((a, b) => a - b)).toEqual(fences);
      expect(new Set(hints)).toEqual(new Set(isHinted ? groups.map(({ id }) => id) : []));
      await Promise.all(groups.map((group) => group.leave()));
    },
  );
});
