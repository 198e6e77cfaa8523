// Leaving a group while locks and terms are held.
import { readFileSync } from 'node:fs';
import { join as path } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, test } from 'vitest';
import { centralCoordinator } from '../../src/algorithms/index.ts';
import { BatonError, type Group, join, type LeaveOptions } from '../../src/cluster/index.ts';
import type { AnyAlgorithm } from '../../src/core/algorithm.ts';
import { hash } from '../../src/core/random.ts';
import { start } from './child-program.ts';
import { another, codeFrom, members } from './members.ts';
import { inOwnDirectory } from './temporary-directory.ts';

inOwnDirectory();

/** What a process can hold: the signal aborts when it is lost. */
interface Held {
  readonly signal: AbortSignal;
}

const kinds: readonly (readonly [string, (group: Group) => Promise<Held>])[] = [
  ['lock', (group) => group.lock('a')],
  ['lockAll', (group) => group.lockAll(['a', 'b'])],
  ['term', async (group) => (await group.election('e').terms().next()).value!],
];

describe.each(kinds)('the next holder of a %s', (kind, enter) => {
  test('enters after the signal of the previous one has aborted, in one process', async () => {
    const [a, b] = (await members(2)) as [Group, Group];
    const order: string[] = [];
    const held = await enter(a);
    held.signal.addEventListener('abort', () => order.push('aborted'));
    const next = enter(b).then(() => order.push('entered'));
    await sleep(20);
    await a.leave();
    expect(held.signal.reason).toMatchObject({ name: 'BatonError', code: 'left', definite: false });
    await next;
    expect(order).toEqual(['aborted', 'entered']);
  });

  test('enters after code that waits for that signal has stopped', async () => {
    const [a, b] = (await members(2)) as [Group, Group];
    const order: string[] = [];
    const held = await enter(a);
    const working = sleep(60_000, null, { signal: held.signal })
      .catch(() => {})
      .finally(() => order.push('stopped'));
    const next = enter(b).then(() => order.push('entered'));
    await a.leave({ drainMs: 10 });
    await Promise.all([working, next]);
    expect(order).toEqual(['stopped', 'entered']);
  });

  test('enters after the signal of the previous one has aborted, in another process', {
    timeout: 60_000,
  }, async () => {
    const log = path(process.env.BATON_DIR!, `log-${kind}`);
    const all = [start('leaving', [log, kind]), start('leaving', [log, kind]), start('leaving', [log, kind])];
    for (const one of all) await one.ready('joined');
    for (let left = all.length; left > 0; left -= 1) {
      const holder = () => all.find(({ lines }) => lines.includes('ready'));
      await expect.poll(holder, { timeout: 20_000 }).toBeDefined();
      const [ended] = all.splice(all.indexOf(holder()!), 1);
      ended!.signal('SIGTERM');
      expect(await ended!.ended).toEqual({ code: 0, signal: null });
    }
    const lines = readFileSync(log, 'utf8').trim().split('\n');
    expect(lines.map((line) => line.replace(/ \d+$/, ''))).toEqual(
      [1, 2, 3].flatMap(() => ['entered', 'aborted by left']),
    );
    const pids = lines.map((line) => line.split(' ').at(-1));
    expect([pids[0], pids[2], pids[4]]).toEqual([pids[1], pids[3], pids[5]]);
  });
});

describe('leave', () => {
  test('a lock that is still held is lost, everywhere it shows', async () => {
    const [group] = (await members(1)) as [Group];
    const [lock, unobserved] = [await group.lock('a'), await group.lock('b')];
    const told: unknown[] = [];
    lock.onChange((state) => told.push(state));
    group.on('lost', ({ name }, cause) => told.push([name, cause]));
    const leaving = group.leave();
    expect([lock.state, group.state]).toEqual(['lost', 'left']);
    const left = expect.objectContaining({ code: 'left', definite: false });
    expect(() => lock.fence).toThrow(left);
    expect(() => lock.assertHeld()).toThrow(left);
    expect(lock.signal.reason).toEqual(left);
    expect(unobserved.signal.reason).toEqual(left); // a signal that nobody had asked for
    await lock.release(); // has no effect
    await leaving;
    expect(told).toEqual(['lost', ['a', 'left'], ['b', 'left']]);
    expect(lock.state).toBe('lost');
  });

  test('a term says which election it was', async () => {
    const [group] = (await members(1)) as [Group];
    const { value: term } = await group.election('e').terms().next();
    await group.leave();
    expect(() => term!.assertLeading()).toThrow(
      "the term of election 'e' is lost: this process leaves the group",
    );
  });

  test('new and waiting calls reject at once, while held locks may finish', async () => {
    const [a, b] = (await members(2)) as [Group, Group];
    const held = await a.lock('a');
    const { value: term } = await a.election('e').terms().next();
    const waits = [a.lock('a'), a.tryLock('a'), a.lockAll(['0', 'a']), a.withLock('a', () => 1)].map(
      codeFrom,
    );
    let isLeft = false;
    const leaving = a.leave({ drainMs: 60_000 }).then(() => {
      isLeft = true;
    });
    expect(a.state).toBe('left');
    expect(await Promise.all(waits)).toEqual(['left', 'none', 'left', 'left']); // the try was answered before
    expect(await codeFrom(a.lock('b'))).toBe('left');
    expect(await codeFrom(a.inspect())).toBe('left');
    expect(await a.election('f').terms().next()).toMatchObject({ done: true });
    const next = b.lock('a');
    await sleep(30);
    expect([held.state, term!.state, held.signal.aborted, isLeft]).toEqual(['held', 'held', false, false]);
    await held.release();
    expect((await next).state).toBe('held');
    expect([term!.state, isLeft]).toEqual(['held', false]);
    await term!.resign();
    await leaving; // long before the drain is over
    expect([held.state, term!.state]).toEqual(['released', 'released']);
  });

  test('the loop over terms ends when its iteration does', async () => {
    const [group] = (await members(1)) as [Group];
    const done: string[] = [];
    const loop = (async () => {
      for await (const term of group.election('e').terms()) {
        await sleep(30);
        done.push(term.state);
      }
    })();
    await expect.poll(() => group.election('e').leader).not.toBeNull();
    await group.leave({ drainMs: 60_000 });
    await loop;
    expect(done).toEqual(['held']);
  });

  test('the lease is renewed during the drain', async () => {
    const [a, b] = (await members(2, { leaseMs: 800 })) as [Group, Group];
    const held = await a.lock('a');
    const next = b.lock('a');
    const leaving = a.leave({ drainMs: 60_000 });
    for (let i = 0; i < 30; i += 1) {
      await sleep(50);
      held.assertHeld();
    }
    await held.release();
    await Promise.all([leaving, next]);
  });

  test('a member that joins during the drain gets the lock when it is released', async () => {
    const [a] = (await members(1)) as [Group];
    const held = await a.lock('a');
    const leaving = a.leave({ drainMs: 60_000 });
    const b = await another(a.name);
    const next = b.lock('a');
    expect(await Promise.race([next, sleep(30)])).toBeUndefined();
    held.assertHeld();
    await held.release();
    await Promise.all([next, leaving]);
  });

  test('a signal ends the drain', async () => {
    const [group] = (await members(1)) as [Group];
    const held = await group.lock('a');
    const stop = new AbortController();
    const leaving = group.leave({ drainMs: Number.POSITIVE_INFINITY, signal: stop.signal });
    await sleep(20);
    expect(held.state).toBe('held');
    stop.abort();
    await leaving;
    expect(held.signal.reason).toMatchObject({ code: 'left' });
  });

  test('a signal that has aborted before leaves no drain', async () => {
    const [group] = (await members(1)) as [Group];
    const held = await group.lock('a');
    const leaving = group.leave({ drainMs: 60_000, signal: AbortSignal.abort() });
    expect(held.state).toBe('lost');
    await leaving;
  });

  test('a second call shortens the drain, and never extends it; both resolve together', async () => {
    const [group] = (await members(1)) as [Group];
    const held = await group.lock('a');
    const settled: string[] = [];
    const first = group.leave({ drainMs: 60_000 }).then(() => settled.push('first'));
    const second = group.leave({ drainMs: 30 }).then(() => settled.push('second'));
    const third = group.leave({ drainMs: 60_000 }).then(() => settled.push('third'));
    expect(held.state).toBe('held');
    await first;
    await sleep(0);
    expect(settled).toEqual(['first', 'second', 'third']);
    await Promise.all([second, third]);
    expect(held.state).toBe('lost');
    await group.leave();
  });

  test('a second call without a drain ends it at once', async () => {
    const [group] = (await members(1)) as [Group];
    const held = await group.lock('a');
    const first = group.leave({ drainMs: 60_000 });
    await group.leave();
    await first;
    expect(held.state).toBe('lost');
  });

  test('the end of a block leaves without a drain', async () => {
    let held: { readonly state: string } | null = null;
    {
      await using group = await join('block');
      held = await group.lock('a');
    }
    expect(held.state).toBe('lost');
  });

  test('a member that is removed during the drain loses its locks and does not rejoin', async () => {
    const [a, b] = (await members(2, { leaseMs: 300 })) as [Group, Group];
    const held = await a.lock('a');
    const next = b.lock('a');
    const events: unknown[] = [];
    for (const event of ['out', 'joined'] as const) a.on(event, () => events.push(event));
    const leaving = a.leave({ drainMs: 60_000 });
    for (const until = Date.now() + 400; Date.now() < until; ); // for longer than the lease
    await leaving;
    expect(held.signal.reason).toMatchObject({ code: 'lost', message: "lock 'a' is lost: lease over" });
    expect([events, a.state]).toEqual([['out'], 'left']);
    await next;
    await expect.poll(() => b.view?.members.length).toBe(1);
  });

  test('a member whose algorithm breaks during the drain loses its locks, says why and leaves', async () => {
    const request = () => {
      throw new Error('stuck');
    };
    const algorithm: AnyAlgorithm = {
      ...(centralCoordinator as AnyAlgorithm),
      name: 'flawed',
      on: { ...centralCoordinator.on, request },
    };
    const [a, b] = (await members(2, { algorithm })) as [Group, Group];
    const name = [...'abcdef'].find((each) => (hash(each) >>> 0) % 2 === 0)!; // the oldest member coordinates it
    const held = await a.lock(name);
    const outs: string[] = [];
    a.on('out', (why) => outs.push(why));
    const leaving = a.leave({ drainMs: 60_000 });
    const next = b.lock(name);
    await leaving;
    await next;
    expect(outs).toEqual([expect.stringContaining('stuck')]);
    expect(held.signal.reason).toMatchObject({ code: 'lost', message: `lock '${name}' is lost: broken` });
    expect(await codeFrom(a.lock('z'))).toBe('left');
  });

  test('wrong options are refused, and change nothing', async () => {
    const [group] = (await members(1)) as [Group];
    const held = await group.lock('a');
    const wrong: readonly (readonly [unknown, string])[] = [
      [{ drain: 5 }, "leave has no option 'drain'"],
      [{ drainMs: -1 }, 'drainMs is a number of milliseconds, like 10000, or Infinity, not -1'],
      [{ drainMs: Number.NaN }, 'not NaN'],
      [{ drainMs: '5' }, 'not "5"'],
      [{ signal: {} }, 'signal is an AbortSignal, not an object'],
      [5, 'options are an object'],
      [null, 'options are an object'],
    ];
    for (const [options, message] of wrong) {
      const error = await group.leave(options as LeaveOptions).catch((thrown) => thrown);
      expect(error).toBeInstanceOf(BatonError);
      expect([error.code, error.message]).toEqual(['input', expect.stringContaining(message)]);
    }
    expect([held.state, group.state]).toEqual(['held', 'member']);
  });
});

describe('terms', () => {
  test('the signal of the loop aborts that of the term, with its reason, while this process still leads', async () => {
    const [a, b] = (await members(2)) as [Group, Group];
    const stop = new AbortController();
    const order: unknown[] = [];
    const terms = a.election('e').terms({ signal: stop.signal });
    const { value: term } = await terms.next();
    term!.signal.addEventListener('abort', () => order.push(term!.signal.reason));
    const next = b.election('e').terms().next();
    next.then(() => order.push('next'));
    stop.abort('stopping');
    expect([order, term!.state]).toEqual([['stopping'], 'held']);
    await sleep(30);
    term!.assertLeading();
    expect((await terms.next()).done).toBe(true);
    await next;
    expect(order).toEqual(['stopping', 'next']);
  });

  test('a signal that is first read after the loop was stopped has aborted', async () => {
    const [group] = (await members(1)) as [Group];
    const stop = new AbortController();
    const { value: term } = await group.election('e').terms({ signal: stop.signal }).next();
    stop.abort('stopping');
    expect(term!.signal.reason).toBe('stopping');
  });

  test('a term that is lost aborts its signal, also in a loop with a signal', async () => {
    const [group] = (await members(1)) as [Group];
    const { value: term } = await group.election('e').terms({ signal: new AbortController().signal }).next();
    expect(term!.signal.aborted).toBe(false);
    await group.leave();
    expect(term!.signal.reason).toMatchObject({ code: 'left' });
  });
});
