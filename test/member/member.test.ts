import { describe, expect, test } from 'vitest';
import { centralCoordinator } from '../../src/algorithms/index.ts';
import { withSnapshots } from '../../src/compositions/with-snapshots.ts';
import type { AnyAlgorithm } from '../../src/core/algorithm.ts';
import { electionLock, fenceOf } from '../../src/member/index.ts';
import { Group, view } from './member-harness.ts';

const chief = electionLock('chief');

describe('leaders', () => {
  test('the leader knows that it leads', () => {
    const group = new Group('naimi-trehel', 'a', 'b');
    group.install(view(1, 'a', 'b'));
    const { member, callbacks } = group.at('a');
    member.request(chief, 'w');
    group.deliver();
    member.release(chief, 'w');
    expect(callbacks).toContain('a leads chief');
    expect(callbacks.at(-1)).toBe('nobody leads chief');
  });

  test('the install of a view does not end a leader of this view, whose announcement may overtake it', () => {
    const group = new Group('naimi-trehel', 'a', 'b', 'c');
    const leads = { type: 'leads', election: 'chief', term: fenceOf(1, 1), ends: false } as const;
    group.at('c').member.viewChanged(view(1, 'a', 'b', 'c'));
    group.at('c').member.received('b', leads);
    expect(group.at('c').callbacks).toEqual(['b leads chief']);
    group.install(view(1, 'a', 'b', 'c'));
    expect(group.at('c').callbacks).toEqual(['b leads chief']);
  });

  test('a leader of an earlier view that the install does not name no longer leads, even if its announcement arrives late', () => {
    const group = new Group('naimi-trehel', 'a', 'b', 'c');
    group.install(view(1, 'a', 'b', 'c'));
    group.install(view(2, 'a', 'b'));
    group
      .at('a')
      .member.received('c', { type: 'leads', election: 'chief', term: fenceOf(1, 9), ends: false });
    expect(group.at('a').callbacks).toEqual(['stranger']);
  });

  test('a member that left the group does not know the leader', () => {
    const group = new Group('naimi-trehel', 'a', 'b');
    group.install(view(1, 'a', 'b'));
    group.at('a').member.request(chief, 'w');
    group.deliver();
    group.at('b').member.end('lease over');
    expect(group.at('b').callbacks).toEqual(['a leads chief', 'nobody leads chief']);
  });
});

test('central-coordinator-denied: a late answer still grants the lock, and only the answer does', () => {
  const group = new Group('central-coordinator-denied', 'a', 'b', 'c');
  group.install(view(1, 'a', 'b', 'c'));
  group.at('b').member.request('lock', 'w');
  group.pass(5000); // its request is in flight: its timer fires, and it suspects the coordinator
  expect(group.at('b').callbacks).toEqual([]);
  group.deliver();
  expect(group.at('b').callbacks).toEqual(['granted w 1']);
  group.at('c').member.request('lock', 'v');
  group.deliver();
  group.pass(60_000); // denied: it waits without a timer
  expect(group.at('c').callbacks).toEqual([]);
  group.at('b').member.release('lock', 'w');
  group.deliver();
  expect(group.at('c').callbacks).toEqual(['granted v 2']);
  expect(['a', 'b', 'c'].map((id) => group.at(id).timers.length)).toEqual([0, 0, 0]);
});

test.each(['token-ring', 'misra', 'dijkstra-k-state'])(
  '%s, alone on its ring, receives its own messages',
  (algorithm) => {
    const group = new Group(algorithm, 'a');
    group.install(view(1, 'a'));
    group.at('a').member.request('lock', 'w');
    group.pass(100);
    expect(group.messages).toEqual([]);
    expect(group.at('a').callbacks[0]).toMatch(/^granted w/);
  },
);

describe('a try', () => {
  test('sends no probe after the end', () => {
    const group = new Group('naimi-trehel', 'a', 'b');
    group.install(view(1, 'a', 'b'));
    group.at('a').member.try('lock', 'w');
    group.at('b').member.try('lock', 'w');
    group.messages = [];
    for (const id of ['a', 'b']) group.at(id).member.end('lease over');
    group.pass(5000);
    expect(group.messages).toEqual([]);
  });

  test('ends once if it is refused', () => {
    const group = new Group('naimi-trehel', 'a', 'b');
    group.install(view(1, 'a', 'b'));
    for (const id of ['a', 'b']) {
      const { member, callbacks } = group.at(id);
      member.try('lock', 'w');
      if (callbacks.length > 0) continue; // granted at once
      member.received(id === 'a' ? 'b' : 'a', { type: 'conflict', lock: 'lock', algorithm: 'maekawa' });
      member.received(id === 'a' ? 'b' : 'a', { type: 'busy', lock: 'lock', attempt: 1 });
      expect(callbacks).toEqual(['refused w']);
    }
  });
});

test('the removal of dead members is proposed until the view changes', () => {
  const group = new Group('naimi-trehel', 'a', 'b');
  group.install(view(1, 'a', 'b'));
  const { member, proposed } = group.at('a');
  member.peerDied('b');
  group.pass(2500);
  expect(proposed).toEqual(['1: a', '1: a', '1: a']);
  member.viewChanged(view(2, 'a'));
  group.pass(5000);
  expect(proposed).toHaveLength(3);
});

describe('after a gap', () => {
  test('runs send no messages to that member, and handle none of it, until a new epoch', () => {
    const group = new Group('lamport', 'a', 'b');
    group.install(view(1, 'a', 'b'));
    const [a, b] = [group.at('a'), group.at('b')];
    a.member.request('lock', 'w1');
    group.messages = []; // lost
    a.member.channelBroke('b');
    expect(group.messages.map(({ message }) => message.type)).toEqual([]);
    b.member.request('lock', 'w2');
    group.deliver();
    expect([a.callbacks, b.callbacks]).toEqual([['after a gap'], []]);
    expect(a.proposed).toEqual(['1: a,b']);
    group.install(view(2, 'a', 'b'));
    expect([...a.callbacks, ...b.callbacks].filter((what) => what.startsWith('granted'))).toHaveLength(1);
  });

  test('runs that continued would let two enter', () => {
    const group = new Group('lamport', 'a', 'b');
    group.install(view(1, 'a', 'b'));
    const [a, b] = [group.at('a'), group.at('b')];
    a.member.request('lock', 'w1');
    group.messages = []; // lost without a report
    b.member.request('lock', 'w2');
    group.deliver();
    expect([...a.callbacks, ...b.callbacks].filter((what) => what.startsWith('granted'))).toHaveLength(2);
  });
});

test.each(['li-hudak', 'suzuki-kasami'])(
  '%s: if all request the lock repeatedly, the next member but one gets a hint',
  (algorithm) => {
    const ids = ['a', 'b', 'c', 'd'];
    const group = new Group(algorithm, ...ids);
    group.install(view(1, ...ids));
    for (const id of ids) group.at(id).member.request('lock', 'w');
    group.deliver();
    const order: string[] = [];
    const hints: string[] = [];
    for (let k = 0; k < 20; k += 1) {
      const holder = ids.find((id) => group.at(id).member.locks.get('lock')?.isHeld)!;
      const { member, callbacks } = group.at(holder);
      const before = callbacks.length;
      member.release('lock', 'w');
      member.request('lock', 'w');
      order.push(holder);
      hints.push(...callbacks.slice(before).filter((what) => what.endsWith('next but one')));
      group.deliver();
    }
    expect(hints.slice(-8)).toEqual([...order.slice(-6), ...order.slice(-8, -6)].map(nextButOne));
  },
);

const nextButOne = (id: string) => `${id} is next but one`;

test('progress events of snapshots do not enter a lock', () => {
  const group = new Group(withSnapshots(centralCoordinator as AnyAlgorithm), 'a', 'b');
  group.install(view(1, 'a', 'b'));
  group.at('a').member.request('l', 'first');
  group.deliver();
  group.at('b').member.request('l', 'second');
  group.deliver();
  const envelope = {
    type: 'run',
    epoch: 1,
    lock: 'l',
    algorithm: null,
    entry: 0,
    as: 0,
    stamp: null,
  } as const;
  group.at('b').member.received('a', { ...envelope, message: { type: 'marker' } });
  expect(group.at('b').callbacks).toEqual([]);
  group.at('a').member.release('l', 'first');
  group.deliver();
  expect(group.at('b').callbacks).toEqual(['granted second 2']);
});
