// A membership with an engine that the test controls.
import { beforeEach, describe, expect, test } from 'vitest';
import type { Engine } from '../../src/cluster/engines/engine.ts';
import { AnswerCollector, answerFrames } from '../../src/cluster/inspection/answer-pieces.ts';
import type { GroupConfig, MembershipObserver } from '../../src/cluster/membership/group-config.ts';
import { Membership } from '../../src/cluster/membership/membership.ts';
import type { TransportListener } from '../../src/cluster/transport/transport.ts';
import { mostMembers, type View } from '../../src/member/index.ts';

const viewOf = (n: number): View => ({
  epoch: 1,
  algorithm: 'raymond',
  members: Array.from({ length: n }, (_, k) => ({ id: `m${k}`, address: '', label: '', priority: 0 })),
});

const membershipWith = (engine: Partial<Engine>, config: Partial<GroupConfig> = {}): Membership =>
  new Membership(
    {
      ...{ group: 'orders', algorithm: 'raymond', algorithmOf: () => undefined, leaseMs: 5000, priority: 0 },
      engine: {
        read: async () => null,
        change: async () => viewOf(0),
        watch() {},
        renew: async () => {},
        expired: async () => [],
        forget: async () => {},
        close: async () => {},
        ...engine,
      },
      spansMachines: false,
      listen: async () => ({
        address: '',
        send() {},
        keep() {},
        reachItself: async () => null,
        close: async () => {},
      }),
      ...config,
    },
    new Proxy({}, { get: () => () => {} }) as MembershipObserver,
  );

test('a group that is full refuses another member: no process could read a larger view', async () => {
  let isChanged = false;
  const membership = membershipWith({
    read: async () => viewOf(mostMembers),
    change: async () => {
      isChanged = true;
      return viewOf(1);
    },
  });
  await expect(membership.join()).rejects.toMatchObject({
    code: 'conflict',
    message: "group 'orders' has 1000 members, the most there can be: use several groups",
  });
  expect(isChanged).toBe(false);
});

describe('a join that fails leaves no transport behind', () => {
  let listeners: TransportListener[] = [];
  let open = 0;
  beforeEach(() => {
    listeners = [];
    open = 0;
  });
  const listen: GroupConfig['listen'] = async (_, listener) => {
    listeners.push(listener);
    open += 1;
    return {
      ...{ address: '', send() {}, keep() {}, reachItself: async () => null },
      close: async () => {
        open -= 1;
      },
    };
  };

  async function fails(membership: Membership): Promise<void> {
    await expect(membership.join()).rejects.toThrow('the engine is down');
    await new Promise((resolve) => setTimeout(resolve, 50));
    expect(open).toBe(0);
    expect(listeners).toHaveLength(1);
  }

  test('if the engine had put this process into a view, and has lost it', async () => {
    let changed: (view: View | null) => void = () => {};
    const membership = membershipWith(
      {
        watch: (listener) => {
          changed = listener;
        },
        change: async (_, algorithm, members) => {
          changed({ epoch: 1, algorithm, members });
          changed(null);
          throw new Error('the engine is down');
        },
      },
      { listen },
    );
    await fails(membership);
  });

  test('if a frame arrives when its lease is over', async () => {
    const leaseMs = 200;
    const membership = membershipWith(
      {
        read: async () => {
          await new Promise((resolve) => setTimeout(resolve, leaseMs));
          listeners[0]!.received('m', { type: 'ping', question: 1 }, () => {});
          await new Promise((resolve) => setTimeout(resolve, 10));
          throw new Error('the engine is down');
        },
      },
      { listen, leaseMs },
    );
    await fails(membership);
  });
});

test('however many messages ask for the view, one read is in progress, and one follows', async () => {
  const reads: (() => void)[] = [];
  const membership = membershipWith({
    read: () => new Promise((resolve) => reads.push(() => resolve(null))),
  });
  for (let k = 0; k < 100; k += 1) membership.readView();
  expect(reads).toHaveLength(1);
  reads[0]!();
  await expect.poll(() => reads.length).toBe(2);
  for (let k = 0; k < 100; k += 1) membership.readView();
  reads[1]!();
  await expect.poll(() => reads.length).toBe(3);
  reads[2]!();
  await new Promise(setImmediate);
  expect(reads).toHaveLength(3);
});

test('a read that fails does not prevent the next one', async () => {
  let reads = 0;
  const membership = membershipWith({
    read: async () => {
      reads += 1;
      throw new Error('the engine is down');
    },
  });
  for (const expected of [1, 2]) {
    membership.readView();
    await new Promise(setImmediate);
    expect(reads).toBe(expected);
  }
});

test('a long report is answered in pieces, and assembled only from members that were asked', () => {
  const report = Array.from({ length: 3000 }, (_, k) => ({ name: `${k}é\ud800`.padEnd(300, '漢') }));
  const frames = answerFrames(7, { report, clocks: [] });
  expect(frames.length).toBeGreaterThan(3);
  for (const frame of frames) expect(JSON.stringify(frame).length).toBeLessThan(2 ** 20);
  const collector = new AnswerCollector(['a', 'b']);
  for (const frame of frames) {
    collector.add('stranger', frame);
    collector.add('a', frame);
  }
  expect([...collector.answers]).toEqual([['a', { report, clocks: [] }]]);
  expect(collector.isComplete).toBe(false);
  collector.add('b', { type: 'answer-piece', question: 7, text: '[{' });
  collector.add('b', { type: 'answer', question: 7, report: null, clocks: [] });
  expect(collector.answers.get('b')).toEqual({ report: null, clocks: [] });
  expect(answerFrames(7, { report: [], clocks: [] })).toHaveLength(1);
});
