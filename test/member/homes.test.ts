// The rules of docs/internals/membership.md, one by one. Their numbers stand in the names.
import { describe, expect, test } from 'vitest';
import { askedAt } from '../../src/member/home-protocol.ts';
import { fenceOf, type MemberId, type View } from '../../src/member/index.ts';
import { homesOf, slotCount, slotOf } from '../../src/member/slots.ts';
import { lastEntry } from '../../src/member/view.ts';
import { Group, lockOf, oldView, view, withSilent } from './member-harness.ts';

type Sent = Group['messages'][number];

const begun = (ids: string, algorithm = 'naimi-trehel', ...newcomers: MemberId[]) => {
  const group = new Group(algorithm, ...ids, ...newcomers);
  group.install(view(1, ...ids));
  return group;
};
const ask = (group: Group, id: MemberId, lock: string, request = id) =>
  group.at(id).member.request(lock, request);
const holdersOf = (group: Group, lock: string) =>
  Object.values(group.members)
    .filter(({ member }) => member.locks.get(lock)?.isHeld)
    .map(({ member }) => member.id);
const runOf = (group: Group, id: MemberId, lock: string) => group.at(id).member.locks.get(lock)?.run ?? null;

/** The members use the lock in turn, so that they take part in one run. The last one has its token. */
const share = (group: Group, lock: string, ids: string) => {
  for (const id of ids) {
    ask(group, id, lock);
    group.deliver();
    group.at(id).member.release(lock, id);
    group.deliver();
  }
  for (const { callbacks } of Object.values(group.members)) callbacks.length = 0;
};

/** The process of this member hangs: nothing is delivered to it, and it does nothing. */
const without =
  (...hung: MemberId[]) =>
  ({ from, to }: Sent) =>
    !hung.includes(from) && !hung.includes(to);

/** As `group.go`, and the timers of these members do not fire. */
const goWithout = (group: Group, milliseconds: number, ...hung: MemberId[]) => {
  const kept = hung.map((id) => group.at(id).timers);
  for (const id of hung) group.at(id).timers = [];
  group.go(milliseconds, without(...hung));
  for (const [k, id] of hung.entries()) group.at(id).timers = kept[k]!;
};

describe('the home of a slot', () => {
  const idsOf = (seed: number, count: number) =>
    Array.from({ length: count }, (_, k) => `member-${seed}-${k}`);
  const moved = (before: View, after: View) => {
    const [from, to] = [homesOf(before), homesOf(after)];
    return from.flatMap((home, slot) => (home === to[slot] ? [] : [{ from: home, to: to[slot]! }]));
  };
  const seeds = Array.from({ length: 200 }, (_, seed) => seed);

  test('is one of the first four members, and each is the home of enough slots', () => {
    const shares = seeds.flatMap((seed) => {
      const ids = idsOf(seed, 9);
      const homes = homesOf(view(1, ...ids));
      expect(homes).toHaveLength(slotCount);
      expect(homes.every((home) => ids.indexOf(home) < 4)).toBe(true);
      return ids.slice(0, 4).map((id) => homes.filter((home) => home === id).length);
    });
    expect(Math.min(...shares)).toBeGreaterThanOrEqual(3);
    expect(Math.max(...shares)).toBeLessThanOrEqual(32);
    for (const place of [0, 1, 2, 3]) {
      const mean = shares.filter((_, k) => k % 4 === place).reduce((sum, one) => sum + one, 0) / seeds.length;
      expect(Math.abs(mean - slotCount / 4)).toBeLessThan(1);
    }
  });

  test.each(['order-', 'a', '', 'https://example.org/accounts/'])(
    'locks named %s1, %s2 … have all slots',
    (prefix) => {
      const counts = Array<number>(slotCount).fill(0);
      for (let k = 0; k < 100 * slotCount; k += 1) counts[slotOf(`${prefix}${k}`)]! += 1;
      expect(Math.min(...counts)).toBeGreaterThan(50);
      expect(Math.max(...counts)).toBeLessThan(150);
    },
  );

  test('does not move when a member comes or goes behind the fourth place', () => {
    for (const seed of seeds) {
      const ids = idsOf(seed, 9);
      for (let count = 4; count < 9; count += 1)
        expect(moved(view(1, ...ids.slice(0, count)), view(2, ...ids.slice(0, count + 1)))).toEqual([]);
    }
  });

  test('moves only to a member that comes into the first four, and from one that goes', () => {
    for (const seed of seeds) {
      const ids = idsOf(seed, 6);
      for (const place of [0, 1, 2, 3]) {
        const others = ids.filter((_, k) => k !== place);
        for (const { from } of moved(view(1, ...ids.slice(0, 4)), view(2, ...others.slice(0, 3))))
          expect(from).toBe(ids[place]);
        for (const { to } of moved(view(1, ...ids.slice(0, 3)), view(2, ...ids.slice(0, 4))))
          expect(to).toBe(ids[3]);
        for (const { from, to } of moved(view(1, ...ids), view(2, ...others)))
          expect(from === ids[place] || to === ids[4]).toBe(true); // the fifth takes the free place
      }
    }
  });

  test('is never a silent member, unless all are silent', () => {
    const ids = idsOf(1, 6);
    const next = view(1, ...ids);
    const homes = new Set(homesOf(withSilent(next, ids[0]!, ids[2]!)));
    expect([...homes].sort()).toEqual([ids[1], ids[3], ids[4], ids[5]]);
    expect(homesOf(withSilent(next, ...ids))).toEqual(homesOf(next));
  });

  test('knows all parts at once if the previous home reports them (rule 9)', () => {
    const group = begun('ab', 'naimi-trehel', 'c');
    const [, next] = [view(1, ...'ab'), view(2, ...'abc')];
    const lock = lockOf(next, 'c');
    share(group, lock, 'ab');
    const previous = homesOf(view(1, ...'ab'))[slotOf(lock)]!;
    const other = previous === 'a' ? 'b' : 'a';
    const decided = group.decide(next);
    for (const id of 'abc') group.at(id).member.viewChanged(decided);
    ask(group, 'c', lock);
    group.deliver(({ from, message }) => from !== other || message.type !== 'report'); // not needed
    expect(holdersOf(group, lock)).toEqual(['c']);
  });

  test('asks at once when a member wants a lock, and otherwise within 50 ms, while the previous home still knows (rule 9)', () => {
    const granted = (passed: number) => {
      const group = begun('ab', 'naimi-trehel', 'c', 'd');
      const lock = lockOf(view(2, ...'abc'), 'c');
      const previous = homesOf(view(1, ...'ab'))[slotOf(lock)]!;
      const hung = previous === 'a' ? 'b' : 'a';
      const isHeard = ({ from, to }: Group['messages'][number]) => from !== hung && to !== hung;
      const show = (next: View) => {
        const decided = group.decide(next);
        for (const id of next.members.map((one) => one.id)) group.at(id).member.viewChanged(decided);
      };
      show(view(2, ...'abc'));
      expect(group.typesTo('c')).not.toContain('report');
      group.go(passed, isHeard);
      show(view(3, ...'abcd'));
      group.deliver(isHeard);
      const home = homesOf(view(3, ...'abcd'))[slotOf(lock)]!;
      expect(home).toBe('c');
      group.messages = []; // to the member that hangs
      ask(group, 'c', lock);
      expect(group.messages.some(({ from, message }) => from === 'c' && message.type === 'sync')).toBe(
        passed < 50,
      );
      group.deliver(isHeard);
      return holdersOf(group, lock);
    };
    expect(granted(0)).toEqual([]); // waits for the member that hangs
    expect(granted(50)).toEqual(['c']);
  });

  test('refuses a report that it has not asked for: it would take it for an answer (rule 9)', () => {
    const group = new Group('naimi-trehel', 'a', 'b');
    for (const id of 'ab') group.at(id).member.viewChanged(view(1, ...'ab'));
    group.at('a').member.received('b', { type: 'report', epoch: 1, slots: [], locks: [], isLast: true });
    expect(group.at('a').callbacks).toEqual(['malformed']);
  });

  test('is not answered if it asks about no slot', () => {
    const group = begun('ab');
    group.messages = [];
    group.at('a').member.received('b', { type: 'sync', epoch: 1, slots: [] });
    expect(group.at('a').callbacks).toEqual(['malformed']);
    expect(group.typesTo('b')).not.toContain('report');
  });

  test('asks at once in a group on several machines, whose members do not share processors (rule 9)', () => {
    class Spread extends Group {
      override get spansMachines(): boolean {
        return true;
      }
    }
    const asked = (group: Group) => {
      for (const id of 'ab') group.at(id).member.viewChanged(view(1, ...'ab'));
      return group.messages.filter(({ message }) => message.type === 'sync').map(({ to }) => to);
    };
    expect(asked(new Spread('naimi-trehel', 'a', 'b')).sort()).toEqual(['a', 'b']);
    expect(asked(new Group('naimi-trehel', 'a', 'b'))).toEqual([]);
  });

  test('is new, and nobody has reported for it: it waits for the reports, and asks only those with a part (rule 9)', () => {
    const group = begun('abcdef');
    const next = group.decide(view(2, ...'bcdef')); // a has died
    const home = homesOf(next);
    const moved = Array.from({ length: 300 }, (_, k) => `lock ${k}`).filter(
      (lock) => homesOf(view(1, ...'abcdef'))[slotOf(lock)] === 'a' && home[slotOf(lock)] !== 'f',
    );
    const [used, ...unused] = moved as [string, ...string[]];
    expect(unused.length).toBeGreaterThan(30);
    share(group, used, 'ce');
    for (const lock of moved) ask(group, 'f', lock);
    for (const id of 'bcdef') group.at(id).member.viewChanged(next);
    const asked = new Map<string, MemberId[]>();
    group.deliver(({ to, message }) => {
      if (message.type === 'stop') asked.set(message.lock, [...(asked.get(message.lock) ?? []), to]);
      return true;
    });
    expect(new Set(asked.get(used))).toEqual(new Set('cef'));
    for (const lock of unused) expect(new Set(asked.get(lock))).toEqual(new Set('f'));
    for (const lock of moved) expect(holdersOf(group, lock)).toEqual(['f']);
  });

  test('asks everybody if it has missed a view (rule 9)', () => {
    const group = begun('ab');
    const lock = lockOf(view(1, ...'ab'), 'a');
    share(group, lock, 'ab');
    const syncs = (next: View) => {
      for (const id of 'ab') group.at(id).member.viewChanged(next);
      group.pass(50);
      const types = [...group.typesTo('a'), ...group.typesTo('b')];
      group.deliver();
      return types.filter((type) => type === 'sync').length;
    };
    expect(syncs({ ...view(2, ...'ab'), after: 1 })).toBe(0);
    expect(syncs({ ...view(5, ...'ab'), after: 4 })).toBe(2);
    expect(syncs(view(6, ...'ab'))).toBe(2); // an older version created the view
    ask(group, 'a', lock);
    group.deliver();
    expect(holdersOf(group, lock)).toEqual(['a']);
  });
});

describe('a change of the view', () => {
  test('sends nothing about locks if no home moves; runs go on', () => {
    const group = begun('abcd', 'naimi-trehel', 'e');
    for (let k = 0; k < 50; k += 1) share(group, `lock ${k}`, 'abcd');
    const before = Array.from({ length: 50 }, (_, k) => runOf(group, 'a', `lock ${k}`));
    const next = group.decide(view(2, ...'abcde'));
    for (const id of 'abcde') group.at(id).member.viewChanged(next);
    expect(new Set(group.messages.map(({ message }) => message.type))).toEqual(new Set(['view']));
    group.deliver();
    for (let k = 0; k < 50; k += 1) {
      ask(group, 'a', `lock ${k}`);
      group.deliver();
      expect(runOf(group, 'a', `lock ${k}`)).toBe(before[k]);
      expect(holdersOf(group, `lock ${k}`)).toEqual(['a']);
    }
  });

  test('in which a newcomer asks for a lock restarts only that one, and its holder keeps it', () => {
    const group = begun('ab', 'naimi-trehel', 'c');
    for (const lock of ['x', 'y', 'z']) share(group, lock, 'ab');
    ask(group, 'a', 'x');
    ask(group, 'b', 'y');
    group.deliver();
    const fence = group.at('a').member.locks.get('x')!.fence;
    group.install(view(2, ...'abc'));
    const before = ['x', 'y', 'z'].map((lock) => runOf(group, 'a', lock));
    ask(group, 'c', 'x');
    group.deliver();
    const after = ['x', 'y', 'z'].map((lock) => runOf(group, 'a', lock));
    expect(after.map((run, k) => run === before[k])).toEqual([false, true, true]);
    expect(after[0]!.members).toEqual(['a', 'b', 'c']);
    expect([holdersOf(group, 'x'), group.at('a').member.locks.get('x')!.fence]).toEqual([['a'], fence]);
    group.at('a').member.release('x', 'a');
    group.deliver();
    expect(holdersOf(group, 'x')).toEqual(['c']);
    expect(group.at('c').member.locks.get('x')!.fence).toBeGreaterThan(fenceOf(2, 0));
  });

  test('in which a user of the lock dies lets the others have it', () => {
    const group = begun('abc');
    const lock = lockOf(view(1, ...'abc'), 'a');
    share(group, lock, 'abc');
    ask(group, 'c', lock); // c holds it
    group.deliver();
    ask(group, 'b', lock);
    group.deliver();
    const { fence } = group.at('c').member.locks.get(lock)!;
    group.at('c').member.end('removed from the group');
    expect(group.at('b').callbacks).toEqual([]);
    group.install(view(2, 'a', 'b'));
    expect(holdersOf(group, lock)).toEqual(['b']);
    expect(group.at('b').member.locks.get(lock)!.fence).toBeGreaterThan(fence);
  });

  test('does not lose a request that is on its way to the home (rule 8)', () => {
    const group = begun('ab');
    const lock = lockOf(view(1, ...'ab'), 'a');
    ask(group, 'b', lock);
    expect(group.typesTo('a')).toEqual(['want']);
    group.install(view(2, ...'ab'));
    expect(group.at('a').callbacks).toEqual(['foreign epoch']);
    expect(holdersOf(group, lock)).toEqual(['b']);
  });

  test('between stop and start does not lose the holder (rules 8 and 10)', () => {
    const group = begun('abc');
    const lock = lockOf(view(1, ...'abc'), 'a');
    ask(group, 'b', lock);
    group.deliver();
    const { fence } = group.at('b').member.locks.get(lock)!;
    ask(group, 'c', lock);
    group.deliver(({ message }) => message.type !== 'start');
    expect(runOf(group, 'b', lock)).toBe(null);
    group.messages = []; // the start is of the old view
    group.install(view(2, ...'abc'));
    expect([holdersOf(group, lock), group.at('b').member.locks.get(lock)!.fence]).toEqual([['b'], fence]);
    group.at('b').member.release(lock, 'b');
    group.deliver();
    expect(holdersOf(group, lock)).toEqual(['c']);
  });
});

describe('a holder that hears a view before the start of its run', () => {
  test.each(['before the view', 'between two views', 'later', 'never'])(
    'does not keep those waiting that have started it, although its first message about it is dropped; it releases %s (rule 10)',
    (when) => {
      const group = begun('abc', 'ricart-agrawala');
      const lock = lockOf(view(1, ...'abc'), 'a');
      ask(group, 'c', lock);
      group.deliver();
      ask(group, 'b', lock);
      group.deliver(({ to, message }) => to !== 'c' || message.type !== 'start');
      expect(runOf(group, 'b', lock)!.members).toEqual(['b', 'c']);
      const release = (now: string) => {
        if (now === when) group.at('c').member.release(lock, 'c');
      };
      release('before the view');
      group.at('c').member.viewChanged(group.decide(view(2, ...'abc')));
      group.deliver(({ to }) => to === 'c');
      expect(group.at('c').callbacks).toContain('foreign epoch'); // the start
      release('between two views');
      const next = group.decide(view(3, ...'abc'));
      for (const id of 'abc') group.at(id).member.viewChanged(next);
      group.go(100);
      release('later');
      group.go(100);
      expect(holdersOf(group, lock)).toEqual([when === 'never' ? 'c' : 'b']);
      expect(runOf(group, 'b', lock)!.number).toBeGreaterThan(fenceOf(3, 0));
    },
  );
});

describe('an idle lock', () => {
  const sweep = (group: Group, ids: string) => {
    for (const id of ids) group.at(id).member.sweep();
    group.deliver();
  };
  const retained = (group: Group) => Object.values(group.members).map(({ member }) => member.retainedCount);

  test.each(['a', 'ab', 'abcdef'])(
    'of %s is forgotten in the second sweep, and its fence still rises when it is used again (rule 15)',
    (ids) => {
      const group = begun(ids);
      share(group, 'x', ids);
      ask(group, 'a', 'x');
      group.deliver();
      const { fence } = group.at('a').member.locks.get('x')!;
      group.at('a').member.release('x', 'a');
      group.deliver();
      sweep(group, ids);
      expect(Math.max(...retained(group))).toBeGreaterThan(0);
      sweep(group, ids);
      expect(retained(group)).toEqual([...ids].map(() => 0));
      expect(Object.values(group.members).flatMap(({ proposed }) => proposed)).toEqual([]);
      const last = ids.at(-1)!;
      ask(group, last, 'x');
      group.deliver();
      expect(group.at(last).member.locks.get('x')!.fence).toBeGreaterThan(fence);
    },
  );

  test('that is used again between two sweeps is not forgotten', () => {
    const group = begun('ab');
    share(group, 'x', 'ab');
    const before = runOf(group, 'a', 'x');
    for (let k = 0; k < 5; k += 1) {
      sweep(group, 'ab');
      ask(group, 'a', 'x');
      group.deliver();
      group.at('a').member.release('x', 'a');
      group.deliver();
    }
    expect(runOf(group, 'a', 'x')).toBe(before);
  });

  test('that is held is not forgotten, nor one that waits', () => {
    const group = begun('ab');
    ask(group, 'a', 'x');
    group.deliver();
    ask(group, 'b', 'x');
    group.deliver();
    for (let k = 0; k < 5; k += 1) sweep(group, 'ab');
    expect(holdersOf(group, 'x')).toEqual(['a']);
    group.at('a').member.release('x', 'a');
    group.deliver();
    expect(holdersOf(group, 'x')).toEqual(['b']);
  });

  test('whose users have left the group is forgotten', () => {
    const group = begun('abc');
    share(group, 'x', 'bc');
    group.install(view(2, 'a'));
    sweep(group, 'a');
    expect(group.at('a').member.retainedCount).toBe(0);
  });

  test('is used with another algorithm after it was forgotten', () => {
    const group = begun('ab');
    share(group, 'x', 'ab');
    for (let k = 0; k < 2; k += 1) sweep(group, 'ab');
    group.at('b').member.request('x', 'w', 'maekawa');
    group.deliver();
    expect(group.at('b').callbacks[0]).toMatch(/^granted w/);
  });
});

describe('a member that hangs', () => {
  test.each([
    'naimi-trehel',
    'raymond',
    'suzuki-kasami',
    'li-hudak',
    'ricart-agrawala',
    'maekawa',
    'lamport',
    'singhal',
  ])('%s: does not keep others from a lock that another member holds and releases (rule 16)', (algorithm) => {
    for (const [holder, hung] of [
      ['b', 'c'],
      ['c', 'b'],
    ] as const) {
      const group = begun('abcd', algorithm);
      const lock = lockOf(view(1, ...'abcd'), 'a');
      share(group, lock, 'abcd');
      ask(group, holder, lock);
      group.deliver();
      ask(group, 'd', lock);
      goWithout(group, 100, hung);
      expect(holdersOf(group, lock)).toEqual([holder]);
      const { fence } = group.at(holder).member.locks.get(lock)!;
      group.at(holder).member.release(lock, holder);
      goWithout(group, 20, hung);
      expect(holdersOf(group, lock)).toEqual(['d']);
      expect(group.at('d').member.locks.get(lock)!.fence).toBeGreaterThan(fence);
      // It wakes up, and asks for the lock itself.
      group.deliver();
      ask(group, hung, lock);
      group.go(200);
      expect(holdersOf(group, lock)).toEqual(['d']);
      group.at('d').member.release(lock, 'd');
      group.go(200);
      expect(holdersOf(group, lock)).toEqual([hung]);
    }
  });

  test.each(['naimi-trehel', 'raymond', 'suzuki-kasami'])(
    '%s: does not keep others from a lock whose token another member has, for more than 100 ms (rule 4)',
    (algorithm) => {
      const group = begun('abcd', algorithm);
      const lock = lockOf(view(1, ...'abcd'), 'a');
      share(group, lock, 'adbc'); // c has the token
      ask(group, 'd', lock);
      goWithout(group, 100, 'b');
      expect(holdersOf(group, lock)).toEqual(['d']);
      expect(Object.values(group.members).flatMap(({ proposed }) => proposed)).toEqual([]);
    },
  );

  test('keeps the lock that it holds, until it is removed from the group', () => {
    const group = begun('abc');
    const lock = lockOf(view(1, ...'abc'), 'a');
    share(group, lock, 'abc');
    ask(group, 'b', lock);
    group.deliver();
    ask(group, 'c', lock);
    goWithout(group, 3000, 'b');
    expect(holdersOf(group, lock)).toEqual(['b']);
    expect(Object.values(group.members).flatMap(({ proposed }) => proposed)).toEqual([]); // its lease decides
    const next = group.decide(view(2, 'a', 'c'));
    for (const id of 'ac') group.at(id).member.viewChanged(next);
    goWithout(group, 1, 'b');
    expect(group.at('c').member.locks.get(lock)!.isHeld).toBe(true);
  });

  test('keeps the token that it may have: nobody enters without its answer', () => {
    const group = begun('abcd');
    const lock = lockOf(view(1, ...'abcd'), 'a');
    share(group, lock, 'acdb'); // b has the token
    ask(group, 'd', lock);
    goWithout(group, 3000, 'b');
    expect(holdersOf(group, lock)).toEqual([]);
    group.deliver(); // it wakes up
    expect(holdersOf(group, lock)).toEqual(['d']);
  });

  test('and is a home is replaced: a waiting member proposes to call it silent (rule 17)', () => {
    const group = begun('abcd');
    const lock = lockOf(view(1, ...'abcd'), 'b');
    ask(group, 'd', lock);
    goWithout(group, 70, 'b');
    expect(group.at('d').proposed[0]).toBe('1: a,b (silent),c,d');
    const next = group.decide(withSilent(view(2, ...'abcd'), 'b'));
    for (const id of 'acd') group.at(id).member.viewChanged(next);
    const home = homesOf(next)[slotOf(lock)]!;
    expect(home).not.toBe('b');
    goWithout(group, 100, 'b');
    expect(holdersOf(group, lock)).toEqual([]); // b may hold it: it has not reported
    // The process answers again, and learns of the view. Only after two seconds it may be a home again.
    group.at('b').member.viewChanged(next);
    group.go(100);
    expect(holdersOf(group, lock)).toEqual(['d']);
    expect(group.at('b').proposed).toEqual([]);
    group.go(2000);
    expect(group.at('b').proposed).toEqual(['2: a,b,c,d']);
    // It is called silent again: now it waits for twice the time.
    group.install(view(3, ...'abcd'));
    group.install(withSilent(view(4, ...'abcd'), 'b'));
    group.go(3999);
    expect(group.at('b').proposed).toEqual(['2: a,b,c,d']);
    group.go(1);
    expect(group.at('b').proposed).toEqual(['2: a,b,c,d', '4: a,b,c,d']);
  });

  test('and is a home does not keep others from a lock that one of them has used alone', () => {
    const group = begun('abcd');
    const lock = lockOf(view(1, ...'abcd'), 'b');
    share(group, lock, 'c'); // c has the token
    ask(group, 'd', lock);
    goWithout(group, 70, 'b');
    const next = group.decide(withSilent(view(2, ...'abcd'), 'b'));
    for (const id of 'acd') group.at(id).member.viewChanged(next);
    goWithout(group, 100, 'b');
    expect(holdersOf(group, lock)).toEqual(['d']);
  });

  test('and others that also answer no more are called silent together', () => {
    const group = begun('abcd');
    const locks = ['b', 'c'].map((home) => lockOf(view(1, ...'abcd'), home));
    for (const lock of locks) ask(group, 'd', lock);
    goWithout(group, 70, 'b', 'c');
    const called = new Set(group.at('d').proposed.flatMap((one) => one.match(/[bc] \(silent\)/g) ?? []));
    expect(called).toEqual(new Set(['b (silent)', 'c (silent)']));
  });

  test('is not asked by those that do not wait', () => {
    const group = begun('abc');
    share(group, 'x', 'abc');
    ask(group, 'a', 'x');
    group.deliver();
    group.go(1000);
    expect(group.messages).toEqual([]);
    expect(Object.values(group.members).map(({ timers }) => timers.length)).toEqual([0, 0, 0]);
  });

  test('asks eight others at a time, all of them before it begins again, and that more and more rarely (rule 16)', () => {
    const ticks = Array.from({ length: 200 }, (_, k) => k + 1);
    const due = (others: number) => ticks.filter((tick) => askedAt(tick, others)[1] > 0);
    expect(due(1).slice(0, 5)).toEqual([1, 2, 4, 8, 16]);
    expect(due(8)).toEqual(due(1));
    expect(due(31)).toEqual([
      1, 2, 3, 4, 5, 6, 7, 8, 13, 14, 15, 16, 29, 30, 31, 32, 61, 62, 63, 64, 125, 126, 127, 128,
    ]);
    for (const others of [1, 7, 8, 9, 16, 17, 31, 255]) {
      const all = Array.from({ length: others }, (_, k) => k);
      const asked = due(others).flatMap((tick) => all.slice(...askedAt(tick, others)));
      expect(asked.slice(0, 2 * others)).toEqual([...all, ...all]);
    }
  });

  test('is asked more and more rarely', () => {
    const group = begun('ab');
    share(group, 'x', 'ab');
    ask(group, 'a', 'x');
    group.deliver();
    ask(group, 'b', 'x');
    let hails = 0;
    group.go(10_000, ({ message }) => {
      if (message.type === 'hail' && !message.isAnswer) hails += 1;
      return true;
    });
    expect(hails).toBeLessThan(30);
    expect(hails).toBeGreaterThan(5);
    expect(holdersOf(group, 'x')).toEqual(['a']);
  });
});

describe('two algorithms for one lock', () => {
  test.each([
    ['a', 'b'],
    ['b', 'a'],
  ])('a request is refused if others use another one; %s is the home, %s asks second', (home, second) => {
    const group = begun('ab');
    const lock = lockOf(view(1, ...'ab'), home);
    const first = second === 'a' ? 'b' : 'a';
    group.at(first).member.request(lock, 'w', 'maekawa');
    group.deliver();
    group.at(second).member.request(lock, 'v', 'lamport');
    group.deliver();
    expect(group.at(second).callbacks).toEqual(['refused v']);
    expect(group.at(first).callbacks).toEqual(['granted w 1']);
    group.at(first).member.release(lock, 'w');
    group.deliver();
    group.at(second).member.request(lock, 'u', 'lamport'); // the other one still has a part
    group.deliver();
    expect(group.at(second).callbacks).toEqual(['refused v', 'refused u']);
    group.at(second).member.request(lock, 't', 'maekawa');
    group.deliver();
    expect(group.at(second).callbacks.at(-1)).toMatch(/^granted t/);
  });

  test('one of two requests at the same time is refused, in the first view and later', () => {
    for (const epochs of [1, 2]) {
      const group = new Group('naimi-trehel', 'a', 'b');
      if (epochs === 2) group.install(view(1, 'a', 'b'));
      group.at('a').member.request('x', 'w', 'maekawa');
      group.at('b').member.request('x', 'v', 'lamport');
      group.install(view(2, 'a', 'b'));
      group.go(100);
      const callbacks = [...group.at('a').callbacks, ...group.at('b').callbacks].filter(
        (what) => what !== 'foreign epoch',
      );
      expect(callbacks.map((what) => what.split(' ')[0]).sort()).toEqual(['granted', 'refused']);
    }
  });

  test('a member that joins with another one is refused, while the lock is held', () => {
    const group = begun('ab', 'naimi-trehel', 'c');
    group.at('b').member.request('x', 'w', 'maekawa');
    group.deliver();
    group.at('c').member.request('x', 'v', 'lamport');
    group.install(view(2, ...'abc'));
    group.go(100);
    expect(group.at('c').callbacks).toEqual(['refused v']);
    expect(holdersOf(group, 'x')).toEqual(['b']);
  });
});

describe('a run that has used the fences of its epoch (rule 5)', () => {
  const exhaust = (group: Group, id: MemberId, lock: string) => {
    const { member } = group.at(id);
    for (
      let k = 0;
      k < lastEntry + 10 && group.at(id).proposed.length + group.messages.length === 0;
      k += 1
    ) {
      member.request(lock, 'w');
      if (member.locks.get(lock)!.isHeld) member.release(lock, 'w');
    }
    return member;
  };

  test('asks for a new epoch, and goes on in it with higher fences', () => {
    const group = begun('ab');
    const lock = lockOf(view(1, ...'ab'), 'a');
    share(group, lock, 'a');
    const member = exhaust(group, 'a', lock);
    const { fence, isHeld } = member.locks.get(lock)!;
    expect([group.at('a').proposed, isHeld]).toEqual([['1: a,b'], false]);
    expect(fence).toBe(fenceOf(1, lastEntry));
    group.install(view(2, ...'ab'));
    expect(holdersOf(group, lock)).toEqual(['a']);
    expect(member.locks.get(lock)!.fence).toBeGreaterThan(fenceOf(2, 0));
  });

  test('and is shared: a member that enters later goes on in the new epoch, too', () => {
    const group = begun('ab');
    const lock = lockOf(view(1, ...'ab'), 'a');
    share(group, lock, 'ba');
    for (const id of 'ab') runOf(group, id, lock)!.last = fenceOf(1, lastEntry - 1);
    ask(group, 'a', lock);
    group.deliver();
    const { fence } = group.at('a').member.locks.get(lock)!;
    group.at('a').member.release(lock, 'a');
    ask(group, 'a', lock);
    expect(group.at('a').proposed).toEqual(['1: a,b']);
    ask(group, 'b', lock);
    group.deliver();
    const last = Math.max(fence, group.at('b').member.locks.get(lock)!.fence);
    expect(last).toBeLessThan(fenceOf(2, 0));
    for (const id of 'ab') group.at(id).member.release(lock, id);
    for (const id of 'ab') ask(group, id, lock, `again ${id}`);
    group.install(view(2, ...'ab'));
    group.go(100);
    const [holder] = holdersOf(group, lock);
    expect(group.at(holder!).member.locks.get(lock)!.fence).toBeGreaterThan(fenceOf(2, 0));
  });
});

describe('a group with members of an older version', () => {
  const both = ['ab', 'abc'] as const;

  test.each(both)(
    '%s: a lock that is held stays so when the last one leaves and when one comes back; fences rise',
    (ids) => {
      const group = new Group('naimi-trehel', ...'abc');
      group.install(oldView(1, ...ids));
      ask(group, 'b', 'x');
      ask(group, 'a', 'y');
      group.deliver();
      const fences: number[] = [group.at('b').member.locks.get('x')!.fence];
      let epoch = 1;
      for (const viewOf of [view, oldView, oldView, view, view, oldView]) {
        epoch += 1;
        group.install(viewOf(epoch, ...'abc'));
        expect([holdersOf(group, 'x'), holdersOf(group, 'y')]).toEqual([['b'], ['a']]);
        ask(group, 'c', 'x', `c ${epoch}`);
        group.deliver();
        expect(holdersOf(group, 'x')).toEqual(['b']);
        group.at('b').member.release('x', 'b');
        group.deliver();
        expect(holdersOf(group, 'x')).toEqual(['c']);
        fences.push(group.at('c').member.locks.get('x')!.fence);
        ask(group, 'b', 'x');
        group.at('c').member.release('x', `c ${epoch}`);
        group.deliver();
        fences.push(group.at('b').member.locks.get('x')!.fence);
      }
      expect(fences).toEqual([...fences].sort((a, b) => a - b));
      expect(new Set(fences).size).toBe(fences.length);
    },
  );

  test('a request that waits is granted in the first view of the other protocol', () => {
    for (const [from, to] of [
      [oldView, view],
      [view, oldView],
    ] as const) {
      const group = new Group('naimi-trehel', 'a', 'b');
      group.install(from(1, 'a', 'b'));
      ask(group, 'b', 'x');
      group.messages = []; // nothing arrives in this view
      group.install(to(2, 'a', 'b'));
      expect(holdersOf(group, 'x')).toEqual(['b']);
    }
  });

  test('messages were lost when the last older member goes: nobody enters a run of the view before', () => {
    const group = new Group('naimi-trehel', 'a', 'b');
    group.install(oldView(1, 'a', 'b'));
    const locks = Array.from({ length: 8 }, (_, k) => `lock ${k}`); // their tokens begin at either member
    for (const lock of locks) {
      ask(group, 'a', lock);
      group.deliver();
      ask(group, 'b', lock);
    }
    group.at('a').member.channelBroke('b');
    group.at('b').member.channelBroke('a');
    group.messages = [];
    group.install(view(2, 'a', 'b'));
    for (const lock of locks) {
      expect(holdersOf(group, lock)).toEqual(['a']);
      group.at('a').member.release(lock, 'a');
      group.deliver();
      expect(holdersOf(group, lock)).toEqual(['b']);
      expect(group.at('b').member.locks.get(lock)!.fence).toBeGreaterThan(fenceOf(2, 0));
    }
  });

  test('a view in which one of many is of an older version is flushed', () => {
    const group = new Group('naimi-trehel', 'a', 'b', 'c');
    const next = view(1, 'a', 'b', 'c');
    const { speaks: _, ...older } = next.members[2]!;
    for (const id of 'abc')
      group.at(id).member.viewChanged({ ...next, members: [...next.members.slice(0, 2), older] });
    group.deliver(({ message }) => message.type === 'view');
    expect(new Set(group.messages.map(({ message }) => message.type))).toEqual(new Set(['flush']));
  });
});
