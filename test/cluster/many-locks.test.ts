// Very many held locks: whatever tells of all of them travels in pieces.
import { expect, test } from 'vitest';
import { inspectGroup, inspectGroupConsistently } from '../../src/cluster/index.ts';
import { thorough } from '../tiers.ts';
import { another, members } from './members.ts';
import { inOwnDirectory } from './temporary-directory.ts';

inOwnDirectory();

const longName = (k: number) => `${k}-`.padEnd(200, 'x');

/** A holds the locks, B joins, and C joins as well: they become homes, and A reports the locks to them. */
async function survivesJoins(count: number): Promise<void> {
  const [a] = await members(1, { leaseMs: 120_000 });
  const outs: string[] = [];
  a!.on('out', (why) => outs.push(why));
  const held = await Promise.all(Array.from({ length: count }, (_, k) => a!.lock(longName(k))));
  const b = await another(a!.name, { leaseMs: 120_000 });
  const own = await b.lock('of b');
  const c = await another(a!.name, { leaseMs: 120_000 });
  await c.lock('of c');
  expect(outs).toEqual([]);
  expect(new Set(held.map(({ state }) => state))).toEqual(new Set(['held']));
  expect(await b.tryLock(longName(count - 1))).toBeNull();
  const waits = c.lock(longName(0));
  held[0]!.release();
  expect((await waits).fence).toBeGreaterThan(own.fence);
}

test('5,000 held locks survive joins', { timeout: 60_000 }, () => survivesJoins(5000));

thorough('90,000 held locks with names of 200 characters survive joins', () => survivesJoins(90_000));

test('locks that are used no more are forgotten, without a new view', { timeout: 60_000 }, async () => {
  const [a, b, c] = await members(3, { leaseMs: 1500 });
  const fences = new Map<string, number>();
  for (let k = 0; k < 1500; k += 1) {
    const name = `${k}`;
    for (const group of k % 3 === 0 ? [a!, b!] : [[a!, b!, c!][k % 3]!]) {
      const lock = await group.lock(name);
      fences.set(name, lock.fence);
      await lock.release();
    }
  }
  // A member that answered late on a busy machine is called silent for two seconds.
  await expect.poll(() => c!.view!.members.some(({ isSilent }) => isSilent === true)).toBe(false);
  await (await b!.lock('another')).release();
  const { epoch } = c!.view!;
  const known = async () => (await inspectGroupConsistently(a!.name))!.locks.length;
  expect(await known()).toBeGreaterThan(0);
  await expect.poll(known, { timeout: 30_000, interval: 500 }).toBe(0);
  expect([a, b, c].map((group) => group!.view!.epoch)).toEqual([epoch, epoch, epoch]);
  for (const [name, fence] of [...fences].slice(0, 100))
    expect((await c!.lock(name)).fence).toBeGreaterThan(fence);
});

test('many locks can be inspected', { timeout: 60_000 }, async () => {
  const [a, b] = await members(2, { leaseMs: 120_000 });
  const count = 5000;
  await Promise.all(Array.from({ length: count }, (_, k) => a!.lock(longName(k).replace('x', 'é'))));
  expect((await b!.inspect()).locks).toHaveLength(count);
  expect((await inspectGroup(a!.name))?.locks).toHaveLength(count);
  const state = await inspectGroupConsistently(a!.name);
  expect(state?.locks).toHaveLength(count);
  expect(state?.locks.every(({ holders }) => holders.length === 1)).toBe(true);
});
