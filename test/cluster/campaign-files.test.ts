// What the fault campaign does to the files of a group.
import { existsSync, lstatSync, mkdirSync, readFileSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { type Entry, GroupFiles } from '../../campaign/group-files.ts';
import { Random } from '../../src/core/random.ts';

let files: GroupFiles;
let group: string;
const random = new Random(1, 'files');
const views = ['view-221940689', 'view-221940690'];
const names = [...views, 'name', 'start-4cbbde0a-8ce5-40bb-b0ce-1c7f8f3f8a10', 'leases/00f1e2d3c4b5a697'];

beforeEach(() => {
  files = new GroupFiles();
  group = join(files.root, '1f7d7f04962d');
  mkdirSync(join(group, 'leases'), { recursive: true, mode: 0o700 });
  for (const name of names) writeFileSync(join(group, name), `content of ${name}`, { mode: 0o600 });
});
afterEach(() => files.end());

const present = () => names.filter((name) => existsSync(join(group, name)));
const isView = ({ kind }: Entry) => kind === '*/view-*';

test('files are known by kinds, without ids and numbers, new kinds included', () => {
  writeFileSync(join(group, 'novel-17'), '');
  const kinds = new Set<string>();
  files.remove(random, ({ kind }) => {
    kinds.add(kind);
    return false;
  });
  expect([...kinds].sort()).toEqual(['*/leases/*', '*/name', '*/novel-*', '*/start-*', '*/view-*']);
});

test('removing takes one file of a kind, or all of them', () => {
  const left = new Set<number>();
  for (let attempt = 0; attempt < 20; attempt += 1) {
    files.remove(random, isView);
    left.add(views.filter((name) => present().includes(name)).length);
    for (const name of views) writeFileSync(join(group, name), '');
  }
  expect([...left].sort()).toEqual([0, 1]);
  expect(present()).toEqual(names);
});

test('damage changes content, and directories in place of files go with the restoring', () => {
  const seen = new Set<string>();
  for (let attempt = 0; attempt < 60; attempt += 1) {
    files.damage(random, ({ kind }) => kind === '*/name');
    const path = join(group, 'name');
    if (lstatSync(path).isDirectory()) {
      seen.add('directory');
      files.restore();
      expect(existsSync(path)).toBe(false);
    } else {
      const text = readFileSync(path, 'utf8');
      expect(text).not.toBe('content of name');
      seen.add(text === '' ? 'empty' : 'content of name'.startsWith(text) ? 'truncated' : 'bytes');
    }
    writeFileSync(path, 'content of name');
  }
  expect([...seen].sort()).toEqual(['bytes', 'directory', 'empty', 'truncated']);
});

test('wrong modes go with the restoring, of the directories as well', () => {
  const modeOf = (path: string) => {
    try {
      return lstatSync(path).mode & 0o777;
    } catch {
      return 'out of reach';
    }
  };
  const paths = [files.root, group, join(group, 'leases'), ...names.map((name) => join(group, name))];
  const before = paths.map(modeOf);
  for (let attempt = 0; attempt < 100; attempt += 1) files.spoilMode(random);
  for (const mode of paths.map(modeOf).filter((one, k) => one !== before[k]))
    expect([0, 0o777, 'out of reach']).toContain(mode);
  expect(paths.map(modeOf)).not.toEqual(before);
  files.restore();
  expect(paths.map(modeOf)).toEqual(before);
});

test('sweeps take the group, all groups, or only old files', () => {
  const minuteAgo = Date.now() / 1000 - 60;
  utimesSync(join(group, 'name'), minuteAgo, minuteAgo);
  files.sweepOld(30);
  expect(present()).toEqual(names.filter((name) => name !== 'name'));
  files.sweepGroup();
  expect([existsSync(files.root), existsSync(group)]).toEqual([true, false]);
  files.sweepRoot();
  expect(existsSync(files.root)).toBe(false);
});

test('a full disk has room neither for a byte nor, if chosen, for a file', ({ skip }) => {
  if (!files.hasDisk) skip(files.leftOut[0]!);
  const path = join(group, 'new');
  files.fill(false);
  expect(() => writeFileSync(path, 'x')).toThrow('ENOSPC');
  files.makeRoom();
  writeFileSync(path, 'x');
  files.fill(true);
  expect(() => writeFileSync(join(group, 'newer'), '')).toThrow('ENOSPC');
  files.makeRoom();
  writeFileSync(join(group, 'newer'), '');
});
