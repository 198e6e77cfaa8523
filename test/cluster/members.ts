// Members of new groups, for the tests of one file. They leave after each test.
import { afterEach } from 'vitest';
import { BatonError, type Group, type JoinOptions, join } from '../../src/cluster/index.ts';

let groups: Group[] = [];
let names = 0;
afterEach(async () => {
  await Promise.all(groups.map((group) => group.leave()));
  groups = [];
});

/** Joins a new group with this many members. */
export async function members(n: number, options: JoinOptions = {}): Promise<Group[]> {
  names += 1;
  const name = `group-${names}`;
  const joined: Group[] = [];
  for (let i = 0; i < n; i += 1) joined.push(await another(name, options));
  return joined;
}

export async function another(name: string, options: JoinOptions = {}): Promise<Group> {
  const group = await join(name, options);
  groups.push(group);
  return group;
}

export const codeOf = (error: unknown) => (error instanceof BatonError ? error.code : error);
export const codeFrom = (promise: Promise<unknown>) => promise.then(() => 'none', codeOf);
