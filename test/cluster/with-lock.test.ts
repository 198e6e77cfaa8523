import { setTimeout as sleep } from 'node:timers/promises';
import { expect, expectTypeOf, test } from 'vitest';
import type { Group, Lock } from '../../src/cluster/index.ts';
import { codeFrom, members } from './members.ts';
import { inOwnDirectory } from './temporary-directory.ts';

inOwnDirectory();

test('resolves with the result of the work, and releases the lock', async () => {
  const [group] = (await members(1)) as [Group];
  let held: Lock | null = null;
  const result = await group.withLock('a', async (lock) => {
    held = lock;
    expect(await codeFrom(group.lock('a', { timeoutMs: 5 }))).toBe('timeout');
    return lock.fence;
  });
  expectTypeOf(result).toEqualTypeOf<number>();
  expect(result).toBeGreaterThan(0);
  expect(held!.state).toBe('released');
  const text = await group.withLock('a', { timeoutMs: 2000 }, ({ name }) => name); // without a promise
  expectTypeOf(text).toEqualTypeOf<string>();
  expect(text).toBe('a');
});

test('releases the lock when the work fails, and rejects with its error', async () => {
  const [group] = (await members(1)) as [Group];
  const failure = new Error('no paper');
  await expect(group.withLock('a', () => Promise.reject(failure))).rejects.toBe(failure);
  await expect(
    group.withLock('a', {}, () => {
      throw failure;
    }),
  ).rejects.toBe(failure);
  expect(await codeFrom(group.lock('a', { timeoutMs: 0 }))).toBe('none');
});

test('does not start the work without the lock', async () => {
  const [group] = (await members(1)) as [Group];
  await group.lock('a');
  const work = () => expect.unreachable();
  expect(await codeFrom(group.withLock('a', { timeoutMs: 5 }, work))).toBe('timeout');
  expect(await codeFrom(group.withLock('a', { signal: AbortSignal.abort() }, work))).toBe('aborted');
  expect(await codeFrom(group.withLock('', work))).toBe('input');
});

test('resolves if the work has released the lock itself', async () => {
  const [group] = (await members(1)) as [Group];
  expect(await group.withLock('a', (lock) => lock.release().then(() => 7))).toBe(7);
});

test('rejects with the loss of the lock if it is lost before the work ends', async () => {
  const [group] = (await members(1)) as [Group];
  const working = group.withLock('a', async (lock) => {
    await new Promise((resolve) => lock.signal.addEventListener('abort', resolve));
    return 'done';
  });
  const failing = group.withLock('b', (lock) => sleep(60_000, null, { signal: lock.signal }));
  const asserting = group.withLock('c', async (lock) => {
    await new Promise((resolve) => lock.signal.addEventListener('abort', resolve));
    lock.assertHeld();
  });
  const all = Promise.allSettled([working, failing, asserting]);
  await sleep(5);
  await group.leave();
  const reasons = (await all).map((one) => (one.status === 'rejected' ? one.reason : null));
  expect(reasons[0]).toMatchObject({ code: 'left', definite: false });
  expect(reasons[1]).toMatchObject({ code: 'left', definite: false, cause: { name: 'AbortError' } });
  expect([reasons[2].code, reasons[2].cause]).toEqual(['left', undefined]); // not its own cause
});

test('rejects with `lost` if the lease ended by the clocks, before any event is reported', async () => {
  const [group] = (await members(1, { leaseMs: 200 })) as [Group];
  const block = () => {
    for (const until = Date.now() + 250; Date.now() < until; );
  };
  await expect(group.withLock('a', block)).rejects.toMatchObject({ code: 'lost' });
  const failure = new Error('no paper');
  const throwing = () => {
    block();
    throw failure;
  };
  await expect(group.withLock('a', throwing)).rejects.toMatchObject({ code: 'lost', cause: failure });
  const asserting = (lock: Lock) => {
    block();
    lock.assertHeld();
  };
  const error = await group.withLock('a', asserting).catch((thrown) => thrown);
  expect([error.code, error.cause]).toEqual(['lost', undefined]);
});

test('refuses work that is no function', async () => {
  const [group] = (await members(1)) as [Group];
  const withLock = group.withLock.bind(group) as (...args: unknown[]) => Promise<unknown>;
  for (const args of [['a'], ['a', {}], ['a', { timeoutMs: 5 }, 'work'], ['a', undefined]])
    await expect(withLock(...args)).rejects.toMatchObject({
      code: 'input',
      message: expect.stringContaining('withLock runs a function while it holds the lock, not'),
    });
});
