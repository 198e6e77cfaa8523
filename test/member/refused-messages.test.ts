// What a member does with messages that no working member sends, and with too many early ones.
import { describe, expect, test } from 'vitest';
import { naimiTrehel } from '../../src/algorithms/index.ts';
import type { AnyAlgorithm } from '../../src/core/algorithm.ts';
import { electionLock, fenceOf, type GroupSnapshot, type MemberMessage } from '../../src/member/index.ts';
import { inPieces, pieceBytes } from '../../src/member/pieces.ts';
import { Group, view } from './member-harness.ts';

const run = (message: object, change: object = {}): MemberMessage => ({
  ...{ type: 'run', epoch: 1, lock: 'x', algorithm: null, entry: 0, as: 1, stamp: null },
  message: message as { type: string },
  ...change,
});

test('a refused message of a run breaks its channel: what it replaced may be missing', () => {
  const group = new Group('naimi-trehel', 'a', 'b');
  group.install(view(1, 'a', 'b'));
  const { member, callbacks, proposed } = group.at('a');
  member.received('b', run({ type: 'request', origin: 7 }));
  expect([callbacks, proposed]).toEqual([['malformed'], ['1: a,b']]);
  member.received('b', run({ type: 'request', origin: 1 }));
  expect(callbacks).toEqual(['malformed', 'after a gap']);
});

test('a handler that throws, for lack of a declaration, ends only the membership', () => {
  const { messages: _, ...undeclared } = naimiTrehel as AnyAlgorithm;
  const on = {
    ...undeclared.on,
    request: () => {
      throw new TypeError('queue is not iterable');
    },
  };
  const group = new Group({ ...undeclared, name: 'own', on }, 'a', 'b');
  group.install(view(1, 'a', 'b'));
  group.at('a').member.received('b', run({ type: 'request', origin: [] }));
  expect(group.at('a').callbacks).toEqual([
    'broken: own breaks its contract at process 0: queue is not iterable',
  ]);
});

describe('messages for a view that is not installed', () => {
  const open: MemberMessage = { type: 'open', epoch: 2, lock: 'x'.repeat(1000) };

  test('are dropped when there are too many, and their channel is broken in that view', () => {
    const group = new Group('naimi-trehel', 'a', 'b');
    group.install(view(1, 'a', 'b'));
    const { member, callbacks, proposed } = group.at('a');
    for (let k = 0; k < 2000; k += 1) member.received('b', open);
    expect(callbacks).toContain('too early');
    expect(proposed).toEqual([]);
    group.install(view(2, 'a', 'b'));
    expect(proposed).toEqual(['2: a,b']);
    group.install(view(3, 'a', 'b'));
    expect([proposed, member.retainedCount]).toEqual([['2: a,b'], 0]);
  });

  test('break their channel at once if they are for the view that is being installed', () => {
    const group = new Group('naimi-trehel', 'a', 'b');
    const { member, callbacks, proposed } = group.at('a');
    member.viewChanged(view(2, 'a', 'b'));
    for (let k = 0; k < 2000; k += 1) member.received('b', open);
    expect(callbacks).toContain('too early');
    expect(proposed).toEqual(['2: a,b']);
  });

  test('include announcements of leaders that join with it', () => {
    const group = new Group('naimi-trehel', 'a', 'b');
    group.at('a').member.viewChanged(view(1, 'a'));
    const leads = { type: 'leads', election: 'chief', term: fenceOf(2, 1), ends: false } as const;
    group.at('a').member.received('b', leads);
    expect(group.at('a').callbacks).toEqual([]);
    group.at('a').member.viewChanged(view(2, 'a', 'b'));
    expect(group.at('a').callbacks).toEqual(['b leads chief']);
  });

  test('are not heard from a peer that is not in the view', () => {
    const group = new Group('naimi-trehel', 'a', 'b');
    group.install(view(1, 'a', 'b'));
    const { member, callbacks } = group.at('a');
    member.request(electionLock('chief'), 'w');
    group.deliver();
    const before = callbacks.length;
    member.received('stranger', { type: 'leads', election: 'chief', term: fenceOf(1, 9), ends: false });
    member.received('stranger', { type: 'conflict', lock: electionLock('chief'), algorithm: 'x' });
    member.received('stranger', { type: 'hail', isAnswer: false });
    expect(callbacks.slice(before)).toEqual(['stranger', 'stranger', 'stranger']);
    expect(group.messages).toEqual([]);
  });
});

describe('many held locks', () => {
  const many = 3000;
  const holding = () => {
    const group = new Group('naimi-trehel', 'a', 'b', 'c');
    group.install(view(1, 'a', 'b'));
    for (let k = 0; k < many; k += 1) group.at('b').member.request(`${k}`.padEnd(200, 'x'), `w${k}`);
    group.deliver();
    return group;
  };
  const typesTo = (group: Group, to: string) =>
    group.messages.filter((one) => one.to === to).map(({ message }) => message.type);

  test('are flushed in pieces, once the first member knows the view', () => {
    const group = holding();
    const next = view(2, 'a', 'b', 'c');
    group.at('b').member.viewChanged(next);
    expect(typesTo(group, 'a')).toEqual([]);
    group.at('a').member.viewChanged(next);
    group.deliver(({ message }) => message.type === 'view');
    const types = typesTo(group, 'a');
    expect(types.length).toBeGreaterThan(2);
    expect(new Set(types.slice(0, -1))).toEqual(new Set(['flush-piece']));
    expect(types.at(-1)).toBe('flush');
    group.at('c').member.viewChanged(next);
    group.deliver(({ message }) => message.type.startsWith('flush'));
    expect(new Set(typesTo(group, 'c'))).toEqual(new Set(['install-piece', 'install']));
    group.deliver();
    expect(group.at('c').member.isInstalled).toBe(true);
    expect(group.at('b').callbacks.filter((one) => !one.startsWith('granted'))).toEqual([]);
    expect([...group.at('b').member.locks].filter(({ isHeld }) => isHeld)).toHaveLength(many);
  });

  test('are flushed at once if the first member has already shown that it knows the view', () => {
    const group = holding();
    const next = view(2, 'a', 'b', 'c');
    group.at('a').member.viewChanged(next);
    group.deliver();
    expect(typesTo(group, 'a')).toEqual([]);
    group.at('b').member.viewChanged(next);
    expect(typesTo(group, 'a').at(-1)).toBe('flush');
  });

  test('are recorded in pieces for a snapshot', () => {
    const group = holding();
    const snapshots: GroupSnapshot[] = [];
    group.at('a').member.snapshot(5000, (snapshot) => snapshots.push(snapshot));
    group.deliver(({ message }) => message.type === 'marker');
    group.pass(1);
    group.deliver(({ message }) => message.type === 'marker');
    expect(typesTo(group, 'a')).toContain('part-piece');
    group.pass(1);
    group.deliver();
    group.pass(1);
    expect(snapshots).toHaveLength(1);
    expect((snapshots[0] as { locks: readonly unknown[] }).locks).toHaveLength(many);
  });

  test('are split into pieces of limited size, in order', () => {
    const items = Array.from({ length: 5000 }, (_, k) => ({ lock: `${k}`.padEnd(200, 'x') }));
    const pieces = inPieces(items);
    expect(pieces.flat()).toEqual(items);
    for (const piece of pieces) expect(JSON.stringify(piece).length).toBeLessThan(pieceBytes);
    expect(inPieces([])).toEqual([[]]);
    expect(inPieces(['x'.repeat(2 * pieceBytes), 'y'])).toHaveLength(2);
  });
});

describe('a part of a snapshot', () => {
  const started = () => {
    const group = new Group('naimi-trehel', 'a', 'b');
    group.install(view(1, 'a', 'b'));
    const snapshots: GroupSnapshot[] = [];
    group.at('a').member.snapshot(5000, (snapshot) => snapshots.push(snapshot));
    group.messages = [];
    group.pass(1);
    const part = (lock: object) => {
      const recorded = {
        lock: 'x',
        algorithm: 'naimi-trehel',
        root: 0,
        isHeld: true,
        hasToken: true,
        waiting: 1,
      };
      const locks = [{ ...recorded, ...lock }];
      group.at('a').member.received('b', { type: 'part', epoch: 1, number: 1, locks, tokens: [] });
    };
    const own = () => {
      group.at('a').member.received('b', { type: 'marker', epoch: 1, by: 0, number: 1 });
      group.pass(1);
    };
    return { group, snapshots, part, own };
  };

  test('with a lock whose algorithm only that member knows has no token', () => {
    const { snapshots, part, own } = started();
    part({ algorithm: 'of its own' });
    own();
    expect(snapshots).toEqual([
      {
        epoch: 1,
        locks: [{ lock: 'x', algorithm: 'of its own', holders: [1], waiting: [1], tokens: null }],
      },
    ]);
  });

  test.each([{ waiting: 2 ** 40 }, { root: 2 }])('with %o is refused', (lock) => {
    const { group, snapshots, part } = started();
    part(lock);
    expect([group.at('a').callbacks, snapshots]).toEqual([['malformed'], []]);
  });

  test('is refused the second time', () => {
    const { group, part } = started();
    part({});
    part({});
    expect(group.at('a').callbacks).toEqual(['malformed']);
  });
});
