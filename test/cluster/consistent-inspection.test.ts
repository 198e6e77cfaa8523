// Consistent states of a running group, inspected from outside. The members are in this process, and behave as in separate processes.
import { afterEach, expect, test } from 'vitest';
import { type Group, inspectGroupConsistently, join } from '../../src/cluster/index.ts';
import { parseConsistentReport } from '../../src/cluster/inspection/consistent-inspection.ts';
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
    for (let i = 0; i < 12; i += 1) {
      const { members, locks } = (await inspectGroupConsistently(`busy-${algorithm}`))!;
      expect(members.map(({ id }) => id)).toEqual(all.map(({ id }) => id));
      for (const { name, holders, tokens } of locks) {
        expect(name).toBe('a');
        expect(holders.length).toBeLessThanOrEqual(1);
        expect(tokens?.length).toBe(algorithm === 'ricart-agrawala' ? undefined : 1);
      }
    }
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
      { name: 'x', algorithm: 'suzuki-kasami', holders: [one], waiters: [other], tokens: [{ at: one }] },
      { name: 'y', holders: [], waiters: [], tokens: [{ at: other }] },
    ],
    elections: [{ name: 'chief', holders: [other] }],
  });
  await term.resign();
  await held.release();
  await (await waits).release();
});

test('is null for a group without members', async () => {
  expect(await inspectGroupConsistently('nobody-at-all')).toBeNull();
});

test('a value of another shape, or with an unknown position, is not a report', () => {
  const lock = { lock: 'x', algorithm: 'raymond', holders: [0], waiting: [], tokens: [{ from: 0, to: 1 }] };
  const members = [0, 1].map((i) => ({ id: `${i}`, label: '' }));
  expect(parseConsistentReport({ epoch: 1, members, locks: [lock] })).not.toBeNull();
  expect(parseConsistentReport({ failed: 'why' })).toEqual({ failed: 'why' });
  for (const wrong of [
    null,
    [],
    'x',
    { epoch: 1 },
    { epoch: 1, members, locks: [{ ...lock, holders: [2] }] },
  ])
    expect(parseConsistentReport(wrong)).toBeNull();
  expect(parseConsistentReport({ epoch: 1, members, locks: [{ ...lock, tokens: [{ at: -1 }] }] })).toBeNull();
});
