// Which processes spin for a lock, and which hints are sent.
import { availableParallelism } from 'node:os';
import { afterAll, beforeEach, describe, expect, test, vi } from 'vitest';
import { liHudak } from '../../src/algorithms/index.ts';
import { EmbeddedEngine } from '../../src/cluster/engines/local/embedded-engine.ts';
import { Group } from '../../src/cluster/group/group.ts';
import { LockRequest } from '../../src/cluster/group/lock.ts';
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

/** A request that waited and held for these times. */
function held(waited: number, milliseconds: number): [wait: LockRequest, released: number] {
  const wait = new LockRequest('a', liHudak.name, false, 1000);
  wait.grantedAt = 1000 + waited;
  return [wait, 1000 + waited + milliseconds];
}

describe.skipIf(processors === 1)('with more than one processor', () => {
  test('a process that gets a hint spins for at most 0.1 ms', async () => {
    const spinWait = new SpinWait(false);
    spinWait.spin();
    await pause(20);
    const count = turns.mock.calls.length;
    expect(count).toBeGreaterThan(0);
    await pause(20);
    expect(turns).toHaveBeenCalledTimes(count);
  });

  test('it stops spinning when it gets the lock', async () => {
    const spinWait = new SpinWait(false);
    spinWait.spin();
    spinWait.granted(held(0, 0)[0], 3);
    await pause(20);
    expect(turns).toHaveBeenCalledTimes(1);
  });

  test.each([
    { waited: 0.01, between: 1, spins: true },
    { waited: 5, between: 1, spins: false },
    { waited: 0.01, between: processors, spins: false }, // more waiters than processors
    { waited: 0, between: 0, spins: false }, // the lock came from this process
  ])('after a wait of $waited ms with $between entries of others, the next wait spins: $spins', (one) => {
    const spinWait = new SpinWait(false);
    spinWait.granted(held(one.waited, 0)[0], one.between);
    spinWait.spinIfQuick();
    expect(turns).toHaveBeenCalledTimes(one.spins ? 1 : 0);
  });

  test('only a process that held the lock briefly sends a hint', () => {
    const spinWait = new SpinWait(false);
    expect(spinWait.shouldSendHint).toBe(false);
    spinWait.released(...held(0, 0.01));
    expect(spinWait.shouldSendHint).toBe(true);
    spinWait.released(...held(0, 1));
    expect(spinWait.shouldSendHint).toBe(false);
  });
});

test('between machines, no process spins or sends hints', () => {
  const spinWait = new SpinWait(true);
  spinWait.released(...held(0, 0.01));
  expect(spinWait.shouldSendHint).toBe(false);
  spinWait.granted(held(0.01, 0)[0], 1);
  spinWait.spinIfQuick();
  spinWait.spin();
  expect(turns).not.toHaveBeenCalled();
});

describe.skipIf(processors === 1)('in a group', () => {
  inOwnDirectory();

  const leaseMs = 5000;
  let hints: string[] = []; // receivers

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
          reachItself: transport.reachItself.bind(transport),
          close: transport.close.bind(transport),
        };
      },
    }).join(undefined);
  }

  test.for([
    { holdMs: 0, isHinted: true },
    { holdMs: 3, isHinted: false },
  ])(
    'three members that hold the lock for $holdMs ms send hints: $isHinted',
    async ({ holdMs, isHinted }, { skip }) => {
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
      // On a busy machine, no process may be quick for a while.
      const deadline = performance.now() + 30_000;
      const isMissing = () => isHinted && new Set(hints).size < groups.length && performance.now() < deadline;
      for (; rounds === 0 || isMissing(); rounds += 1) await Promise.all(groups.map(work));
      expect(fences).toHaveLength(90 * rounds);
      expect([...fences].sort((a, b) => a - b)).toEqual(fences);
      await Promise.all(groups.map((group) => group.leave()));
      if (isHinted && new Set(hints).size < groups.length)
        skip(
          'the machine is busy: within 30 s, some member never held the lock briefly enough to send a hint',
        );
      expect(new Set(hints)).toEqual(new Set(isHinted ? groups.map(({ id }) => id) : []));
    },
  );
});
