// Consistent states of a running group, inspected from outside. The members are in this process, and behave as in separate processes.
import { afterEach, expect, test } from 'vitest';
import { holderOrToken } from '../../src/cli/commands/status.ts';
import { type Group, inspectGroupConsistently, join } from '../../src/cluster/index.ts';
import {
  consistentInspection,
  parseConsistentReport,
} from '../../src/cluster/inspection/consistent-inspection.ts';
import type { MemberRef } from '../../src/member/index.ts';
import { inOwnDirectory } from './temporary-directory.ts';

inOwnDirectory();

let groups: Group[] = [];
afterEach(async () => {
  await Promise.all(groups.map((group) => group.leave()));
  groups = [];
});

async function members(name: string, n: number, algorithm: string): Promise<Group[]> {
  for (let i = 0; i < n; i += 1) groups.push(await join(name, { algorithm }));
  return groups;
}

test.each(['li-hudak', 'token-ring', 'singhal', 'ricart-agrawala'])(
  '%s: each snapshot of three active members has at most one holder, and exactly one token if the algorithm has one',
  async (algorithm) => {
    const all = await members(`busy-${algorithm}`, 3, algorithm);
    let isOver = false;
    const turns = all.map(async (group) => {
      while (!isOver) await (await group.lock('a')).release();
    });
    let complete = 0;
    for (let i = 0; i < 12; i += 1) {
      const { members, locks } = (await inspectGroupConsistently(`busy-${algorithm}`))!;
      expect(members.map(({ id }) => id)).toEqual(all.map(({ id }) => id));
      for (const { name, holders, tokens, isStarting } of locks) {
        expect(name).toBe('a');
        expect(holders.length).toBeLessThanOrEqual(1);
        expect(tokens?.length).toBe(isStarting || algorithm === 'ricart-agrawala' ? undefined : 1);
        if (!isStarting) complete += 1;
      }
    }
    expect(complete).toBeGreaterThan(6);
    isOver = true;
    await Promise.all(turns);
  },
);

test('reports the holder, the waiters and the leader, and the token of a free lock', async () => {
  const [a, b] = (await members('calm', 2, 'suzuki-kasami')) as [Group, Group];
  const [one, other] = [a, b].map(({ id }) => expect.objectContaining({ id }));
  const held = await a.lock('x');
  const waits = b.lock('x');
  await (await b.lock('y')).release();
  const term = (await b.election('chief').terms()[Symbol.asyncIterator]().next()).value!;
  expect(await inspectGroupConsistently('calm')).toMatchObject({
    group: 'calm',
    locks: [
      {
        name: 'x',
        algorithm: 'suzuki-kasami',
        holders: [one],
        waiters: [other],
        tokens: [{ at: one }],
        isStarting: false,
      },
      { name: 'y', holders: [], waiters: [], tokens: [{ at: other }] },
    ],
    elections: [{ name: 'chief', holders: [other] }],
  });
  await term.resign();
  await held.release();
  await (await waits).release();
});

test('tells that a lock is being started', () => {
  const lock = { lock: 'x', algorithm: 'raymond', waiting: [1], tokens: null, isStarting: true };
  const [one, other] = [0, 1].map((i) => ({ id: `${i}`, label: `db1:${i}` })) as [MemberRef, MemberRef];
  const report = { epoch: 1, members: [one, other] };
  for (const [holders, text] of [
    [[], 'free, being started'],
    [[0], 'held by db1:0, being started'],
  ] as const) {
    const parsed = parseConsistentReport({ ...report, locks: [{ ...lock, holders }] });
    const { locks } = consistentInspection('g', parsed as Exclude<typeof parsed, null | { failed: string }>);
    expect(locks[0]).toMatchObject({ tokens: null, isStarting: true });
    expect(holderOrToken('held by', locks[0]!)).toBe(text);
  }
});

test('is null for a group without members', async () => {
  expect(await inspectGroupConsistently('nobody-at-all')).toBeNull();
});

test('a value of another shape, or with an unknown position, is not a report', () => {
  const lock = { lock: 'x', algorithm: 'raymond', holders: [0], waiting: [], tokens: [{ from: 0, to: 1 }] };
  const members = [0, 1].map((i) => ({ id: `${i}`, label: '' }));
  const locks = [{ ...lock, isStarting: false }];
  expect(parseConsistentReport({ epoch: 1, members, locks })).toEqual({ epoch: 1, members, locks });
  expect(parseConsistentReport({ epoch: 1, members, locks: [lock] })).toEqual({ epoch: 1, members, locks }); // of a member before version 6
  expect(parseConsistentReport({ failed: 'why' })).toEqual({ failed: 'why' });
  for (const wrong of [
    null,
    [],
    'x',
    { epoch: 1 },
    { epoch: 1, members, locks: [{ ...lock, holders: [2] }] },
    { epoch: 1, members, locks: [{ ...lock, isStarting: 1 }] },
  ])
    expect(parseConsistentReport(wrong)).toBeNull();
  expect(parseConsistentReport({ epoch: 1, members, locks: [{ ...lock, tokens: [{ at: -1 }] }] })).toBeNull();
});
