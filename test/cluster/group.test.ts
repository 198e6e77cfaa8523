// The API, with several members in this process. They behave as in separate processes.
import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, test } from 'vitest';
import { algorithms, naimiTrehel } from '../../src/algorithms/index.ts';
import { Lock } from '../../src/cluster/group/lock.ts';
import { BatonError, type Group, join, type LockState } from '../../src/cluster/index.ts';
import { another, codeFrom, codeOf, members } from './members.ts';
import { inOwnDirectory } from './temporary-directory.ts';

inOwnDirectory();

describe('lock', () => {
  test('one holder at a time, between members and within one, with increasing fences', async () => {
    const all = await members(3);
    const fences: number[] = [];
    let inside = 0;
    const turn = async (group: Group) => {
      await using lock = await group.lock('a');
      inside += 1;
      expect(inside).toBe(1);
      fences.push(lock.fence);
      await sleep(1);
      inside -= 1;
    };
    await Promise.all([...all, ...all, ...all].map((group) => turn(group)));
    expect(fences).toEqual([...fences].sort((a, b) => a - b));
    expect(new Set(fences).size).toBe(9);
  });

  test('different names do not wait for each other', async () => {
    const [a, b] = (await members(2)) as [Group, Group];
    const first = await a.lock('a');
    const second = await b.lock('b', { timeoutMs: 5000 });
    expect([first.state, second.state]).toEqual(['held', 'held']);
  });

  test('after release the fence throws, and releasing again does nothing', async () => {
    const [group] = (await members(1)) as [Group];
    const lock = await group.lock('a');
    const states: LockState[] = [];
    lock.onChange((state) => states.push(state));
    await lock.release();
    const next = await group.lock('a');
    await lock.release();
    expect(next.state).toBe('held');
    expect(states).toEqual(['released']);
    expect(() => lock.fence).toThrow(expect.objectContaining({ code: 'released', definite: true }));
    expect(() => lock.assertHeld()).toThrow(BatonError);
  });

  test('a request that times out or is aborted never gets the lock later', async () => {
    const [a, b] = (await members(2)) as [Group, Group];
    const lock = await a.lock('a');
    const stop = new AbortController();
    const waits = [
      codeFrom(b.lock('a', { timeoutMs: 30 })),
      codeFrom(b.lock('a', { signal: stop.signal })),
      codeFrom(a.lock('a', { timeoutMs: 30 })),
    ];
    await sleep(60);
    stop.abort(new Error('enough'));
    expect(await Promise.all(waits)).toEqual(['timeout', 'aborted', 'timeout']);
    await lock.release();
    const next = await a.lock('a', { timeoutMs: 5000 }); // the lock is free
    expect((await a.inspect()).locks[0]!.waiters).toEqual([]);
    await next.release();
    expect(await codeFrom(b.lock('a', { signal: AbortSignal.abort() }))).toBe('aborted');
    await (await b.lock('a', { timeoutMs: 5000 })).release();
  });

  test('a loop that takes a lock repeatedly does not starve other members', async () => {
    const [a, b] = (await members(2)) as [Group, Group];
    let isServed = false;
    const other = sleep(20)
      .then(() => b.lock('a'))
      .then((lock) => {
        isServed = true;
        return lock.release();
      });
    while (!isServed) await (await a.lock('a')).release();
    await other;
  });
});

describe('tryLock', () => {
  test('returns null while the lock is held, here or elsewhere', async () => {
    const [a, b] = (await members(2)) as [Group, Group];
    const lock = await a.lock('a');
    expect(await a.tryLock('a')).toBeNull();
    expect(await b.tryLock('a')).toBeNull();
    await lock.release();
    const got = await b.tryLock('a');
    expect(got!.state).toBe('held');
    expect(await a.tryLock('a')).toBeNull();
  });
});

describe('lockAll', () => {
  test('two calls with the same names in different orders do not deadlock', async () => {
    const [a, b] = (await members(2)) as [Group, Group];
    const both = async (group: Group, wanted: string[]) => {
      for (let i = 0; i < 10; i += 1) {
        await using set = await group.lockAll(wanted, { timeoutMs: 10_000 });
        expect(set.get('x').fence).toBeGreaterThan(0);
        set.assertHeld();
      }
    };
    await Promise.all([both(a, ['x', 'y', 'z']), both(b, ['z', 'x', 'x', 'y'])]);
  });

  test('acquires all locks or none', async () => {
    const [a, b] = (await members(2)) as [Group, Group];
    const lock = await a.lock('y');
    expect(await codeFrom(b.lockAll(['x', 'y'], { timeoutMs: 30 }))).toBe('timeout');
    await (await a.lock('x', { timeoutMs: 5000 })).release();
    await lock.release();
  });
});

describe('views', () => {
  test('a lock stays held, with its fence, while others join and leave', async () => {
    const [a, b] = (await members(2)) as [Group, Group];
    const lock = await a.lock('a');
    const { fence } = lock;
    const next = b.lock('a');
    for (let i = 0; i < 3; i += 1) await (await another(a.name)).leave();
    expect(lock.fence).toBe(fence);
    expect(await Promise.race([next, sleep(50)])).toBeUndefined();
    await lock.release();
    expect((await next).fence).toBeGreaterThan(fence);
  });

  test('a waiting request is granted when the holder leaves', async () => {
    const [a, b, c] = (await members(3)) as [Group, Group, Group];
    const held = await a.lock('a');
    const waits = [b.lock('a'), c.lock('a')];
    await a.leave();
    const first = await Promise.race(waits);
    await first.release();
    await Promise.all(waits);
    expect(held.state).toBe('lost');
    expect(await codeFrom(a.lock('a'))).toBe('left');
  });

  test('waiting requests of a member that leaves fail', async () => {
    const [a, b] = (await members(2)) as [Group, Group];
    await a.lock('a');
    const wait = codeFrom(b.lock('a'));
    await b.leave();
    expect(await wait).toBe('left');
  });
});

describe('inspect', () => {
  test('rejects after leave, also if leave happens meanwhile', async () => {
    const [a, b] = (await members(2)) as [Group, Group];
    const meanwhile = codeFrom(b.inspect());
    const left = b.leave();
    expect(await meanwhile).toBe('left');
    await left;
    expect(await codeFrom(b.inspect())).toBe('left');
    expect((await a.inspect()).members.length).toBeGreaterThan(0);
  });

  test('reports the holder with its time, and the waiters in order', async () => {
    const [a, b, c] = (await members(3)) as [Group, Group, Group];
    const lock = await a.lock('a');
    const stop = new AbortController();
    const waits = [];
    for (const group of [b, c, a]) {
      waits.push(codeFrom(group.lock('a', { signal: stop.signal })));
      await sleep(5);
    }
    const { epoch, members: found, locks } = await c.inspect();
    expect(epoch).toBe(c.view!.epoch);
    expect(found.map(({ id, isMe, answered }) => [id, isMe, answered])).toEqual([
      [a.id, false, true],
      [b.id, false, true],
      [c.id, true, true],
    ]);
    expect(locks).toMatchObject([{ name: 'a', holder: { id: a.id, fence: lock.fence } }]);
    expect(locks[0]!.waiters.map(({ id }) => id)).toEqual([b.id, c.id, a.id]);
    expect(Date.now() - locks[0]!.holder!.since.getTime()).toBeLessThan(10_000);
    stop.abort();
    await Promise.all(waits);
  });
});

describe('algorithms', () => {
  const all = algorithms.filter(({ problem }) => problem === 'mutex');

  test.each(all.map(({ name }) => name))('%s passes locks between three members', async (algorithm) => {
    const group = await members(3, { algorithm });
    let inside = 0;
    const turns = group.map(async (member) => {
      for (let i = 0; i < 4; i += 1) {
        const lock: Lock = await member.lock('a', { timeoutMs: 20_000 });
        inside += 1;
        expect(inside).toBe(1);
        await sleep(1);
        inside -= 1;
        await lock.release();
        if (i === 1 && member === group[0]) await (await another(member.name, { algorithm })).leave();
      }
    });
    await Promise.all(turns);
  });

  test.each([
    ['naimi-trehel', 'maekawa'],
    ['maekawa', 'naimi-trehel'],
    ['carvalho-roucairol', 'lamport'],
  ])('%s for some and %s for others: never two holders', async (usual, other) => {
    const all = await members(4, { algorithm: usual });
    let inside = 0;
    const turn = async (member: Group, algorithm: string) => {
      for (let i = 0; i < 5; i += 1) {
        const lock = await member.lock('a', { algorithm, timeoutMs: 20_000 }).catch(codeOf);
        if (!(lock instanceof Lock)) {
          expect(lock).toBe('conflict');
          continue;
        }
        inside += 1;
        expect(inside).toBe(1);
        await sleep(1);
        inside -= 1;
        await lock.release();
      }
    };
    await Promise.all(all.map((member, i) => turn(member, i < 2 ? usual : other)));
    await turn(all[0]!, usual);
  });

  test('a custom one, given as an object', async () => {
    const mine = { ...naimiTrehel, name: 'mine' };
    const [a, b] = (await members(2, { algorithm: mine })) as [Group, Group];
    await (await a.lock('a')).release();
    await (await b.lock('a')).release();
    expect(a.view!.algorithm).toBe('mine');
  });

  test('one that differs from that of the group is refused, in join and in lock', async () => {
    const [a, b] = (await members(2)) as [Group, Group];
    await expect(join(a.name, { algorithm: 'lamport' })).rejects.toMatchObject({ code: 'conflict' });
    const lock = await a.lock('a', { algorithm: 'lamport' });
    await expect(a.lock('a')).rejects.toMatchObject({ code: 'conflict' });
    await expect(b.lock('a', { algorithm: 'raymond', timeoutMs: 5000 })).rejects.toMatchObject({
      code: 'conflict',
    });
    await lock.release();
    await expect(b.lock('b', { algorithm: 'lamprt' })).rejects.toMatchObject({ code: 'input' });
    await expect(join(a.name, { algorithm: 'lamprt' })).rejects.toThrow(/did you mean lamport/);
  });

  test.each([
    ['bully', 'bully is not an algorithm for mutual exclusion: see baton list'],
    ['dekker', "no algorithm for groups is called 'dekker': see baton list"],
    [
      'token-ring+bully',
      'token-ring+bully takes a late process for dead, so two could hold a lock: use token-ring',
    ],
    [
      'suzuki-kasami-forgets',
      "no algorithm for groups is called 'suzuki-kasami-forgets'; did you mean suzuki-kasami",
    ],
  ])('%s cannot be used for locks, which is reported', async (algorithm, says) => {
    await expect(join('any', { algorithm })).rejects.toMatchObject({ code: 'input' });
    await expect(join('any', { algorithm })).rejects.toThrow(says);
    const [a] = (await members(1)) as [Group];
    await expect(a.lock('a', { algorithm })).rejects.toThrow(says);
  });

  test('members know a composition by one name', async () => {
    const [a, b] = (await members(2)) as [Group, Group];
    const algorithm = 'raymond+chandy-lamport';
    await (await a.lock('a', { algorithm })).release();
    await (await b.lock('a', { algorithm })).release();
  });
});

test('half a lease without a renewal makes locks maybe lost, but they stay held', async () => {
  const [group] = (await members(1, { leaseMs: 2000 })) as [Group];
  const lock = await group.lock('a');
  const states: LockState[] = [];
  const doubts: boolean[] = [];
  lock.onChange((state) => states.push(state));
  group.on('doubt', (isDoubtful) => doubts.push(isDoubtful));
  for (const until = Date.now() + 1000; Date.now() < until; );
  expect([lock.state, group.state]).toEqual(['maybe lost', 'doubtful']);
  expect(lock.fence).toBeGreaterThan(0);
  await expect.poll(() => states, { timeout: 10_000 }).toEqual(['maybe lost', 'held']);
  expect(doubts).toEqual([true, false]);
});

test('an expired lease ends locks by the clocks, before any event is reported', async () => {
  const [a, b] = (await members(2, { leaseMs: 200 })) as [Group, Group];
  const lock = await a.lock('a');
  const lost: unknown[] = [];
  lock.signal.addEventListener('abort', () => lost.push(lock.signal.reason.code));
  for (const until = Date.now() + 250; Date.now() < until; ); // blocks both members while a holds the lock
  expect(lost).toEqual([]);
  expect(() => lock.fence).toThrow(expect.objectContaining({ code: 'lost', definite: false }));
  await lock.release(); // has no effect
  const next = await b.lock('a', { timeoutMs: 5000 });
  expect(next.fence).toBeGreaterThan(0);
  await expect.poll(() => lost).toEqual(['lost']);
  await (await Promise.all([next.release(), a.lock('b', { timeoutMs: 5000 })]))[1].release(); // a has rejoined the group
});
