// Elections in which an algorithm chooses the candidate that requests the election's lock.
import { describe, expect, test } from 'vitest';
import { algorithms, changRoberts } from '../../src/algorithms/index.ts';
import type { AnyAlgorithm } from '../../src/core/algorithm.ts';
import {
  type ElectionMessage,
  electionLock,
  fenceOf,
  type MemberMessage,
  type View,
} from '../../src/member/index.ts';
import { homesOf, slotOf } from '../../src/member/slots.ts';
import { Group, oldView, view } from './member-harness.ts';

const elections = algorithms.filter(
  ({ problem, perpetual, assumes }) =>
    problem === 'election' && perpetual !== true && assumes.timing !== 'synchronous',
);
const chief = electionLock('chief');
type ViewByAge = (epoch: number, priorities: readonly number[]) => View;
const byAgeIn =
  (viewOf: typeof view): ViewByAge =>
  (epoch, priorities) => {
    const { members, ...rest } = viewOf(epoch, ...'abcdefgh'.slice(0, priorities.length));
    return { ...rest, members: members.map((one, k) => ({ ...one, priority: priorities[k]! })) };
  };
const byAge = byAgeIn(view);
const protocols: [string, ViewByAge][] = [
  ['', byAge],
  [', with members of an older version', byAgeIn(oldView)],
];
const groupOf = (size: number, own: readonly AnyAlgorithm[] = []) =>
  new Group('naimi-trehel', ...'abcdefgh'.slice(0, size)).withElections([...own, ...elections]);
const stand = (group: Group, ids: string, algorithm: string | null) => {
  for (const id of ids) group.at(id).member.stand('chief', id, algorithm);
};
const leads = (group: Group) =>
  Object.values(group.members)
    .filter(({ member }) => member.locks.get(chief)?.isHeld)
    .map(({ member }) => member.id)
    .join('');
const settle = (group: Group) => {
  for (let k = 0; k < 200; k += 1) {
    group.deliver();
    group.pass(10);
  }
};
/** All of them stand before the view begins, so they are the candidates of its first round. */
const together = (group: Group, ids: string, algorithm: string, next: View) => {
  stand(group, ids, algorithm);
  const decided = group.decide(next);
  for (const { id } of next.members) group.at(id).member.viewChanged(decided);
};
const termOf = (group: Group, id: string) => group.at(id).member.locks.get(chief)!.fence;

test('the algorithms with which priority does not decide are those that docs/locks.md names', () => {
  const any = elections.filter(({ elects = 'any' }) => elects === 'any').map(({ name }) => name);
  expect(any).toEqual(['afek-gafni', 'itai-rodeh', 'korach-moran-zaks', 'total-order-broadcast']);
});

describe.each(elections.map((one) => [one.name, one] as const))('%s', (name, { elects }) => {
  const strongest = elects === 'largest' || elects === 'smallest';

  test.each([[[5, 1, 9, 3]], [[0, 0, 0]], [[1, 2]], [[1, 2, 3, 4, 5, 6, 7, 8]], [[8, 7, 6, 5, 4, 3, 2, 1]]])(
    'with priorities %j: each candidate leads once, the highest priority first if it promises that',
    (priorities) => {
      const group = groupOf(priorities.length);
      group.install(byAge(1, priorities));
      const ids = 'abcdefgh'.slice(0, priorities.length);
      stand(group, 'a', name);
      group.deliver();
      expect(leads(group)).toBe('a'); // it has no opponents yet
      stand(group, ids.slice(1), name);
      settle(group);
      let led = 'a';
      let term = termOf(group, 'a');
      while (led.length < ids.length) {
        const before = led.at(-1)!;
        group.at(before).member.release(chief, before);
        settle(group);
        const next = leads(group);
        expect(next).toHaveLength(1);
        expect(termOf(group, next)).toBeGreaterThan(term);
        term = termOf(group, next);
        led += next;
      }
      expect([...led].sort().join('')).toBe(ids);
      const ranked = [...ids.slice(1)].sort(
        (a, b) => priorities[ids.indexOf(b)]! - priorities[ids.indexOf(a)]! || (a < b ? -1 : 1),
      );
      if (strongest) expect(led).toBe(`a${ranked.join('')}`);
    },
  );

  test.each(protocols)(
    'a new view begins a new round among all candidates; its leader keeps the term%s',
    (_, byAge) => {
      const group = groupOf(5);
      group.install(byAge(1, [1, 2, 3, 4, 5]));
      stand(group, 'e', name);
      group.deliver();
      stand(group, 'bcd', name);
      settle(group);
      const term = termOf(group, 'e');
      group.install(byAge(2, [1, 2, 3, 4, 5]));
      settle(group);
      expect([leads(group), termOf(group, 'e')]).toEqual(['e', term]);
      group.install(byAge(3, [1, 2, 3, 4])); // e is dead
      settle(group);
      const survivors = 'abcd';
      const now = [...survivors].filter((id) => group.at(id).member.locks.get(chief)?.isHeld);
      expect(now).toHaveLength(1);
      if (strongest) expect(now).toEqual(['d']);
      expect(termOf(group, now[0]!)).toBeGreaterThan(term);
    },
  );
});

describe('whatever an algorithm does, at most one leads and terms rise', () => {
  const base = changRoberts as AnyAlgorithm;
  const planted = (name: string, start: (s: unknown, p: { emit(event: object): void }) => void) => ({
    ...base,
    name,
    calls: { start },
  });
  const everybody = planted('elects-everybody', (_s, p) => p.emit({ type: 'elected', leader: 'me' }));

  test('an algorithm that elects everybody: they lead one after the other', () => {
    const group = groupOf(4, [everybody]);
    group.install(byAge(1, [0, 0, 0, 0]));
    stand(group, 'a', everybody.name);
    group.deliver();
    stand(group, 'bcd', everybody.name);
    settle(group);
    let [term, led] = [0, ''];
    for (let k = 0; k < 4; k += 1) {
      const now = leads(group);
      expect(now).toHaveLength(1);
      expect(termOf(group, now)).toBeGreaterThan(term);
      term = termOf(group, now);
      led += now;
      group.at(now).member.release(chief, now);
      settle(group);
    }
    expect([[...led].sort().join(''), leads(group)]).toEqual(['abcd', '']);
  });

  test('an algorithm that elects nobody: nobody leads, and locks are not affected', () => {
    const nobody = planted('elects-nobody', () => {});
    const group = groupOf(3, [nobody]);
    together(group, 'abc', nobody.name, byAge(1, [0, 0, 0]));
    settle(group);
    group.at('b').member.request('lock', 'w');
    settle(group);
    expect([leads(group), group.at('b').callbacks.at(-1)]).toEqual(['', 'granted w 1']);
  });

  test('an algorithm that throws on a message: the message counts as malformed, and a new epoch is requested', () => {
    const throwing = {
      ...base,
      name: 'throws',
      on: {
        ...base.on,
        election: () => {
          throw new TypeError('no');
        },
      },
    };
    const group = groupOf(3, [throwing]);
    together(group, 'abc', throwing.name, byAge(1, [0, 0, 0]));
    group.deliver();
    expect(group.at('a').callbacks).toContain('malformed');
    expect(group.at('a').proposed).toEqual(['1: a,b,c']);
    expect(group.at('a').callbacks.some((one) => one.startsWith('broken'))).toBe(false);
  });
});

describe.each(protocols)('a round%s', (_, byAge) => {
  const begun = (ids: string) => {
    const group = groupOf(4);
    if (ids !== '') together(group, ids, 'chang-roberts', byAge(1, [1, 2, 3, 4]));
    else group.install(byAge(1, [1, 2, 3, 4]));
    return group;
  };

  test('that loses a candidate before its end is given up, and another one begins', () => {
    const group = begun('bcd');
    group.deliver(({ message }) => message.type !== 'elect');
    group.at('d').member.cancel(chief, 'd');
    settle(group);
    expect(leads(group)).toBe('c');
  });

  test('goes on if a candidate that was not elected withdraws during a term', () => {
    const group = begun('bcd');
    settle(group);
    const term = termOf(group, 'd');
    group.messages = [];
    group.at('b').member.cancel(chief, 'b');
    group.deliver();
    settle(group);
    expect([leads(group), termOf(group, 'd')]).toEqual(['d', term]);
  });

  test('whose winner is not known yet when another one begins does not end the term of that winner', () => {
    const group = begun('bcd');
    group.deliver(({ from, message }) => !(from === 'd' && message.type === 'elected'));
    expect(leads(group)).toBe('d');
    const [late] = group.messages;
    group.messages = [];
    group.at('b').member.cancel(chief, 'b');
    group.messages.push(late!);
    settle(group);
    expect(leads(group)).toBe('d');
    group.at('d').member.release(chief, 'd');
    settle(group);
    expect(leads(group)).toBe('c');
  });

  test('does not take a candidate that has withdrawn and stands again for the one that the round began with', () => {
    const group = begun('bd');
    group.deliver(({ message }) => !['round', 'elect'].includes(message.type));
    group.at('d').member.cancel(chief, 'd');
    stand(group, 'd', 'chang-roberts');
    settle(group);
    expect(leads(group)).toBe('b');
    group.at('b').member.release(chief, 'b');
    settle(group);
    expect(leads(group)).toBe('d');
  });

  test('with several requests of one member: they lead one after the other', () => {
    const group = begun('');
    for (const request of ['one', 'two']) group.at('b').member.stand('chief', request, 'bully');
    settle(group);
    group.at('b').member.release(chief, 'one');
    settle(group);
    const granted = group.at('b').callbacks.filter((what) => what.startsWith('granted'));
    expect(granted).toEqual(['granted one 1', 'granted two 2']);
  });

  test('of an election leaves nothing behind when all candidates have withdrawn', () => {
    const group = begun('abcd');
    settle(group);
    for (const id of 'abcd') {
      group.at(id).member.cancel(chief, id);
      group.at(id).member.release(chief, id);
    }
    settle(group);
    expect([...'abcd'].map((id) => group.at(id).member.elections.size)).toEqual([0, 0, 0, 0]);
  });
});

describe.each(protocols)('a candidate is refused%s', (_, byAge) => {
  const begun = (algorithm: string | null) => {
    const group = groupOf(3);
    group.install(byAge(1, [0, 0, 0]));
    stand(group, 'b', algorithm);
    settle(group);
    return group;
  };

  test.each([
    ['chang-roberts', 'bully'],
    ['chang-roberts', null],
    [null, 'chang-roberts'],
  ])('if others stand with %s and it stands with %s', (used, other) => {
    const group = begun(used);
    stand(group, 'c', other);
    settle(group);
    expect(group.at('c').callbacks.filter((one) => one.startsWith('refused'))).toEqual(['refused c']);
    expect(leads(group)).toBe('b');
    group.at('b').member.stand('chief', 'again', other);
    expect(group.at('b').callbacks.at(-1)).toBe('refused again');
  });

  test('only while they do', () => {
    const group = begun('chang-roberts');
    group.at('b').member.release(chief, 'b');
    settle(group);
    stand(group, 'c', null);
    settle(group);
    expect(leads(group)).toBe('c');
    group.at('c').member.release(chief, 'c');
    settle(group);
    stand(group, 'a', 'bully');
    settle(group);
    expect(leads(group)).toBe('a');
  });
});

describe.each(protocols)('elections without an algorithm%s', (_, byAge) => {
  test('send no message of elections by algorithm', () => {
    const group = groupOf(3);
    const types = new Set<string>();
    group.install(byAge(1, [1, 2, 3]));
    stand(group, 'abc', null);
    while (group.messages.length > 0) {
      types.add(group.messages[0]!.message.type);
      const [first] = group.messages;
      group.deliver((one) => one === first);
    }
    for (const type of ['stand', 'withdraw', 'elected', 'round', 'stand-refused', 'elect', 'poll', 'polled'])
      expect(types).not.toContain(type);
    expect(leads(group)).toHaveLength(1);
  });
});

describe('the first member polls before its first round', () => {
  const withoutStands = ({ message: { type } }: Group['messages'][number]) =>
    type !== 'stand' && type !== 'polled';

  test('so that no candidacy is missing that was made before', () => {
    const group = groupOf(3);
    together(group, 'abc', 'bully', byAge(1, [1, 2, 3]));
    group.deliver(withoutStands);
    expect(leads(group)).toBe('');
    group.deliver(({ from }) => from !== 'c');
    expect(leads(group)).toBe('');
    settle(group);
    expect(leads(group)).toBe('c');
  });

  test('and waits 300 ms for a member that does not answer', () => {
    const group = groupOf(3);
    group.install(byAge(1, [1, 2, 3]));
    const hung = homesOf(byAge(1, [1, 2, 3]))[slotOf(chief)] === 'b' ? 'c' : 'b';
    together(group, 'abc', 'chang-roberts', byAge(2, [1, 2, 3]));
    group.at(hung).member.cancel(chief, hung);
    const isHeard = ({ from, to }: Group['messages'][number]) => from !== hung && to !== hung;
    group.go(299, isHeard);
    expect(leads(group)).toBe('');
    group.go(100, isHeard);
    expect(leads(group)).toHaveLength(1);
  });

  test('once in a view, and not in a view with members of an older version', () => {
    const polls = (byAge: ViewByAge) => {
      const group = groupOf(3);
      let count = 0;
      const counted = ({ message: { type } }: Group['messages'][number]) => {
        if (type === 'poll') count += 1;
        return true;
      };
      const next = group.decide(byAge(1, [1, 2, 3]));
      for (const id of 'abc') group.at(id).member.viewChanged(next);
      for (const id of 'abcabc') {
        stand(group, id, 'bully');
        group.go(100, counted);
        group.at(id).member.cancel(chief, id);
        group.at(id).member.release(chief, id);
        group.go(100, counted);
      }
      return count;
    };
    expect(protocols.map(([, byAge]) => polls(byAge))).toEqual([2, 0]);
  });
});

describe('a message that no working member sends is refused, and its channel counts as broken', () => {
  const epoch = 1;
  const election = 'chief';
  const candidates = [
    { by: 1, number: 1 },
    { by: 2, number: 1 },
  ];
  const round = { type: 'round', epoch, election, algorithm: 'chang-roberts', round: 9, candidates } as const;
  const elect = {
    type: 'elect',
    epoch,
    election,
    round: 1,
    as: 0,
    message: { type: 'election', id: 1 },
  } as const;

  test.each<[string, 'a' | 'b', string, MemberMessage]>([
    [
      'a candidacy that is not for the first member',
      'b',
      'c',
      { type: 'stand', epoch, election, algorithm: 'bully', number: 1 },
    ],
    [
      'a candidacy for the second time',
      'a',
      'b',
      { type: 'stand', epoch, election, algorithm: 'chang-roberts', number: 7 },
    ],
    [
      'a withdrawal that is not for the first member',
      'b',
      'c',
      { type: 'withdraw', epoch, election, number: 1 },
    ],
    ['the winner of a round that has not begun', 'a', 'b', { type: 'elected', epoch, election, round: 99 }],
    ['a round that the first member does not begin', 'b', 'c', round],
    ['a round that has already begun', 'b', 'a', { ...round, round: 1 }],
    ['a round with a candidate that no view has', 'b', 'a', { ...round, candidates: [{ by: 7, number: 1 }] }],
    ['a round with a candidate twice', 'b', 'a', { ...round, candidates: [...candidates, ...candidates] }],
    ['a round without an algorithm', 'b', 'a', { ...round, algorithm: null }],
    [
      'a refusal by another member',
      'b',
      'c',
      { type: 'stand-refused', epoch, election, number: 1, algorithm: null },
    ],
    ['a message of the round by a member that is not a candidate', 'b', 'a', elect],
    ['a message that arrives by another link', 'b', 'c', { ...elect, as: 2 }],
    ['a message of another kind', 'b', 'c', { ...elect, message: { type: 'token' } }],
    ['a message of no kind', 'b', 'c', { ...elect, message: { type: 'constructor' } }],
    ['a poll that the first member does not send', 'b', 'c', { type: 'poll', epoch }],
    ['an answer to a poll that is not for the first member', 'b', 'c', { type: 'polled', epoch }],
  ])('%s', (_, at, from, message) => {
    for (const [, byAge] of protocols) {
      const group = groupOf(3);
      together(group, 'bc', 'chang-roberts', byAge(1, [0, 0, 0]));
      group.deliver(({ message: { type } }) => type !== 'elect');
      group.messages = [];
      const { member, callbacks } = group.at(at);
      expect(callbacks).toEqual([]);
      member.received(from, message);
      expect(callbacks).toEqual(['malformed']);
      member.received(from, elect);
      expect(callbacks).toEqual(['malformed', 'after a gap']);
      group.messages = [];
      group.install(byAge(2, [0, 0, 0]));
      settle(group);
      expect(leads(group)).toHaveLength(1);
    }
  });

  const odd = [null, true, 'x', -1, 0.5, 0, 999, 2 ** 53, [], [null], [999], {}, { id: 7 }];

  test.each(elections.map(({ name }) => name))(
    '%s: messages with odd fields end no membership and no election',
    (name) => {
      const real = new Map<string, Group['messages'][number]>(); // by type
      const sample = groupOf(4);
      together(sample, 'abcd', name, byAge(1, [1, 2, 3, 4]));
      for (let k = 0; k < 3000; k += 1) {
        for (const one of sample.messages)
          if (one.message.type === 'elect') real.set(one.message.message.type, one);
        const [first] = sample.messages;
        if (first === undefined) sample.pass(1);
        else sample.deliver((one) => one === first);
      }
      expect(real.size).toBeGreaterThan(0);
      for (const { from, to, message } of real.values()) {
        const envelope = message as ElectionMessage;
        const fields = Object.keys(envelope.message).filter((field) => field !== 'type');
        const wrong = fields.flatMap((field) =>
          odd.map((value) => ({
            ...(envelope.message as object),
            type: envelope.message.type,
            [field]: value,
          })),
        );
        for (const inner of [{ type: envelope.message.type }, ...wrong]) {
          const group = groupOf(4);
          together(group, 'abcd', name, byAge(1, [1, 2, 3, 4]));
          group.deliver((one) => one.message.type !== 'elect');
          group.at(to).member.received(from, { ...envelope, message: inner });
          settle(group);
          group.install(byAge(2, [1, 2, 3, 4]));
          settle(group);
          const callbacks = Object.values(group.members).flatMap((one) => one.callbacks);
          expect(callbacks.filter((what) => /^(broken|over|lost)/.test(what))).toEqual([]);
          expect(leads(group), JSON.stringify(inner)).toHaveLength(1);
        }
      }
    },
  );

  test('a message that would go round forever ends with its view', () => {
    const group = groupOf(3);
    together(group, 'abc', 'chang-roberts', byAge(1, [0, 0, 0]));
    group.deliver(({ message: { type } }) => type !== 'elect');
    group.at('b').member.received('a', { ...elect, message: { type: 'election', id: 999 } as never });
    group.deliver();
    expect(Object.values(group.members).flatMap(({ callbacks }) => callbacks)).toContain('malformed');
    group.install(byAge(2, [0, 0, 0]));
    expect(leads(group)).toHaveLength(1);
  });

  test('messages for rounds to come are limited in bytes', () => {
    const group = groupOf(2);
    group.install(byAge(1, [0, 0]));
    const { member, callbacks } = group.at('b');
    const early = { ...elect, round: 5, message: { type: 'x'.repeat(1000) } };
    for (let k = 0; k < 2000 && callbacks.length === 0; k += 1) member.received('a', early);
    expect(callbacks).toEqual(['malformed']);
    expect(member.elections.size).toBeGreaterThan(500);
    group.install(byAge(2, [0, 0]));
    expect(member.elections.size).toBe(0);
  });

  test('a message of an earlier view is dropped', () => {
    const group = groupOf(2);
    group.install(byAge(2, [0, 0]));
    group.at('b').member.received('a', elect);
    expect(group.at('b').callbacks).toEqual(['foreign epoch']);
  });
});

test.each(protocols)('a term of a member that has left does not keep candidates waiting%s', (_, byAge) => {
  const group = groupOf(3);
  group.install(byAge(1, [0, 0, 0]));
  group.at('a').member.received('c', { type: 'leads', election: 'chief', term: fenceOf(1, 3), ends: false });
  group.install(byAge(2, [0, 0]));
  stand(group, 'b', 'peterson');
  settle(group);
  expect(leads(group)).toBe('b');
});
