// A real member, over real sockets, that also sends frames that no working member sends. Two other members go on using a lock.
import { afterEach, describe, expect, test } from 'vitest';
import { algorithms } from '../../../src/algorithms/index.ts';
import { Drain } from '../../../src/cluster/group/drain.ts';
import type { Group } from '../../../src/cluster/index.ts';
import { openBackend } from '../../../src/cluster/membership/backend.ts';
import type { MembershipObserver } from '../../../src/cluster/membership/group-config.ts';
import { Membership } from '../../../src/cluster/membership/membership.ts';
import type { Frame, Transport } from '../../../src/cluster/transport/transport.ts';
import type { AnyAlgorithm } from '../../../src/core/algorithm.ts';
import type { MessageShape } from '../../../src/core/message-shape.ts';
import { Random } from '../../../src/core/random.ts';
import { fenceOf } from '../../../src/member/index.ts';
import { isQuick } from '../../tiers.ts';
import { members } from '../members.ts';
import { inOwnDirectory } from '../temporary-directory.ts';
import { wrongFrames } from './wrong-frames.ts';

inOwnDirectory();

const locks = algorithms.filter(({ problem }) => problem === 'mutex');
const leaseMs = 20_000;

function noDrain(): Drain {
  const drain = new Drain(() => true);
  drain.check();
  return drain;
}

let hostile: Membership[] = [];
afterEach(async () => {
  for (const one of hostile) await one.leave(noDrain());
  hostile = [];
});

const observer = new Proxy({}, { get: () => () => {} }) as MembershipObserver;

/** Joins as a member that works, and returns a function that sends what a member that works does not send. */
async function joinAsHostile(group: string, algorithm: AnyAlgorithm, random: Random) {
  const backend = await openBackend(group, leaseMs, {});
  let transport: Transport | null = null;
  const membership = new Membership(
    {
      ...{ group, algorithm: algorithm.name, leaseMs, priority: 0, engine: backend.engine },
      spansMachines: false,
      algorithmOf: (name) => locks.find((one) => one.name === name),
      listen: async (id, listener) => {
        transport = await backend.listen(id, listener);
        return transport;
      },
    },
    observer,
  );
  await membership.join();
  hostile.push(membership);
  const kinds = Object.entries(algorithm.messages!).filter(([type]) => !algorithm.timers?.includes(type));
  return () => {
    const { view } = membership.current.member;
    const n = view!.members.length;
    const as = view!.members.findIndex(({ id }) => id === membership.current.id);
    const [type, shapes] = kinds[random.below(kinds.length)]!;
    const fields = Object.fromEntries(
      Object.entries(shapes).map(([field, shape]) => [field, right(shape, n)]),
    );
    // Nobody knows the number of a run in which it does not take part, so these steps are answered with `over`.
    const frame = {
      ...{ type: 'step', run: fenceOf(view!.epoch, 1 + random.below(3)), lock: 'x', entry: 1, as },
      stamp: algorithm.assumes.channels === 'causal' ? Array<number>(n * n).fill(0) : null,
      message: { type, ...fields },
    } as const;
    const wrongSteps = random.chance(0.5) ? wrongFrames(frame, algorithm, n) : [];
    const all = [...wrongSteps, ...misplaced(view!.epoch), ...misplacedOfHomes(view!.epoch)];
    const wrong = all[random.below(all.length)] as Frame;
    for (const peer of view!.members) if (peer.id !== membership.current.id) transport!.send(peer, wrong);
  };
}

const misplaced = (epoch: number): object[] => [
  { type: 'install', epoch, held: [{ lock: 'x', algorithm: 'raymond', fence: 1, by: 999 }] },
  { type: 'flush', epoch, held: [] },
  { type: 'open', epoch, lock: 'x' },
  { type: 'marker', epoch, by: 500, number: 1 },
  {
    type: 'part',
    epoch,
    number: 1,
    locks: [],
    tokens: [{ lock: 'x', algorithm: 'raymond', from: 9, to: 9 }],
  },
  { type: 'answer', question: 1, report: { x: [null] }, clocks: [] },
  { type: 'answer-piece', question: 1, text: '{' },
  { type: 'pong', question: 1, clocks: null },
  { type: 'leads', election: '\u001b[2J', term: 2 ** 53 - 1, ends: false },
  { type: 'view', epoch: epoch + 9 },
];

/** For a lock that nobody uses: a right `stop` of its home would be obeyed. */
const misplacedOfHomes = (epoch: number): object[] => {
  const [lock, run] = ['not used', fenceOf(epoch, 9)];
  const start = {
    type: 'start',
    run,
    lock,
    algorithm: null,
    unanswered: [],
    root: 0,
    isHeld: false,
    last: 0,
  };
  return [
    { ...start, members: [0, 1, 2] },
    { ...start, members: [999] },
    { ...start, members: [], unanswered: [500] },
    { ...start, members: [], last: 2 ** 53 - 1 },
    { type: 'report', epoch, slots: [], locks: [{ lock, parts: [999], latest: 0 }], isLast: true },
    { type: 'report', epoch, slots: [64], locks: [], isLast: true },
    { type: 'idle', epoch, locks: [{ lock, run, last: 2 ** 53 - 1, closes: 0 }] },
    { type: 'recorded', epoch, number: 1, locks: [], tokens: [{ lock, run, from: 9, to: 9 }] },
    { type: 'poll', epoch },
    { type: 'polled', epoch },
    { type: 'sync', epoch, slots: [999] },
    { type: 'noted', epoch, locks: ['x'] },
    { type: 'over', run, lock: 'x' },
    { type: 'opened', run, lock: 'x' },
    { type: 'gap' },
    { type: 'begin', epoch, lock: 'x', algorithm: 'raymond' },
    {
      type: 'run',
      epoch,
      lock: 'x',
      algorithm: null,
      entry: 0,
      as: 0,
      stamp: null,
      message: { type: 'request' },
    },
  ];
};

/** A value of this shape. */
function right(shape: MessageShape, n: number): unknown {
  if (shape === 'processes') return [];
  if (shape === 'counts by process') return {};
  if (shape === 'count per process') return Array(n).fill(0);
  if (typeof shape === 'string' || 'below' in shape) return 0;
  return 'perProcess' in shape ? Array(n).fill(shape.perProcess[0]) : shape.map((part) => right(part, n));
}

describe.each(locks.map((one) => [one.name, one] as const))('%s', (_, algorithm) => {
  test('survives a member that sends wrong frames', { timeout: 120_000 }, async () => {
    const random = new Random(1, algorithm.name);
    const groups = await members(2, { algorithm: algorithm.name, leaseMs });
    const sendWrong = await joinAsHostile(groups[0]!.name, algorithm, random);
    const outs: string[] = [];
    const refusals: string[] = [];
    let [inside, entries, isOver] = [0, 0, false];
    const use = async (group: Group) => {
      while (!isOver) {
        const lock = await group.lock('x');
        inside += 1;
        expect(inside).toBe(1);
        entries += 1;
        await new Promise(setImmediate);
        inside -= 1;
        lock.release();
      }
    };
    for (const group of groups) {
      group.on('out', (why) => outs.push(why));
      group.on('refused', (why) => refusals.push(why));
    }
    const users = groups.map(use);
    for (let k = 0; k < (isQuick ? 10 : 100); k += 1) {
      sendWrong();
      const before = entries;
      await expect.poll(() => entries, { timeout: 30_000, interval: 2 }).toBeGreaterThan(before + 1);
    }
    isOver = true;
    await Promise.all(users);
    expect(outs).toEqual([]);
    expect(refusals).toContain('malformed');
  });
});
