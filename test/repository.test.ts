// The workflows cannot run here. These tests check that everything they call exists.
import { spawnSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { expect, test } from 'vitest';

const read = (path: string) => readFileSync(path, 'utf8');
const { scripts, version } = JSON.parse(read('package.json'));
const script = (name: string, ...args: string[]) =>
  spawnSync(process.execPath, [`scripts/${name}`, ...args], { encoding: 'utf8' });

const workflows = readdirSync('.github/workflows').map(
  (name) => [name, read(`.github/workflows/${name}`)] as const,
);
const commandsOf = (text: string) => [...text.matchAll(/^ +- run: (.+)$/gm)].map(([, command]) => command!);

test.each(workflows)('%s calls commands that exist', (_, text) => {
  const commands = commandsOf(text);
  expect(commands).not.toEqual([]);
  for (const command of commands) {
    for (const [, name] of command.matchAll(/npm run ([\w:]+)/g)) expect(scripts).toHaveProperty(name!);
    for (const [path] of command.matchAll(/(?:\.ci|scripts)\/[\w.-]+/g))
      expect([path, existsSync(path)]).toEqual([path, true]);
    expect(command).toMatch(/npm (ci|test|run|publish)|\.ci\/run|scripts\//);
  }
});

test('every step of verify runs at night', () => {
  const steps = [...script('verify.js', '--list').stdout.matchAll(/^(\w+):/gm)].map(([, name]) => name);
  const [, matrix] = /step: \[(.+)\]/.exec(read('.github/workflows/verify.yml'))!;
  expect(matrix!.split(', ')).toEqual(steps);
});

test('CI runs the line of the README', () => {
  expect(read('README.md')).toContain('npm ci && CI=true npm test');
  expect(read('.ci/run')).toContain('\nnpm ci && CI=true npm test\n');
});

test('a release needs the tag of its version, and a heading in the changelog', () => {
  expect(script('release-check.js', 'v0.0.0')).toMatchObject({
    status: 2,
    stderr: expect.stringContaining(`v${version}`),
  });
  const { status, stderr } = script('release-check.js', `v${version}`);
  expect({ status, stderr }).toEqual(
    read('CHANGELOG.md').includes(`\n## ${version}\n`)
      ? { status: 0, stderr: '' }
      : { status: 2, stderr: expect.stringContaining(`## ${version}`) },
  );
});
