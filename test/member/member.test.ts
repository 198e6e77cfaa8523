import { describe, expect, test } from 'vitest';
import { centralCoordinator } from '../../src/algorithms/index.ts';
import { withSnapshots } from '../../src/compositions/with-snapshots.ts';
import type { AnyAlgorithm } from '../../src/core/algorithm.ts';
import { electionLock, fenceOf } from '../../src/member/index.ts';
import { Group, lockOf, oldView, view } from './member-harness.ts';

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

  test.each([
    ['', view],
    [', also by its install in a view with members of an older version', oldView],
  ])('a leader of this view, whose announcement may overtake the view, is not ended by it%s', (_, viewOf) => {
    const group = new Group('naimi-trehel', 'a', 'b', 'c');
    const leads = { type: 'leads', election: 'chief', term: fenceOf(1, 1), ends: false } as const;
    group.at('c').member.received('b', leads);
    expect(group.at('c').callbacks).toEqual([]);
    group.at('c').member.viewChanged(viewOf(1, 'a', 'b', 'c'));
    expect(group.at('c').callbacks).toEqual(['b leads chief']);
    group.install(viewOf(1, 'a', 'b', 'c'));
    expect(group.at('c').callbacks).toEqual(['b leads chief']);
  });

  test('a leader that is not in the view no longer leads, even if its announcement arrives late', () => {
    const group = new Group('naimi-trehel', 'a', 'b', 'c');
    const leads = { type: 'leads', election: 'chief', term: fenceOf(1, 9), ends: false } as const;
    group.install(view(1, 'a', 'b', 'c'));
    group.at('a').member.received('c', { ...leads, term: fenceOf(1, 8) });
    group.install(view(2, 'a', 'b'));
    group.at('a').member.received('c', leads);
    expect(group.at('a').callbacks).toEqual(['c leads chief', 'nobody leads chief', 'stranger']);
  });

  test('a leader that the install does not name no longer leads, in a view with members of an older version', () => {
    const group = new Group('naimi-trehel', 'a', 'b', 'c');
    const leads = { type: 'leads', election: 'chief', term: fenceOf(1, 8), ends: false } as const;
    group.install(oldView(1, 'a', 'b', 'c'));
    group.at('a').member.received('c', leads); // and its end was lost
    group.install(oldView(2, 'a', 'b', 'c'));
    expect(group.at('a').callbacks).toEqual(['c leads chief', 'nobody leads chief']);
    group.at('a').member.received('c', leads);
    expect(group.at('a').callbacks).toHaveLength(2);
  });

  test.each([
    ['', view],
    [', also with members of an older version', oldView],
  ])('a newcomer learns the leader, and the others hear nothing new%s', (_, viewOf) => {
    const group = new Group('naimi-trehel', 'a', 'b', 'c');
    group.install(viewOf(1, 'a', 'b'));
    group.at('b').member.request(chief, 'w');
    group.deliver();
    group.install(viewOf(2, 'a', 'b', 'c'));
    expect(group.at('c').callbacks).toEqual(['b leads chief']);
    expect(group.at('a').callbacks).toEqual(['b leads chief']);
    group.at('b').member.release(chief, 'w');
    group.deliver();
    expect(group.at('c').callbacks).toEqual(['b leads chief', 'nobody leads chief']);
  });

  const afterGap = (endsMeanwhile: boolean) => {
    const group = new Group('naimi-trehel', 'a', 'b');
    group.install(view(1, 'a', 'b'));
    group.at('a').member.request(chief, 'w');
    group.deliver();
    if (endsMeanwhile) group.at('a').member.release(chief, 'w');
    group.messages = []; // lost
    group.at('b').member.channelBroke('a');
    group.deliver();
    expect(group.at('a').proposed).toEqual(['1: a,b']);
    group.install(view(2, 'a', 'b'));
    return group.at('b').callbacks;
  };

  test('after a gap, a leader announces its term again', () => {
    expect(afterGap(false)).toEqual(['a leads chief', 'nobody leads chief', 'a leads chief']);
  });

  test('after a gap, a leader whose end was lost no longer leads', () => {
    expect(afterGap(true)).toEqual(['a leads chief', 'nobody leads chief']);
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

/** The members use the lock in turn, so that they take part in one run. */
const share = (group: Group, lock: string, ids: string) => {
  for (const id of ids) group.at(id).member.request(lock, 'before');
  for (const _ of ids) {
    group.deliver();
    const holder = [...ids].find((id) => group.at(id).member.locks.get(lock)?.isHeld)!;
    group.at(holder).member.release(lock, 'before');
  }
  group.deliver();
  for (const { callbacks } of Object.values(group.members)) callbacks.length = 0;
};

test('central-coordinator-denied: a request that is denied waits, and only the answer grants the lock', () => {
  const group = new Group('central-coordinator-denied', 'a', 'b', 'c');
  group.install(view(1, 'a', 'b', 'c'));
  share(group, 'lock', 'abc');
  group.at('b').member.request('lock', 'w');
  group.go(1);
  group.at('c').member.request('lock', 'v');
  group.go(60_000);
  expect([group.at('b').callbacks, group.at('c').callbacks]).toEqual([['granted w 5'], []]);
  group.at('b').member.release('lock', 'w');
  group.deliver();
  expect(group.at('c').callbacks).toEqual(['granted v 6']);
  group.pass(20);
  expect(['a', 'b', 'c'].map((id) => group.at(id).timers.length)).toEqual([0, 0, 0]);
});

test('central-coordinator-denied, with members of an older version: a late answer still grants the lock', () => {
  const group = new Group('central-coordinator-denied', 'a', 'b', 'c');
  group.install(oldView(1, 'a', 'b', 'c'));
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
  test.each([
    ['', view],
    [', with members of an older version', oldView],
  ])('finds the holder busy, and gets the lock when there is none%s', (_, viewOf) => {
    const group = new Group('naimi-trehel', 'a', 'b', 'c');
    group.install(viewOf(1, 'a', 'b', 'c'));
    group.at('a').member.request('lock', 'w');
    group.deliver();
    group.at('b').member.try('lock', 'first'); // it has no part in the run yet
    group.go(10);
    group.at('b').member.try('lock', 'second');
    group.go(10);
    expect(group.at('b').callbacks).toEqual(['busy first', 'busy second']);
    group.at('a').member.release('lock', 'w');
    group.at('c').member.try('lock', 'third');
    group.go(10);
    expect(group.at('c').callbacks.map((what) => what.slice(0, -2))).toEqual(['granted third']);
    expect(group.at('a').callbacks).toEqual(['granted w 1']);
  });

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
  const granted = (group: Group) =>
    Object.values(group.members).flatMap(({ callbacks }) =>
      callbacks.filter((what) => what.startsWith('granted')),
    );

  test('runs send no messages to that member, and handle none of it, until a new epoch', () => {
    const group = new Group('lamport', 'a', 'b');
    group.install(view(1, 'a', 'b'));
    share(group, 'lock', 'ab');
    const [a, b] = [group.at('a'), group.at('b')];
    a.member.request('lock', 'w1');
    group.messages = []; // lost
    a.member.channelBroke('b');
    expect(group.messages).toEqual([]);
    b.member.request('lock', 'w2');
    group.deliver();
    expect([a.callbacks, b.callbacks]).toEqual([['after a gap'], []]);
    expect(a.proposed).toEqual(['1: a,b']);
    group.install(view(2, 'a', 'b'));
    expect(granted(group)).toHaveLength(1);
    for (const one of [a, b]) one.member.release('lock', one === a ? 'w1' : 'w2');
    group.deliver();
    expect(granted(group)).toHaveLength(2);
  });

  test('both leave the runs that they share, and the member that did not notice is told', () => {
    const group = new Group('lamport', 'a', 'b', 'c');
    group.install(view(1, 'a', 'b', 'c'));
    const [shared, other] = ['shared', 'other'].map((prefix) => lockOf(view(1, ...'abc'), 'c', prefix)) as [
      string,
      string,
    ];
    share(group, shared, 'abc');
    share(group, other, 'ac');
    const runs = (id: string) =>
      [shared, other].map((lock) => group.at(id).member.locks.get(lock)?.run?.number);
    const before = runs('a');
    group.at('a').member.channelBroke('b');
    group.deliver();
    group.install(view(2, 'a', 'b', 'c'));
    expect([runs('a'), runs('b')]).toEqual([
      [undefined, before[1]],
      [undefined, undefined],
    ]);
    for (const id of 'abc') group.at(id).member.request(shared, id);
    group.deliver();
    expect(granted(group)).toHaveLength(1);
  });

  test('runs that continued would let two enter', () => {
    const group = new Group('lamport', 'a', 'b');
    group.install(view(1, 'a', 'b'));
    share(group, 'lock', 'ab');
    const [a, b] = [group.at('a'), group.at('b')];
    a.member.request('lock', 'w1');
    group.messages = []; // lost without a report
    b.member.request('lock', 'w2');
    group.deliver();
    expect([...a.callbacks, ...b.callbacks].filter((what) => what.startsWith('granted'))).toHaveLength(2);
  });

  test('messages of runs are dropped until a new epoch, with members of an older version', () => {
    const group = new Group('lamport', 'a', 'b');
    group.install(oldView(1, 'a', 'b'));
    const [a, b] = [group.at('a'), group.at('b')];
    a.member.request('lock', 'w1');
    group.messages = []; // lost
    a.member.channelBroke('b');
    b.member.request('lock', 'w2');
    group.deliver();
    expect([a.callbacks, b.callbacks]).toEqual([['after a gap'], []]);
    group.install(oldView(2, 'a', 'b'));
    expect(granted(group)).toHaveLength(1);
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

test.each([
  ['', view],
  [', with members of an older version', oldView],
])('progress events of snapshots do not enter a lock%s', (_, viewOf) => {
  const lock = lockOf(view(1, 'a', 'b'), 'a');
  const group = new Group(withSnapshots(centralCoordinator as AnyAlgorithm), 'a', 'b');
  group.install(viewOf(1, 'a', 'b'));
  group.at('a').member.request(lock, 'first');
  group.deliver();
  group.at('b').member.request(lock, 'second');
  group.deliver();
  const inside = { lock, entry: 0, as: 0, stamp: null, message: { type: 'marker' } };
  const run = group.at('b').member.locks.get(lock)!.run!.number;
  group
    .at('b')
    .member.received(
      'a',
      viewOf === view
        ? { type: 'step', run, ...inside }
        : { type: 'run', epoch: 1, algorithm: null, ...inside },
    );
  expect(group.at('b').callbacks).toEqual([]);
  group.at('a').member.release(lock, 'first');
  group.deliver();
  expect(group.at('b').callbacks).toEqual([`granted second ${viewOf === view ? 3 : 2}`]);
});
