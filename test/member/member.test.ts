import { describe, expect, test } from 'vitest';
import { centralCoordinator } from '../../src/algorithms/index.ts';
import { withSnapshots } from '../../src/compositions/with-snapshots.ts';
import type { AnyAlgorithm } from '../../src/core/algorithm.ts';
import { electionLock, fenceOf } from '../../src/member/index.ts';
import { Group, view } from './member-harness.ts';

const chief = electionLock('chief');

describe('who leads', () => {
  test('the leader knows it, too', () => {
    const group = new Group('naimi-trehel', 'a', 'b');
    group.install(view(1, 'a', 'b'));
    const { member, told } = group.at('a');
    member.request(chief, 'w');
    group.deliver();
    member.release(chief, 'w');
    expect(told).toContain('a leads chief');
    expect(told.at(-1)).toBe('nobody leads chief');
  });

  test('a leader of this view is not ended by its install, which it may overtake', () => {
    const group = new Group('naimi-trehel', 'a', 'b', 'c');
    const leads = { type: 'leads', election: 'chief', term: fenceOf(1, 1), ends: false } as const;
    group.at('c').member.viewChanged(view(1, 'a', 'b', 'c'));
    group.at('c').member.received('b', leads);
    expect(group.at('c').told).toEqual(['b leads chief']);
    group.install(view(1, 'a', 'b', 'c'));
    expect(group.at('c').told).toEqual(['b leads chief']);
  });

  test('a leader of an earlier view that the install does not name leads no longer, though word of it comes late', () => {
    const group = new Group('naimi-trehel', 'a', 'b', 'c');
    group.install(view(1, 'a', 'b', 'c'));
    group.install(view(2, 'a', 'b'));
    group
      .at('a')
      .member.received('c', { type: 'leads', election: 'chief', term: fenceOf(1, 9), ends: false });
    expect(group.at('a').told).toEqual([]);
  });

  test('who is out of the group does not know who leads', () => {
    const group = new Group('naimi-trehel', 'a', 'b');
    group.install(view(1, 'a', 'b'));
    group.at('a').member.request(chief, 'w');
    group.deliver();
    group.at('b').member.end('lease over');
    expect(group.at('b').told).toEqual(['a leads chief', 'nobody leads chief']);
  });
});

test.each(['token-ring', 'misra', 'dijkstra-k-state'])('%s, alone on its ring, hears itself', (algorithm) => {
  const group = new Group(algorithm, 'a');
  group.install(view(1, 'a'));
  group.at('a').member.request('lock', 'w');
  group.pass(100);
  expect(group.words).toEqual([]);
  expect(group.at('a').told[0]).toMatch(/^granted w/);
});

describe('a wait that is given up if somebody holds the lock', () => {
  test('is not asked about after the end', () => {
    const group = new Group('naimi-trehel', 'a', 'b');
    group.install(view(1, 'a', 'b'));
    group.at('a').member.try('lock', 'w');
    group.at('b').member.try('lock', 'w');
    group.words = [];
    for (const id of ['a', 'b']) group.at(id).member.end('lease over');
    group.pass(5000);
    expect(group.words).toEqual([]);
  });

  test('ends once if it is refused', () => {
    const group = new Group('naimi-trehel', 'a', 'b');
    group.install(view(1, 'a', 'b'));
    for (const id of ['a', 'b']) {
      const { member, told } = group.at(id);
      member.try('lock', 'w');
      if (told.length > 0) continue; // it had it at once
      member.received(id === 'a' ? 'b' : 'a', { type: 'conflict', lock: 'lock', algorithm: 'maekawa' });
      member.received(id === 'a' ? 'b' : 'a', { type: 'busy', lock: 'lock', attempt: 1 });
      expect(told).toEqual(['refused w']);
    }
  });
});

test('the removal of the dead is proposed until something comes of it', () => {
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
  test('no run says anything more to that member, nor hears it, before a new epoch', () => {
    const group = new Group('lamport', 'a', 'b');
    group.install(view(1, 'a', 'b'));
    const [a, b] = [group.at('a'), group.at('b')];
    a.member.request('lock', 'w1');
    group.words = []; // lost
    a.member.channelBroke('b');
    expect(group.words.map(({ word }) => word.type)).toEqual([]);
    b.member.request('lock', 'w2');
    group.deliver();
    expect([a.told, b.told]).toEqual([['after a gap'], []]);
    expect(a.proposed).toEqual(['1: a,b']);
    group.install(view(2, 'a', 'b'));
    expect([...a.told, ...b.told].filter((what) => what.startsWith('granted'))).toHaveLength(1);
  });

  test('without that, two would enter', () => {
    const group = new Group('lamport', 'a', 'b');
    group.install(view(1, 'a', 'b'));
    const [a, b] = [group.at('a'), group.at('b')];
    a.member.request('lock', 'w1');
    group.words = []; // lost, and nobody says so
    b.member.request('lock', 'w2');
    group.deliver();
    expect([...a.told, ...b.told].filter((what) => what.startsWith('granted'))).toHaveLength(2);
  });
});

test.each(['li-hudak', 'suzuki-kasami'])(
  '%s: where all want the lock again and again, who is next but one is told',
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
      const { member, told } = group.at(holder);
      const before = told.length;
      member.release('lock', 'w');
      member.request('lock', 'w');
      order.push(holder);
      hints.push(...told.slice(before).filter((what) => what.endsWith('next but one')));
      group.deliver();
    }
    expect(hints.slice(-8)).toEqual([...order.slice(-6), ...order.slice(-8, -6)].map(nextButOne));
  },
);

const nextButOne = (id: string) => `${id} is next but one`;

test('a lock of which snapshots are taken tells how far they are, and that lets nobody in', () => {
  const group = new Group(withSnapshots(centralCoordinator as AnyAlgorithm), 'a', 'b');
  group.install(view(1, 'a', 'b'));
  group.at('a').member.request('l', 'first');
  group.deliver();
  group.at('b').member.request('l', 'second');
  group.deliver();
  const word = { type: 'run', epoch: 1, lock: 'l', algorithm: null, entry: 0, as: 0, stamp: null } as const;
  group.at('b').member.received('a', { ...word, message: { type: 'marker' } });
  expect(group.at('b').told).toEqual([]);
  group.at('a').member.release('l', 'first');
  group.deliver();
  expect(group.at('b').told).toEqual(['granted second 2']);
});
