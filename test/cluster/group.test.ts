// The API, with several members in this process: to each other they are as in processes of their own.
import { getEventListeners } from 'node:events';
import { type AddressInfo, createServer, type Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, describe, expect, test } from 'vitest';
import { algorithms, naimiTrehel } from '../../src/algorithms/index.ts';
import {
  BatonError,
  type Group,
  type JoinOptions,
  join,
  Lock,
  type LockState,
} from '../../src/cluster/index.ts';
import { inOwnDirectory } from './directory.ts';

inOwnDirectory();

let groups: Group[] = [];
let names = 0;
afterEach(async () => {
  await Promise.all(groups.map((group) => group.leave()));
  groups = [];
});

/** So many members of a new group. */
async function members(n: number, options: JoinOptions = {}): Promise<Group[]> {
  names += 1;
  const name = `group-${names}`;
  const joined: Group[] = [];
  for (let i = 0; i < n; i += 1) joined.push(await another(name, options));
  return joined;
}

async function another(name: string, options: JoinOptions = {}): Promise<Group> {
  const group = await join(name, options);
  groups.push(group);
  return group;
}

const codeOf = (error: unknown) => (error instanceof BatonError ? error.code : error);
const codeFrom = (promise: Promise<unknown>) => promise.then(() => 'none', codeOf);

describe('lock', () => {
  test('one at a time, between members and within one, with rising fences', async () => {
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

  test('a wait that times out or is aborted never wins later', async () => {
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
    const next = await a.lock('a', { timeoutMs: 5000 }); // nobody else has it
    expect((await a.inspect()).locks[0]!.waiters).toEqual([]);
    await next.release();
    expect(await codeFrom(b.lock('a', { signal: AbortSignal.abort() }))).toBe('aborted');
    await (await b.lock('a', { timeoutMs: 5000 })).release();
  });

  test('nothing is taken with a signal that has aborted, be it free', async () => {
    const [group] = (await members(1)) as [Group];
    await (await group.lock('a')).release();
    const signal = AbortSignal.abort();
    expect(await codeFrom(group.lock('a', { signal }))).toBe('aborted');
    expect(await codeFrom(group.tryLock('a', { signal }))).toBe('aborted');
    expect(await codeFrom(group.lockAll(['a', 'b'], { signal }))).toBe('aborted');
    expect((await group.inspect()).locks.filter(({ holder }) => holder !== null)).toEqual([]);
  });

  test('one signal may be that of many waits, and is let go by those that are served', async () => {
    const [group] = (await members(1)) as [Group];
    const warnings: string[] = [];
    const warned = ({ name }: Error) => warnings.push(name);
    process.on('warning', warned);
    const stop = new AbortController();
    const { signal } = stop;
    const held = await group.lock('a');
    const served = group.lock('a', { signal });
    const waits = Array.from({ length: 30 }, () => codeFrom(group.lock('a', { signal })));
    await held.release();
    const lock = await served;
    stop.abort();
    expect(new Set(await Promise.all(waits))).toEqual(new Set(['aborted']));
    expect(lock.state).toBe('held');
    expect(getEventListeners(signal, 'abort')).toEqual([]);
    await sleep(1);
    process.off('warning', warned);
    expect(warnings).toEqual([]);
  });

  test('a loop that takes a lock again and again does not keep it from others', async () => {
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

  test('a time that cannot be is refused, and one of months or for ever is waited', async () => {
    const warnings: string[] = [];
    const warned = ({ name }: Error) => warnings.push(name);
    process.on('warning', warned);
    const [group] = (await members(1)) as [Group];
    const held = await group.lockAll(['a', 'b']);
    for (const timeoutMs of [Number.NaN, -5, 'abc', '5', null, {}] as number[])
      for (const call of [
        () => group.lock('a', { timeoutMs }),
        () => group.tryLock('c', { timeoutMs }),
        () => group.lockAll(['a', 'b'], { timeoutMs }),
      ])
        await expect(call()).rejects.toThrow(
          expect.objectContaining({
            code: 'input',
            message: expect.stringMatching(/^timeoutMs is a number of milliseconds/),
          }),
        );
    const waits = [Infinity, 3e9, 2 ** 31].flatMap((timeoutMs) => [
      group.lock('a', { timeoutMs }),
      group.lockAll(['a', 'b'], { timeoutMs }),
    ]);
    expect(await Promise.race([...waits.map(codeFrom), sleep(50)])).toBeUndefined();
    await held.release();
    for (const wait of waits) await (await wait).release();
    process.off('warning', warned);
    expect(warnings).toEqual([]);
  });

  test('names that cannot be are refused in a sentence', async () => {
    const [group] = (await members(1)) as [Group];
    for (const name of ['', '\u0001a', 'x'.repeat(201)]) {
      await expect(group.lock(name)).rejects.toMatchObject({ code: 'input' });
      await expect(group.tryLock(name)).rejects.toThrow(/1 to 200 characters/);
    }
    for (const name of ['__proto__', 'constructor', 'ä ö/..']) await (await group.lock(name)).release();
  });
});

describe('join', () => {
  test('with a signal that has aborted is not tried', async () => {
    const reason = new Error('enough');
    await expect(join('never', { signal: AbortSignal.abort(reason) })).rejects.toThrow(
      expect.objectContaining({ name: 'BatonError', code: 'aborted', cause: reason }),
    );
  });

  test.each(['redis', 'postgres', 'etcd'])(
    'is given up at once while %s does not answer, and what it had is closed',
    { timeout: 30_000 },
    async (scheme) => {
      const sockets = new Set<Socket>();
      const silent = createServer((socket) => {
        sockets.add(socket);
        socket
          .on('close', () => sockets.delete(socket))
          .on('error', () => {})
          .resume();
      });
      await new Promise<void>((resolve) => silent.listen(0, '127.0.0.1', resolve));
      const { port } = silent.address() as AddressInfo;
      const begun = performance.now();
      const signal = AbortSignal.timeout(300);
      expect(await codeFrom(join('never', { engine: `${scheme}://127.0.0.1:${port}`, signal }))).toBe(
        'aborted',
      );
      expect(performance.now() - begun).toBeLessThan(2000);
      await expect.poll(() => sockets.size, { timeout: 20_000 }).toBe(0);
      silent.close();
    },
  );
});

describe('tryLock', () => {
  test('null while somebody holds it, here or elsewhere', async () => {
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
  test('two who want the same in another order do not deadlock', async () => {
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

  test('takes all or nothing', async () => {
    const [a, b] = (await members(2)) as [Group, Group];
    const lock = await a.lock('y');
    expect(await codeFrom(b.lockAll(['x', 'y'], { timeoutMs: 30 }))).toBe('timeout');
    await (await a.lock('x', { timeoutMs: 5000 })).release();
    await lock.release();
  });
});

describe('views', () => {
  test('a lock that is held stays held, with its fence, while others join and leave', async () => {
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

  test('what is waited for is granted when its holder leaves', async () => {
    const [a, b, c] = (await members(3)) as [Group, Group, Group];
    const held = await a.lock('a');
    const waits = [b.lock('a'), c.lock('a')];
    await a.leave();
    const first = await Promise.race(waits);
    await first.release();
    await Promise.all(waits);
    expect(held.state).toBe('released');
    expect(await codeFrom(a.lock('a'))).toBe('left');
  });

  test('waits of who leaves fail', async () => {
    const [a, b] = (await members(2)) as [Group, Group];
    await a.lock('a');
    const wait = codeFrom(b.lock('a'));
    await b.leave();
    expect(await wait).toBe('left');
  });
});

describe('elections', () => {
  test('one leader; when it resigns another leads, with a larger term, and all hear of it', async () => {
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

  test('who looks on sees first that nobody leads, or who does, until the group is left', async () => {
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

  test('of those that stand the one with the highest priority takes over', async () => {
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

describe('inspect', () => {
  test('is refused when the group has been left, also meanwhile', async () => {
    const [a, b] = (await members(2)) as [Group, Group];
    const meanwhile = codeFrom(b.inspect());
    const left = b.leave();
    expect(await meanwhile).toBe('left');
    await left;
    expect(await codeFrom(b.inspect())).toBe('left');
    expect((await a.inspect()).members.length).toBeGreaterThan(0);
  });

  test('who holds since when, and who waits in which order', async () => {
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

  test.each(all.map(({ name }) => name))('%s hands locks on between three members', async (algorithm) => {
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
  ])('%s for some and %s for others: never two inside', async (usual, other) => {
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

  test('one of your own, given as an object', async () => {
    const mine = { ...naimiTrehel, name: 'mine' };
    const [a, b] = (await members(2, { algorithm: mine })) as [Group, Group];
    await (await a.lock('a')).release();
    await (await b.lock('a')).release();
    expect(a.view!.algorithm).toBe('mine');
  });

  test('another than the group has is refused, in join and in lock', async () => {
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
});

test('half a lease without a renewal is told as maybe lost, and what is held stays held', async () => {
  const [group] = (await members(1, { leaseMs: 2000 })) as [Group];
  const lock = await group.lock('a');
  const states: LockState[] = [];
  const doubts: boolean[] = [];
  lock.onChange((state) => states.push(state));
  group.on('doubt', (isDoubtful) => doubts.push(isDoubtful));
  for (const until = Date.now() + 1000; Date.now() < until; );
  expect(lock.state).toBe('maybe lost');
  expect(lock.fence).toBeGreaterThan(0);
  await expect.poll(() => states, { timeout: 10_000 }).toEqual(['maybe lost', 'held']);
  expect(doubts).toEqual([true, false]);
});

test('a lease that is over ends what is held, by the clocks and before anything is told', async () => {
  const [a, b] = (await members(2, { leaseMs: 200 })) as [Group, Group];
  const lock = await a.lock('a');
  const lost: unknown[] = [];
  lock.signal.addEventListener('abort', () => lost.push(lock.signal.reason.code));
  for (const until = Date.now() + 250; Date.now() < until; ); // both are blocked; a holds
  expect(lost).toEqual([]);
  expect(() => lock.fence).toThrow(expect.objectContaining({ code: 'lost', definite: false }));
  await lock.release(); // harms nobody
  const next = await b.lock('a', { timeoutMs: 5000 });
  expect(next.fence).toBeGreaterThan(0);
  await expect.poll(() => lost).toEqual(['lost']);
  await (await Promise.all([next.release(), a.lock('b', { timeoutMs: 5000 })]))[1].release(); // and it is back in the group
});
