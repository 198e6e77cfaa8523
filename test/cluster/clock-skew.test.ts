// Estimates of the clocks of other members.
import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { afterEach, describe, expect, test } from 'vitest';
import { type ClockSkew, type Group, type Inspection, join } from '../../src/cluster/index.ts';
import { isSignificantSkew, skewOf } from '../../src/cluster/inspection/clock-skew.ts';
import { inspectionOf } from '../../src/cluster/inspection/inspection.ts';
import type { PeerClockReport } from '../../src/cluster/transport/transport.ts';
import { view } from '../member/member-harness.ts';
import { type Child, start } from './child-program.ts';
import { inOwnDirectory } from './temporary-directory.ts';

inOwnDirectory();

let groups: Group[] = [];
let children: Child[] = [];
afterEach(async () => {
  for (const child of children) child.signal('SIGKILL');
  await Promise.all(groups.map((group) => group.leave()));
  groups = [];
  children = [];
});

const leaseMs = 1500;
const member = async (name: string) => {
  const group = await join(name, { leaseMs });
  groups.push(group);
  return group;
};
const status = async (...args: string[]) =>
  (
    await promisify(execFile)(process.execPath, [
      'packages/batonjs/dist/cli.cjs',
      'status',
      '--group',
      ...args,
    ])
  ).stdout;
const soon = (what: () => unknown) => expect.poll(what, { timeout: 30_000, interval: 100 });

test('clocks on one machine agree within the bounds, also for a process that is sometimes busy', async () => {
  const all = [await member('alike'), await member('alike'), await member('alike')];
  const reported: (readonly ClockSkew[])[] = [];
  for (const group of all) group.on('skew', (skews) => reported.push(skews));
  const busy = setInterval(() => {
    for (const until = Date.now() + 60; Date.now() < until; );
  }, 150);
  let seen!: Inspection;
  const clocks = () => seen.members.flatMap(({ clock }) => clock ?? []);
  await soon(async () => {
    seen = await all[0]!.inspect();
    return clocks().filter(({ ratePpm }) => ratePpm !== null).length;
  }).toBe(2);
  clearInterval(busy);
  const { members, clocksBy, skews } = seen;
  expect(members.map(({ isMe, clock }) => isMe === (clock === null))).toEqual([true, true, true]);
  expect(members.find(({ isMe }) => isMe)).toMatchObject(clocksBy!);
  for (const { offsetMs, errorMs, ratePpm, rateErrorPpm, ageMs } of clocks()) {
    expect(Math.abs(offsetMs)).toBeLessThanOrEqual(errorMs);
    expect(Math.abs(ratePpm!)).toBeLessThanOrEqual(rateErrorPpm!);
    expect(ageMs).toBeGreaterThanOrEqual(0);
  }
  expect([skews, reported]).toEqual([[], []]);
  const shown = await status('alike');
  expect(shown).toContain('3 members');
  expect(shown).not.toMatch(/clock|warning/);
});

test('a process with slow clocks and a wrong time of day is detected by itself and by others', async () => {
  const [rate, ahead] = [0.92, 90_000];
  const slow = start('skewed', ['skewed', `${leaseMs}`, `${rate}`, `${ahead}`]);
  children.push(slow);
  await slow.ready();
  const id = slow.lines[0];
  const group = await member('skewed');
  const reported: ClockSkew[] = [];
  group.on('skew', (skews) => reported.push(...skews));
  await soon(() => reported.length).toBeGreaterThan(0);
  expect(reported[0]).toMatchObject({ slower: { id }, faster: { id: group.id } });
  expect(reported[0]!.ratePpm).toBeLessThanOrEqual((1 / rate - 1) * 1e6 + 1);
  await slow.ready('true');

  const clock = (await group.inspect()).members.find((one) => one.id === id)!.clock!;
  expect(Math.abs(clock.ratePpm! - (rate - 1) * 1e6)).toBeLessThanOrEqual(clock.rateErrorPpm!);
  expect(clock.offsetMs).toBeLessThan(ahead);
  expect(clock.offsetMs).toBeGreaterThan(ahead - 10_000);
  const shown = await status('skewed');
  expect(shown).toMatch(/^ {2}clocks beside that of \S+: \S+ [+-]\d+\.\d ms ±\d+\.\d$/m);
  expect(shown).toMatch(
    /^ {2}warning: the clock of \S+ is at least \d\.\d % slower than that of \S+, which eats \d\d % of the margin of leases$/m,
  );
  expect(JSON.parse(await status('skewed', '--json')).skews).toMatchObject([{ slower: { id } }]);
});

describe('skews', () => {
  const who = (id: string) => ({ id, label: '' });
  const [a, b, c] = [who('a'), who('b'), who('c')];

  test('a clock that is an eighth slower uses the whole margin: 0.7 of a lease then lasts 0.8', () => {
    expect(skewOf(a, b, { low: -0.2, high: -0.125 })).toMatchObject({ slower: b, faster: a });
    expect(skewOf(a, b, { low: -0.2, high: -0.125 })!.eaten).toBeCloseTo(1, 9);
    expect(skewOf(a, b, { low: 1 / 7, high: 0.2 })).toMatchObject({ slower: a, faster: b });
    expect(skewOf(a, b, { low: 1 / 7, high: 0.2 })!.eaten).toBeCloseTo(1, 9);
  });

  test('clocks that may run at the same rate have none; skews within the range of NTP are not significant', () => {
    expect(skewOf(a, b, { low: -0.3, high: 0.1 })).toBe(null);
    expect(isSignificantSkew(skewOf(a, b, { low: 0.0005, high: 0.001 })!)).toBe(false);
    expect(isSignificantSkew(skewOf(a, b, { low: 0.015, high: 0.02 })!)).toBe(true);
  });

  test('an inspection lists each pair once, and compares clocks with those of one member', () => {
    const clock = (id: string, low: number): PeerClockReport => ({
      ...{ id, offset: 5, error: 1, age: 10 },
      rate: { low, high: low + 0.01 },
    });
    const reported = new Map([
      ['a', { report: null, clocks: [] }],
      ['b', { report: null, clocks: [clock('a', -0.001), clock('c', -0.06)] }],
      ['c', { report: null, clocks: [clock('b', 0.04), clock('gone', 0.5)] }],
    ]);
    const { clocksBy, members, skews } = inspectionOf('g', view(1, 'a', 'b', 'c'), 'outside', reported);
    expect(clocksBy).toEqual(b);
    expect(members.map((one) => one.clock?.offsetMs)).toEqual([5, undefined, 5]);
    expect(members[2]!.clock).toEqual({
      ...{ offsetMs: 5, errorMs: 1, ageMs: 10 },
      ratePpm: expect.closeTo(-55_000, 3),
      rateErrorPpm: expect.closeTo(5000, 3),
    });
    expect(skews).toMatchObject([{ slower: c, faster: b, ratePpm: expect.closeTo(1e6 * (1 / 0.95 - 1), 3) }]);
    expect(inspectionOf('g', view(1, 'a', 'b'), 'a', reported).clocksBy).toEqual(a);
  });
});
