// What a member does with messages that no working member sends, and with too many early ones.
import { describe, expect, test } from 'vitest';
import { naimiTrehel } from '../../src/algorithms/index.ts';
import type { AnyAlgorithm } from '../../src/core/algorithm.ts';
import { electionLock, fenceOf, type GroupSnapshot, type MemberMessage } from '../../src/member/index.ts';
import { inPieces, pieceBytes } from '../../src/member/pieces.ts';
import { slotCount } from '../../src/member/slots.ts';
import { Group, lockOf, oldView, view } from './member-harness.ts';

/** A message of a run in a view with members of an older version. */
const run = (message: object, change: object = {}): MemberMessage => ({
  ...{ type: 'run', epoch: 1, lock: 'x', algorithm: null, entry: 0, as: 1, stamp: null },
  message: message as { type: string },
  ...change,
});

/** The members use one lock in turn, so that they take part in one run. Its home is `home`. */
function sharing(ids: string, home: string, algorithm: string | AnyAlgorithm = 'naimi-trehel') {
  const group = new Group(algorithm, ...ids);
  const lock = lockOf(view(1, ...ids), home);
  group.install(view(1, ...ids));
  for (const id of ids) group.at(id).member.request(lock, id);
  for (const _ of ids) {
    group.deliver();
    const holder = [...ids].find((id) => group.at(id).member.locks.get(lock)?.isHeld)!;
    group.at(holder).member.release(lock, holder);
  }
  group.deliver();
  for (const { callbacks } of Object.values(group.members)) callbacks.length = 0;
  const { number } = group.at(ids[0]!).member.locks.get(lock)!.run!;
  const step = (message: object, change: object = {}): MemberMessage => ({
    ...{ type: 'step', run: number, lock, entry: 0, as: 1, stamp: null },
    message: message as { type: string },
    ...change,
  });
  return { group, lock, number, step };
}

test.each([
  ['', view],
  [', in a view with members of an older version', oldView],
])('a refused message of a run breaks its channel: what it replaced may be missing%s', (_, viewOf) => {
  const { group, step } = sharing('ab', 'a');
  if (viewOf === oldView) group.install(oldView(2, 'a', 'b'));
  const { member, callbacks, proposed } = group.at('a');
  callbacks.length = 0;
  const request = (origin: number) =>
    viewOf === view ? step({ type: 'request', origin }) : run({ type: 'request', origin }, { epoch: 2 });
  member.received('b', request(7));
  callbacks.splice(0, callbacks.indexOf('malformed')); // members of the first view tell each other that its runs are over
  expect([callbacks, proposed]).toEqual([['malformed'], [`${viewOf === view ? 1 : 2}: a,b`]]);
  member.received('b', request(1));
  expect(callbacks).toEqual(['malformed', 'after a gap']);
});

test('a handler that throws, for lack of a declaration, ends only the membership', () => {
  const { messages: _, ...undeclared } = naimiTrehel as AnyAlgorithm;
  let isThrowing = false;
  const on = {
    ...undeclared.on,
    request: (...args: Parameters<NonNullable<AnyAlgorithm['on'][string]>>) => {
      if (isThrowing) throw new TypeError('queue is not iterable');
      undeclared.on.request!(...args);
    },
  };
  const { group, step } = sharing('ab', 'a', { ...undeclared, name: 'own', on });
  isThrowing = true;
  group.at('a').member.received('b', step({ type: 'request', origin: [] }));
  expect(group.at('a').callbacks).toEqual([
    'broken: own breaks its contract at process 0: queue is not iterable',
  ]);
});

describe('a message that no working member sends is refused, and its channel counts as broken', () => {
  type Sharing = ReturnType<typeof sharing>;
  const start = ({ lock, number }: Sharing) => ({
    ...({ type: 'start', run: number + 1, lock, algorithm: 'naimi-trehel' } as const),
    ...{ members: [0, 1, 2], unanswered: [], root: 0, isHeld: false, last: fenceOf(1, 9) },
  });
  const report = { type: 'report', epoch: 1, slots: [], isLast: true } as const;

  // The home is a. Unless the name says otherwise, b receives the message.
  test.each<[string, string, (sharing: Sharing) => MemberMessage]>([
    ['a start with a position outside of the view', 'a', (one) => ({ ...start(one), members: [0, 1, 3] })],
    [
      'a start that a member outside of the view has not answered',
      'a',
      (one) => ({ ...start(one), unanswered: [3] }),
    ],
    ['a start with a member twice', 'a', (one) => ({ ...start(one), members: [0, 1, 1] })],
    ['a start with a root that does not take part', 'a', (one) => ({ ...start(one), root: 3 })],
    ['a start with fences of a later epoch', 'a', (one) => ({ ...start(one), last: fenceOf(2, 0) })],
    ['a start without an algorithm', 'a', (one) => ({ ...start(one), algorithm: null })],
    ['a start with an unknown algorithm', 'a', (one) => ({ ...start(one), algorithm: 'of its own' })],
    ['a start by a member that is not the home', 'c', start],
    [
      'a stop by a member that is not the home',
      'c',
      ({ lock, number }) => ({ type: 'stop', run: number + 1, lock }),
    ],
    ['a stop for the run that was started', 'a', ({ lock, number }) => ({ type: 'stop', run: number, lock })],
    [
      'the opening of a run by a member that is not its root',
      'c',
      ({ lock, number }) => ({ type: 'opened', run: number, lock }),
    ],
    [
      'a report about a member outside of the view',
      'a',
      ({ lock }) => ({ ...report, locks: [{ lock, parts: [3], latest: 0 }] }),
    ],
    ['a report about a slot that does not exist', 'a', () => ({ ...report, slots: [slotCount], locks: [] })],
    [
      'a step by a link that does not exist',
      'c',
      ({ step }) => step({ type: 'request', origin: 2 }, { as: 7 }),
    ],
    [
      'a step by the link of another member',
      'c',
      ({ step }) => step({ type: 'request', origin: 2 }, { as: 0 }),
    ],
    ['a step of an unknown kind', 'a', ({ step }) => step({ type: 'constructor' }, { as: 0 })],
    ['a step with a field out of range', 'a', ({ step }) => step({ type: 'request', origin: 3 }, { as: 0 })],
    [
      'a step with a stamp',
      'a',
      ({ step }) => step({ type: 'request', origin: 0 }, { as: 0, stamp: [0, 0, 0] }),
    ],
    [
      'a step with more entries than an epoch has',
      'a',
      ({ step }) => step({ type: 'request', origin: 0 }, { as: 0, entry: 2 ** 17 }),
    ],
    ['a poll by a member that is not the first', 'c', () => ({ type: 'poll', epoch: 1 })],
    ['the answer to a poll that it did not send', 'c', () => ({ type: 'polled', epoch: 1 })],
    ...(['flush', 'install'] as const).map((type): [string, string, () => MemberMessage] => [
      `${type}, in a view without members of an older version`,
      'a',
      () => ({ type, epoch: 1, held: [] }),
    ]),
    ['open, in such a view', 'a', ({ lock }) => ({ type: 'open', epoch: 1, lock })],
    ['begin, in such a view', 'a', ({ lock }) => ({ type: 'begin', epoch: 1, lock, algorithm: 'maekawa' })],
    ['agree, in such a view', 'a', ({ lock }) => ({ type: 'agree', epoch: 1, lock })],
    ['run, in such a view', 'a', ({ lock }) => run({ type: 'request', origin: 0 }, { lock, as: 0 })],
    ['part, in such a view', 'a', () => ({ type: 'part', epoch: 1, number: 1, locks: [], tokens: [] })],
  ])('%s', (_, from, messageOf) => {
    const one = sharing('abc', 'a');
    const { group, lock } = one;
    const { member, callbacks } = group.at('b');
    member.received(from, messageOf(one));
    expect(callbacks).toEqual(['malformed']);
    member.received(from, { type: 'over', lock, run: one.number });
    expect(callbacks).toEqual(['malformed', 'after a gap']);
    expect(group.typesTo('a')).toContain('refresh');
    group.install(view(2, ...'abc'));
    expectToBeUsable(group, 'abc', lock);
  });

  /** Every member gets the lock, one after the other. */
  const expectToBeUsable = (group: Group, ids: string, lock: string) => {
    for (const { callbacks } of Object.values(group.members)) callbacks.length = 0;
    for (const id of ids) group.at(id).member.request(lock, `last ${id}`);
    for (const _ of ids) {
      group.go(100);
      const holders = [...ids].filter((id) => group.at(id).member.locks.get(lock)?.isHeld);
      expect(holders).toHaveLength(1);
      group.at(holders[0]!).member.release(lock, `last ${holders[0]}`);
    }
    const granted = Object.values(group.members).flatMap(({ callbacks }) =>
      callbacks.filter((what) => what.startsWith('granted')),
    );
    expect(granted).toHaveLength(ids.length);
  };

  test('a stop for the second time', () => {
    const { group, lock, number } = sharing('abc', 'a');
    const { member, callbacks } = group.at('b');
    const stop: MemberMessage = { type: 'stop', run: number + 1, lock };
    member.received('a', stop);
    expect(group.typesTo('a')).toEqual(['stopped']);
    member.received('a', stop);
    expect(callbacks).toEqual(['malformed']);
    expect(group.typesTo('a')).toEqual(['stopped', 'refresh']);
    group.install(view(2, ...'abc'));
    expectToBeUsable(group, 'abc', lock);
  });

  test('the opening of a run that nobody held when it started', () => {
    const one = sharing('abc', 'a');
    const { member, callbacks } = one.group.at('b');
    const run = one.number + 1;
    member.received('a', { type: 'stop', run, lock: one.lock });
    member.received('a', { ...start(one), run });
    expect(callbacks).toEqual([]);
    member.received('a', { type: 'opened', run, lock: one.lock });
    expect(callbacks).toEqual(['malformed']);
  });

  test('messages of a home, in a view with members of an older version', () => {
    const { group, lock, number } = sharing('abc', 'a');
    group.install(oldView(2, ...'abc'));
    const { member, callbacks } = group.at('b');
    callbacks.length = 0;
    member.received('a', {
      type: 'want',
      epoch: 2,
      lock,
      algorithm: 'naimi-trehel',
      over: 0,
      isWaiting: true,
    });
    callbacks.splice(0, callbacks.indexOf('malformed')); // members of the first view tell each other that its runs are over
    expect(callbacks).toEqual(['malformed']);
    member.received('c', { type: 'over', lock, run: number }); // from the view before
    expect(callbacks).toEqual(['malformed', 'foreign epoch']);
  });

  test('more early steps than fit in memory', () => {
    const { group, lock, number, step } = sharing('abc', 'a');
    const { member, callbacks } = group.at('b');
    member.received('a', { type: 'stop', run: number + 1, lock });
    const early = step({ type: 'x'.repeat(1000) }, { run: number + 1 });
    for (let k = 0; k < 2000 && callbacks.length === 0; k += 1) member.received('c', early);
    expect(callbacks).toEqual(['malformed']);
    group.install(view(2, ...'abc'));
    expect(member.locks.get(lock)?.early ?? []).toEqual([]);
    expectToBeUsable(group, 'abc', lock);
  });
});

test('a step of a run that the member is not in is answered: the run is over', () => {
  const { group, lock, number, step } = sharing('ab', 'a');
  group.at('a').member.received('b', step({ type: 'request', origin: 1 }, { run: number + 7 }));
  group.at('a').member.received('b', step({ type: 'request', origin: 1 }, { lock: 'unknown' }));
  expect(group.at('a').callbacks).toEqual([]);
  expect(group.messages.map(({ message }) => message)).toEqual([
    { type: 'over', lock, run: number + 7 },
    { type: 'over', lock: 'unknown', run: number },
  ]);
});

test('a message of a home that the member asked in an earlier view is dropped', () => {
  const { group, lock, number } = sharing('ab', 'a');
  group.install(view(2, 'a', 'b'));
  const { member, callbacks } = group.at('b');
  member.received('a', { type: 'stop', run: number + 1, lock });
  expect(callbacks).toEqual(['foreign epoch']);
});

describe('messages for a view that is not installed', () => {
  const locks = [{ lock: 'x'.repeat(1000), run: 1, last: null, closes: 0 }];
  const idle: MemberMessage = { type: 'idle', epoch: 2, locks };

  test('are dropped when there are too many, and their channel is broken in that view', () => {
    const group = new Group('naimi-trehel', 'a', 'b');
    group.install(view(1, 'a', 'b'));
    const { member, callbacks, proposed } = group.at('a');
    for (let k = 0; k < 2000; k += 1) member.received('b', idle);
    expect(callbacks).toContain('too early');
    expect(proposed).toEqual([]);
    group.install(view(2, 'a', 'b'));
    expect(proposed).toEqual(['2: a,b']);
    group.install(view(3, 'a', 'b'));
    expect([proposed, member.retainedCount]).toEqual([['2: a,b'], 0]);
  });

  test('break their channel at once if they are for the view that is being installed, with a member of an older version', () => {
    const open: MemberMessage = { type: 'open', epoch: 2, lock: 'x'.repeat(1000) };
    const group = new Group('naimi-trehel', 'a', 'b');
    const { member, callbacks, proposed } = group.at('a');
    member.viewChanged(oldView(2, 'a', 'b'));
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
  const holding = (viewOf = view) => {
    const group = new Group('naimi-trehel', 'a', 'b', 'c');
    group.install(viewOf(1, 'a', 'b'));
    for (let k = 0; k < many; k += 1) group.at('b').member.request(nameOf(k), `w${k}`);
    group.deliver();
    return group;
  };
  const nameOf = (k: number) => `${k}`.padEnd(200, 'x');
  const held = (group: Group, id: string) => [...group.at(id).member.locks].filter(({ isHeld }) => isHeld);

  test('are reported to a new home in pieces, and nothing else is sent about them', () => {
    const group = holding();
    const next = group.decide(view(2, 'b', 'c')); // the slots of a move to b and c
    group.at('c').member.viewChanged(next);
    group.at('b').member.viewChanged(next);
    group.pass(50);
    group.deliver(({ message }) => message.type === 'sync');
    const reports = group.messages.flatMap(({ to, message }) =>
      to === 'c' && message.type === 'report' ? [message] : [],
    );
    expect(reports.length).toBeGreaterThan(1);
    expect(reports.map(({ isLast }) => isLast)).toEqual([...reports.slice(1).map(() => false), true]);
    expect(new Set(group.messages.map(({ message }) => message.type))).toEqual(new Set(['report', 'view']));
    group.deliver();
    expect(group.messages).toEqual([]);
    expect(held(group, 'b')).toHaveLength(many);
    const { lock } = reports[0]!.locks[0]!;
    group.at('c').member.request(lock, 'next');
    group.deliver();
    const { holder } = group.at('b').member.locks.get(lock)!;
    expect(group.at('c').callbacks).toEqual([]);
    group.at('b').member.release(lock, holder!);
    group.deliver();
    expect(group.at('c').callbacks).toEqual(['granted next 2']);
  });

  test('that have become idle are told to their homes in pieces, and forgotten', () => {
    const group = holding();
    for (let k = 0; k < many; k += 1) group.at('b').member.release(nameOf(k), `w${k}`);
    for (let k = 0; k < 2; k += 1) group.at('b').member.sweep();
    const toA = group.typesTo('a');
    expect(toA.length).toBeGreaterThan(1);
    expect(new Set(toA)).toEqual(new Set(['idle']));
    group.deliver();
    expect(['a', 'b'].map((id) => group.at(id).member.retainedCount)).toEqual([0, 0]);
  });

  test('are flushed in pieces in a view with a member of an older version, once the first member knows the view', () => {
    const group = holding();
    const next = group.decide(oldView(2, 'a', 'b', 'c'));
    group.at('b').member.viewChanged(next);
    expect(group.typesTo('a')).toEqual([]);
    group.at('a').member.viewChanged(next);
    group.deliver(({ message }) => message.type === 'view');
    const types = group.typesTo('a');
    expect(types.length).toBeGreaterThan(2);
    expect(new Set(types.slice(0, -1))).toEqual(new Set(['flush-piece']));
    expect(types.at(-1)).toBe('flush');
    group.at('c').member.viewChanged(next);
    group.deliver(({ message }) => message.type.startsWith('flush'));
    expect(new Set(group.typesTo('c'))).toEqual(new Set(['install-piece', 'install']));
    group.deliver();
    expect(group.at('c').member.isInstalled).toBe(true);
    expect(group.at('b').callbacks.filter((one) => !one.startsWith('granted'))).toEqual([]);
    expect(held(group, 'b')).toHaveLength(many);
  });

  test('are flushed at once if the first member has already shown that it knows the view', () => {
    const group = holding(oldView);
    const next = oldView(2, 'a', 'b', 'c');
    group.at('a').member.viewChanged(next);
    group.deliver();
    expect(group.typesTo('a')).toEqual([]);
    group.at('b').member.viewChanged(next);
    expect(group.typesTo('a').at(-1)).toBe('flush');
  });

  test.each([
    ['', view, 'recorded-piece'],
    [', with members of an older version', oldView, 'part-piece'],
  ])('are recorded in pieces for a snapshot%s', (_, viewOf, piece) => {
    const group = holding(viewOf);
    const snapshots: GroupSnapshot[] = [];
    group.at('a').member.snapshot(5000, (snapshot) => snapshots.push(snapshot));
    group.deliver(({ message }) => message.type === 'marker');
    group.pass(1);
    group.deliver(({ message }) => message.type === 'marker');
    expect(group.typesTo('a')).toContain(piece);
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

describe.each([
  ['', view, 'recorded', { run: fenceOf(1, 1), size: 1 }],
  [', in a view with members of an older version,', oldView, 'part', { root: 0 }],
] as const)('a part of a snapshot%s', (_, viewOf, type, ofRun) => {
  const started = () => {
    const group = new Group('naimi-trehel', 'a', 'b');
    group.install(viewOf(1, 'a', 'b'));
    const snapshots: GroupSnapshot[] = [];
    group.at('a').member.snapshot(5000, (snapshot) => snapshots.push(snapshot));
    group.messages = [];
    group.pass(1);
    const part = (lock: object, tokens: readonly object[] = []) => {
      const recorded = {
        lock: 'x',
        algorithm: 'naimi-trehel',
        ...ofRun,
        isHeld: true,
        hasToken: true,
        waiting: 1,
      };
      const locks = [{ ...recorded, ...lock }];
      group
        .at('a')
        .member.received('b', { type, epoch: 1, number: 1, locks, tokens } as unknown as MemberMessage);
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
    const held = { lock: 'x', algorithm: 'of its own', holders: [1], waiting: [1] };
    expect(snapshots).toEqual([{ epoch: 1, locks: [{ ...held, tokens: null, isStarting: false }] }]);
  });

  test('with too many waiting requests is refused', () => {
    const { group, snapshots, part } = started();
    part({ waiting: 2 ** 40 });
    expect([group.at('a').callbacks, snapshots]).toEqual([['malformed'], []]);
  });

  test('with a member outside of the view is refused', () => {
    const { group, snapshots, part } = started();
    if (type === 'part') part({ root: 2 });
    else part({}, [{ lock: 'x', run: fenceOf(1, 1), from: 0, to: 2 }]);
    expect([group.at('a').callbacks, snapshots]).toEqual([['malformed'], []]);
  });

  test('is refused the second time', () => {
    const { group, part } = started();
    part({});
    part({});
    expect(group.at('a').callbacks).toEqual(['malformed']);
  });
});
