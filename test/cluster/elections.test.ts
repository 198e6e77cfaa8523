import { describe, expect, test } from 'vitest';
import { algorithms, changRoberts, itaiRodehSynchronous } from '../../src/algorithms/index.ts';
import { whyNotInGroups } from '../../src/cluster/group/election-algorithm.ts';
import { BatonError, type Group } from '../../src/cluster/index.ts';
import type { AnyAlgorithm } from '../../src/core/algorithm.ts';
import { another, members } from './members.ts';
import { inOwnDirectory } from './temporary-directory.ts';

inOwnDirectory();

describe('elections', () => {
  test('one leader; when it resigns another one leads with a higher term, and all members learn of it', async () => {
    const [a, b, c] = (await members(3)) as [Group, Group, Group];
    const seen: (string | undefined)[] = [];
    const stop = new AbortController();
    const observing = (async () => {
      for await (const leader of c.election('e').observe({ signal: stop.signal })) seen.push(leader?.id);
    })();
    const terms = [a, b].map((group) => group.election('e').terms());
    const { value: first } = await terms[0]!.next();
    const second = terms[1]!.next();
    const fence = first!.fence;
    expect(a.election('e').leader).toMatchObject({ id: a.id, isMe: true, term: fence });
    await expect.poll(() => seen).toEqual([undefined, a.id]);
    await first!.resign();
    const { value: term } = await second;
    expect(term!.fence).toBeGreaterThan(fence);
    await expect.poll(() => c.election('e').leader).toMatchObject({ id: b.id, isMe: false });
    expect((await c.inspect()).elections).toMatchObject([{ name: 'e', leader: { id: b.id } }]);
    await Promise.all(terms.map((each) => each.return()));
    await expect.poll(() => c.election('e').leader).toBeNull();
    stop.abort();
    await observing;
    expect(seen.filter((id) => id !== undefined)).toEqual([a.id, b.id]);
  });

  test('observe yields the current leader or null first, and ends when the group is left', async () => {
    const [a, b] = (await members(2)) as [Group, Group];
    const watch = async (group: Group, seen: unknown[]) => {
      for await (const leader of group.election('e').observe({ signal: undefined }))
        seen.push(leader === null ? null : leader.id);
    };
    const [early, late]: unknown[][] = [[], []];
    const watching = [watch(b, early!)];
    await expect.poll(() => early).toEqual([null]);
    const { value: term } = await a.election('e').terms({ signal: undefined }).next();
    await expect.poll(() => early).toEqual([null, a.id]);
    watching.push(watch(b, late!));
    await expect.poll(() => late).toEqual([a.id]);
    await b.leave();
    await Promise.all(watching);
    expect((await b.election('e').observe().next()).done).toBe(true);
    await term!.resign();
  });

  test('members that join during a term learn its leader, and that it ends; the term goes on', async () => {
    const [a, b] = (await members(2)) as [Group, Group];
    const { value: term } = await a.election('e').terms().next();
    const known: unknown[] = [];
    (async () => {
      for await (const leader of b.election('e').observe()) known.push(leader?.id);
    })();
    await expect.poll(() => known.at(-1)).toBe(a.id);
    const before = known.length;
    for (let k = 0; k < 5; k += 1) {
      const newcomer = await another(a.name, { priority: k });
      const seen: unknown[] = [];
      (async () => {
        for await (const leader of newcomer.election('e').observe()) seen.push(leader?.term ?? null);
      })();
      await expect.poll(() => seen.at(-1)).toBe(term!.fence);
      expect(newcomer.election('e').leader).toMatchObject({ id: a.id, isMe: false });
    }
    expect([term!.state, known.length]).toEqual(['held', before]); // nobody doubted the leader when others joined
    await term!.resign();
    await expect.poll(() => b.election('e').leader).toBeNull();
  });

  test('leaving the loop resigns; aborting ends it', async () => {
    const [a, b] = (await members(2)) as [Group, Group];
    for await (const term of a.election('e').terms()) {
      term.assertLeading();
      break;
    }
    const stop = new AbortController();
    let turns = 0;
    for await (const term of b.election('e').terms({ signal: stop.signal })) {
      turns += 1;
      expect(term.state).toBe('held');
      if (turns === 3) stop.abort();
    }
    expect(turns).toBe(3);
  });

  test('the candidate with the highest priority takes over', async () => {
    const [a] = (await members(1)) as [Group];
    const low = await another(a.name, { priority: 1 });
    const high = await another(a.name, { priority: 7 });
    const onlooker = await another(a.name);
    const { value: term } = await a.election('e').terms().next();
    const order: string[] = [];
    await expect
      .poll(() => [onlooker, low].map((group) => group.election('e').leader?.id))
      .toEqual([a.id, a.id]);
    const seen: unknown[][] = [onlooker, low].map((group) => {
      const leaders: unknown[] = [];
      group.on('leader', (_, leader) => leaders.push(leader?.id ?? null));
      return leaders;
    });
    const stand = async (group: Group, name: string) => {
      for await (const _ of group.election('e').terms()) {
        order.push(name);
        return;
      }
    };
    const standing = [stand(low, 'low'), stand(high, 'high')];
    await expect.poll(async () => (await a.inspect()).elections[0]!.candidates.length).toBe(2);
    await term!.resign();
    await Promise.all(standing);
    expect(order).toEqual(['high', 'low']);
    for (const leaders of seen) await expect.poll(() => leaders).toEqual([null, high.id, null, low.id, null]);
    expect(low.election('e').leader).toBeNull();
  });
});

describe('elections by algorithm', () => {
  const by = (group: Group, algorithm?: string) => group.election('e', { algorithm });
  const first = async (group: Group, algorithm?: string) => {
    const terms = by(group, algorithm).terms();
    const { value } = await terms.next();
    return { terms, term: value! };
  };

  test('the algorithm chooses the next leader by priority, and inspect lists the candidates', async () => {
    const [a] = (await members(1)) as [Group];
    const [b, c] = [await another(a.name, { priority: 9 }), await another(a.name, { priority: 5 })];
    const { term, terms } = await first(a, 'chang-roberts');
    const fence = term.fence;
    const others = [c, b].map((group) => by(group, 'chang-roberts').terms());
    const next = others.map((one) => one.next());
    await expect
      .poll(async () => (await a.inspect()).elections)
      .toMatchObject([{ name: 'e', leader: { id: a.id, term: fence } }]);
    await expect
      .poll(async () => (await a.inspect()).elections[0]?.candidates.map(({ id }) => id).sort())
      .toEqual([b.id, c.id].sort());
    await terms.return();
    const { value: second } = await next[1]!;
    expect(second!.fence).toBeGreaterThan(fence);
    await expect.poll(() => a.election('e').leader).toMatchObject({ id: b.id, term: second!.fence });
    await others[1]!.return();
    const { value: third } = await next[0]!;
    expect(third!.fence).toBeGreaterThan(0);
    await others[0]!.return();
  });

  test.each([
    [
      'chang-roberts',
      'bully',
      "election 'e' is decided by chang-roberts in this group: name the same algorithm in every process",
    ],
    [
      'chang-roberts',
      undefined,
      "election 'e' is decided by chang-roberts in this group: name the same algorithm in every process",
    ],
    [
      undefined,
      'bully',
      "election 'e' is decided without an algorithm in this group: name the same algorithm in every process, or none",
    ],
  ])('candidates with %s refuse one with %s', async (used, other, message) => {
    const [a, b] = (await members(2)) as [Group, Group];
    const { terms } = await first(a, used);
    await expect.poll(() => b.election('e').leader?.id).toBe(a.id);
    for (const group of [a, b])
      await expect(by(group, other).terms().next()).rejects.toMatchObject({ code: 'conflict', message });
    await terms.return();
  });

  test('a candidate that is aborted never leads', async () => {
    const [a, b] = (await members(2)) as [Group, Group];
    const { terms } = await first(a, 'peterson');
    const stop = new AbortController();
    const waiting = by(b, 'peterson').terms({ signal: stop.signal }).next();
    await expect.poll(async () => (await a.inspect()).elections[0]?.candidates.length).toBe(1);
    stop.abort();
    expect((await waiting).done).toBe(true);
    await terms.return();
    expect((await a.inspect()).elections).toEqual([]);
  });

  test('an alias is the algorithm itself', async () => {
    const [a, b] = (await members(2)) as [Group, Group];
    const { terms } = await first(a, 'active-list-ring');
    const next = by(b, 'le-lann').terms();
    const second = next.next();
    await terms.return();
    expect((await second).value!.state).toBe('held');
    await next.return();
  });

  test.each<[unknown, string | RegExp]>([
    [{ algorithm: 'raymond' }, 'raymond is not an election algorithm: see baton list'],
    [{ algorithm: 'bakery' }, "no algorithm for groups is called 'bakery'"],
    [
      { algorithm: 'chang-robert' },
      "no algorithm for groups is called 'chang-robert'; did you mean chang-roberts",
    ],
    [{ algorithm: 'bully+chandy-lamport' }, 'a group takes its own snapshots: use bully, without a suffix'],
    [{ algorithm: 7 }, "algorithm is a name, like 'chang-roberts', not 7"],
    [{ algorithms: 'bully' }, /did you mean algorithm/],
    ['bully', /options are an object/],
  ])('the options %j are refused', async (options, message) => {
    const [a] = (await members(1)) as [Group];
    const call = () => a.election('e', options as { algorithm: string });
    expect(call).toThrow(BatonError);
    expect(call).toThrow(message);
  });

  test('an algorithm that needs lock-step is refused', () => {
    expect(whyNotInGroups(itaiRodehSynchronous)).toBe(
      'itai-rodeh-synchronous needs processes that take their steps at the same time, which real ones do not: use another election algorithm',
    );
  });

  test('an algorithm that never stops sending is refused', () => {
    const all = [{ ...(changRoberts as AnyAlgorithm), perpetual: true as const }, ...algorithms];
    for (const one of all.filter(({ problem, perpetual }) => problem === 'election' && perpetual))
      expect(whyNotInGroups(one)).toBe(
        `${one.name} never stops sending messages, to find out which processes are alive: a group already knows that, so use another election algorithm`,
      );
  });
});
