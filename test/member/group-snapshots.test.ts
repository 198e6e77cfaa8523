// Snapshots of a group whose schedule comes from a seed: at most one holder, and one token in every run that is complete.
import { describe, expect, test } from 'vitest';
import { algorithms } from '../../src/algorithms/index.ts';
import { Random } from '../../src/core/random.ts';
import type { GroupSnapshot, MemberId, MemberMessage } from '../../src/member/index.ts';
import { Group, lockOf, oldView, view } from './member-harness.ts';

const locks = algorithms.filter(({ problem }) => problem === 'mutex');

/** Messages arrive in the order of their channel, time passes, applications request and release, idle locks are swept, and some take snapshots. */
class Schedule {
  readonly snapshots: GroupSnapshot[] = [];
  readonly group: Group;
  readonly ids: readonly MemberId[];
  readonly #random: Random;
  readonly #viewOf: typeof view;
  #requests = 0;
  #epoch = 1;

  constructor(algorithm: string, seed: number, viewOf: typeof view) {
    this.#random = new Random(seed, 'members');
    this.#viewOf = viewOf;
    this.ids = ['a', 'b', 'c', 'd'].slice(0, 1 + this.#random.below(4));
    this.group = new Group(algorithm, ...this.ids);
    this.group.install(viewOf(1, ...this.ids));
  }

  step(): void {
    const id = this.ids[this.#random.below(this.ids.length)]!;
    const { member } = this.group.at(id);
    const lock = this.#random.chance(0.8) ? 'x' : 'y';
    const what = this.#random.below(20);
    if (what < 10) this.#deliver();
    else if (what < 14) this.group.pass(1 + this.#random.below(4));
    else if (what < 16 && member.locks.get(lock)?.isIdle !== false) {
      this.#requests += 1;
      member.request(lock, `${this.#requests}`);
    } else if (what < 18) {
      const holder = member.locks.get(lock)?.holder;
      if (holder) member.release(lock, holder);
    } else if (what === 18) member.snapshot(5000, (snapshot) => this.snapshots.push(snapshot));
    else if (this.#random.chance(0.03)) this.#refresh();
    else if (this.#random.chance(0.1)) member.sweep();
  }

  #deliver(): void {
    const first = new Map<string, Group['messages'][number]>();
    for (const sent of this.group.messages) {
      const channel = `${sent.from} ${sent.to}`;
      if (!first.has(channel)) first.set(channel, sent);
    }
    const due = [...first.values()];
    if (due.length === 0) return;
    const one = due[this.#random.below(due.length)]!;
    this.group.messages = this.group.messages.filter((sent) => sent !== one);
    this.group.at(one.to).member.received(one.from, one.message);
  }

  #refresh(): void {
    this.#epoch += 1;
    const next = this.group.decide(this.#viewOf(this.#epoch, ...this.ids));
    for (const id of this.ids) this.group.at(id).member.viewChanged(next);
  }
}

describe.each(locks.map(({ name, token }) => [name, token] as const))('%s', (algorithm, token) => {
  test.each([
    ['', view, 25],
    [', with members of an older version', oldView, 10],
  ])(
    'seeds%s: at most one holder and one token, held or in transit, or a sentence with the reason',
    (_, viewOf, seeds) => {
      let [taken, complete, starting] = [0, 0, 0];
      for (let seed = 0; seed < seeds; seed += 1) {
        const schedule = new Schedule(algorithm, seed, viewOf);
        for (let i = 0; i < 400; i += 1) schedule.step();
        for (const id of schedule.ids) expect(schedule.group.at(id).callbacks).not.toContain('malformed');
        for (const snapshot of schedule.snapshots) {
          if ('failed' in snapshot) expect(snapshot.failed).toMatch(/^the view|^within 5000 ms/);
          else {
            taken += 1;
            for (const { holders, tokens, isStarting } of snapshot.locks) {
              expect(holders.length, `seed ${seed}`).toBeLessThanOrEqual(1);
              if (isStarting) {
                starting += 1;
                expect(tokens).toBe(null);
              } else {
                complete += 1;
                expect(tokens?.length, `seed ${seed}: ${JSON.stringify(snapshot)}`).toBe(token && 1);
              }
            }
          }
        }
      }
      expect(taken).toBeGreaterThan(4 * seeds);
      expect(complete).toBeGreaterThan(2 * seeds);
      if (viewOf === view) expect(starting).toBeGreaterThan(0);
      else expect(starting).toBe(0);
    },
  );
});

describe('a snapshot', () => {
  const begun = (algorithm: string, ids: string, viewOf = view) => {
    const group = new Group(algorithm, ...ids);
    group.install(viewOf(1, ...ids));
    return group;
  };
  const take = (group: Group, id: MemberId, milliseconds = 100): GroupSnapshot[] => {
    const snapshots: GroupSnapshot[] = [];
    group.at(id).member.snapshot(milliseconds, (snapshot) => snapshots.push(snapshot));
    return snapshots;
  };
  const finish = (group: Group) => {
    for (let i = 0; i < 5; i += 1) {
      group.deliver();
      group.pass(2);
    }
  };

  const heldAndWanted = (viewOf: typeof view) => {
    const group = begun('suzuki-kasami', 'abc', viewOf);
    group.at('a').member.request('x', '1');
    group.deliver();
    group.at('b').member.request('x', '2');
    group.deliver();
    return group;
  };
  const x = { lock: 'x', algorithm: 'suzuki-kasami', holders: [0], waiting: [1], tokens: [{ at: 0 }] };

  test('reports the holder, the waiters and the token, and which lock is being started', () => {
    const group = heldAndWanted(view);
    const next = view(1, ...'abc');
    const other = lockOf(next, 'a', 'y');
    group.at('c').member.request(other, '3'); // in transit to the home
    const snapshots = take(group, 'c');
    finish(group);
    const y = { lock: other, holders: [], waiting: [2], tokens: null, isStarting: true };
    expect(snapshots).toMatchObject([{ epoch: 1, locks: [{ ...x, isStarting: false }, y] }]);
  });

  test('in a view with members of an older version: also if the root has received no message yet', () => {
    const group = heldAndWanted(oldView);
    group.at('c').member.request('y', '3'); // in transit to all
    const snapshots = take(group, 'c');
    finish(group);
    expect(snapshots).toMatchObject([
      { epoch: 1, locks: [x, { lock: 'y', tokens: [{}], isStarting: false }] },
    ]);
  });

  test('says that a lock is being started while its holder has left one run and has not begun the next', () => {
    const group = begun('suzuki-kasami', 'ab');
    const lock = lockOf(view(1, ...'ab'), 'a');
    group.at('b').member.request(lock, '1');
    group.deliver();
    group.at('a').member.request(lock, '2');
    group.deliver(({ message }) => message.type === 'stop');
    group.messages = group.messages.filter(({ message }) => message.type !== 'stopped'); // delayed forever
    const snapshots = take(group, 'a');
    finish(group);
    expect(snapshots).toMatchObject([
      { locks: [{ lock, holders: [1], waiting: [0], tokens: null, isStarting: true }] },
    ]);
  });

  test.each([
    ['', view],
    [', with members of an older version', oldView],
  ])('finds a token in transit%s', (_, viewOf) => {
    const group = begun('suzuki-kasami', 'ab', viewOf);
    const isToken = ({ message }: { message: MemberMessage }) =>
      (message.type === 'step' || message.type === 'run') && message.message.type === 'privilege';
    group.at('a').member.request('x', '1');
    group.at('b').member.request('x', '2');
    group.deliver((sent) => !isToken(sent));
    for (const [id, other] of [
      ['a', 'b'],
      ['b', 'a'],
    ] as const) {
      const { member } = group.at(id);
      if (member.locks.get('x')!.isHeld) {
        member.release('x', member.locks.get('x')!.holder!);
        group.deliver((sent) => !isToken(sent));
        const snapshots = take(group, other);
        finish(group);
        const [from, to] = id === 'a' ? [0, 1] : [1, 0];
        expect(snapshots).toMatchObject([
          { locks: [{ holders: [], waiting: [to], tokens: [{ from, to }] }] },
        ]);
        return;
      }
    }
    expect.fail('nobody holds it');
  });

  test.each([
    ['', view],
    [', with members of an older version', oldView],
  ])('finds a token that waits in a causal inbox%s', (_, viewOf) => {
    const lock = viewOf === view ? lockOf(view(1, ...'abcd'), 'a') : 'x'; // a is the root
    const group = new Group('singhal', ...'abcd');
    if (viewOf === view) for (const id of 'abcd') group.at(id).member.request(lock, 'first'); // so that all take part
    for (const id of 'abcd') group.at(id).member.viewChanged(viewOf(1, ...'abcd'));
    group.deliver(({ message }) => message.type !== 'start' && message.type !== 'step');
    for (const id of 'abcd') group.at(id).member.cancel(lock, 'first');
    group.at('a').member.release(lock, 'first');
    group.deliver();
    const hear = (...pairs: string[]) => {
      for (const pair of pairs) group.deliver(({ from, to }) => from + to === pair);
    };
    const ask = (id: MemberId) => group.at(id).member.request(lock, id);
    ask('a'); // has the token
    ask('d'); // tells a, b and c
    hear('dc', 'da');
    ask('c');
    hear('ca'); // so that a knows of the message from d to b
    ask('b');
    hear('ba');
    group.at('a').member.release(lock, 'a');
    hear('ab');
    const snapshots = take(group, 'b');
    finish(group);
    expect(snapshots).toMatchObject([{ locks: [{ holders: [], tokens: [{ from: 0, to: 1 }] }] }]);
  });

  test('works for a member that is alone on its ring', () => {
    const group = begun('token-ring', 'a');
    group.at('a').member.request('x', '1');
    finish(group);
    group.at('a').member.release('x', '1');
    const snapshots = take(group, 'a');
    finish(group);
    expect(snapshots).toMatchObject([{ locks: [{ lock: 'x', holders: [], tokens: [{ from: 0, to: 0 }] }] }]);
  });

  test('fails when the view changes, and is forgotten; the next one can be taken at once', () => {
    const group = begun('li-hudak', 'ab');
    const snapshots = take(group, 'a');
    const next = group.decide(view(2, 'a', 'b'));
    group.at('a').member.viewChanged(next);
    expect(snapshots).toEqual([{ failed: 'the view changed meanwhile' }]);
    const again = take(group, 'a');
    group.at('b').member.viewChanged(next);
    finish(group);
    expect(again).toEqual([{ epoch: 2, locks: [] }]);
    expect([group.at('a').member.retainedCount, group.at('b').member.retainedCount]).toEqual([0, 0]);
  });

  test('fails at a member that has not seen the view when a marker arrives: steps may overtake the marker', () => {
    const group = begun('li-hudak', 'ab');
    group.at('a').member.viewChanged(group.decide(view(2, 'a', 'b')));
    const snapshots = take(group, 'a');
    finish(group);
    expect(group.at('b').callbacks).toContain('too early');
    group.pass(100);
    expect(snapshots).toEqual([{ failed: expect.stringContaining('within 100 ms nothing came') }]);
  });

  test('fails until a view with members of an older version is installed', () => {
    const group = begun('li-hudak', 'ab', oldView);
    const snapshots = take(group, 'a');
    group.at('a').member.viewChanged(group.decide(oldView(2, 'a', 'b')));
    expect(snapshots).toEqual([{ failed: 'the view changed meanwhile' }]);
    expect(take(group, 'a')).toEqual([{ failed: 'the view is changing' }]);
    group.install(oldView(3, 'a', 'b'));
    finish(group);
    expect([group.at('a').member.retainedCount, group.at('b').member.retainedCount]).toEqual([0, 0]);
  });

  test('times out at every member when one is silent, and a late marker starts nothing', () => {
    const group = begun('li-hudak', 'abc');
    const snapshots = take(group, 'a');
    const toC = ({ to }: { to: MemberId }) => to === 'c';
    group.deliver((sent) => !toC(sent));
    group.pass(100);
    expect(snapshots).toEqual([
      { failed: expect.stringContaining('within 100 ms nothing came from a, b, c') },
    ]);
    group.pass(10_000);
    expect(['a', 'b'].map((id) => group.at(id).member.retainedCount)).toEqual([0, 0]);
    group.deliver();
    expect(['a', 'b'].map((id) => group.at(id).member.retainedCount)).toEqual([0, 0]);
    expect(group.messages).toEqual([]);
    const again = take(group, 'a');
    finish(group);
    expect(again).toMatchObject([{ epoch: 1, locks: [] }]);
  });

  test('fails at a member that left the group', () => {
    const group = begun('li-hudak', 'ab');
    group.at('a').member.end('left');
    expect(take(group, 'a')).toEqual([{ failed: 'this member is out of the group: left' }]);
  });
});
