// The README, tried in an empty folder. runtimes.test.ts tries its first program.
import { spawnSync } from 'node:child_process';
import { chmodSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { EmptyFolder } from './empty-folder.ts';

let folder: EmptyFolder;
beforeAll(() => {
  folder = new EmptyFolder();
  folder.install('batonjs', 'batonjs-lab');
});
afterAll(() => folder.remove());

const readme = readFileSync('README.md', 'utf8');
const blocks = (language: string) =>
  [...readme.matchAll(new RegExp(`^\`\`\`${language}\\n([^]*?)^\`\`\``, 'gm'))].map(([, text]) => text!);

test('the commands of the README run as they are', () => {
  folder.write('report.sh', '#!/bin/sh\necho the report, with fence $BATON_FENCE\n');
  chmodSync(join(folder.path, 'report.sh'), 0o755);
  const commands = [
    ...blocks('sh')
      .join('')
      .matchAll(/^npx (.+)$/gm),
    ...readme.matchAll(/`npx ([^`]+)`/g),
  ]
    .map(([, command]) => command!.replace(/ +#.*$/, ''))
    .filter((command) => command !== 'baton lab'); // it serves until it is stopped; the tests of the lab start it
  expect(new Set(commands).size).toBeGreaterThanOrEqual(2);
  for (const command of new Set(commands)) {
    const { status, stdout } = spawnSync('npx', command.split(' '), {
      cwd: folder.path,
      encoding: 'utf8',
      timeout: 60_000,
    });
    expect([command, status]).toEqual([command, command.includes('--channels unordered') ? 1 : 0]);
    expect(stdout).toMatch(
      /^baton (exec|lead)/.test(command) ? /^the report, with fence \d+/ : /at most one inside/,
    );
  }
});

test('the figures of the README are those of the last measurement', () => {
  const results = readFileSync('bench/RESULTS.md', 'utf8');
  const rowOf = (text: string, name: RegExp) =>
    text
      .split('\n')
      .find((line) => name.test(line.split('|')[1] ?? ''))!
      .split('|')
      .map((cell) => cell.trim());
  const [race] = results.split('| 8 processes, one lock |').slice(1);
  const [takeover] = results.split('## Locks: takeover').slice(1);
  for (const name of [/^ baton/i, /PostgreSQL/, /redlock/, /etcd3/, /proper-lockfile/]) {
    const shown = rowOf(readme.split('## Compared')[1]!, name);
    const [killed, stopped] = [rowOf(takeover!, name)[2], rowOf(takeover!, name)[5]];
    expect(shown.slice(2, 5)).toEqual([rowOf(race!, name)[3], killed, stopped]);
  }
  const [hosts] = results.split('## Locks: hosts').slice(1);
  const ours = [...hosts!.matchAll(/\| baton on \w+ \| ([\d.]+) /g)].map(([, handovers]) =>
    Number(handovers),
  );
  expect(readme).toContain(`${Math.min(...ours)} to ${Math.max(...ours)} handovers per second`);
  const others = [/PostgreSQL advisory/, /etcd3/, /redlock/].map((name) => rowOf(hosts!, name)[2]);
  expect(readme).toContain(`make ${others[0]}, etcd3 ${others[1]} and redlock ${others[2]}`);
  const campaign = readFileSync('docs/campaign.md', 'utf8');
  for (const [, updates, engine] of readme.matchAll(/(0 of [\d,]+) on\s+(\w+)/g))
    expect(campaign).toMatch(new RegExp(`\\| baton on ${engine} \\|.*\\| ${updates} \\|`));
  for (const [rival, updates] of [
    ['redlock', '0 of 1,137'],
    ['etcd3', '1 of 288'],
  ]) {
    expect(readme).toMatch(new RegExp(`${rival}[^.]*? ${updates}`));
    expect(campaign).toMatch(new RegExp(`\\| ${rival} \\|.*\\| ${updates} \\|`));
  }
});

test('the README counts the catalogue', () => {
  const problems = JSON.parse(folder.run('npx', ['baton', 'list', '--json'])).map(
    ({ problem }: { problem: string }) => problem,
  );
  const count = (problem: string) => problems.filter((one: string) => one === problem).length;
  expect(readme.replaceAll('\n', ' ')).toContain(
    `has ${problems.length} algorithms: ${count('mutex')} for mutual exclusion, by messages and on shared memory, ${count('election')} for election and ${count('clocks')} for clocks`,
  );
});
