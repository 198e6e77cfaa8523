import { describe, expect, test } from 'vitest';
import type { Group } from '../../src/cluster/index.ts';
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
