// The package as npm would publish it, installed into an empty folder.
import { execFileSync, spawnSync } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { isVerify } from './tiers.ts';

const folder = mkdtempSync(join(tmpdir(), 'baton-pack-'));
const run = (command: string, args: string[], cwd = folder) => {
  const { status, stdout, stderr } = spawnSync(command, args, { cwd, encoding: 'utf8' });
  if (status !== 0) throw new Error(`${command} ${args.join(' ')} ended with ${status}:\n${stdout}${stderr}`);
  return stdout;
};

beforeAll(() => {
  run('npm', ['pack', '--ignore-scripts', '--pack-destination', folder], process.cwd());
  const tarball = readdirSync(folder).find((name) => name.endsWith('.tgz'))!;
  writeFileSync(join(folder, 'package.json'), '{ "name": "empty", "type": "module", "private": true }');
  run('npm', ['install', '--no-audit', '--no-fund', `./${tarball}`]);
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

test('the command works there', () => {
  expect(run('npx', ['baton', 'list'])).toContain('chang-roberts');
  expect(run('npx', ['baton', 'show', 'lamport'])).toContain('export const lamport');
  expect(JSON.parse(run('npx', ['baton', 'simulate', 'bully', '--json']))).toMatchObject({
    ok: true,
    leader: 4,
  });
});

test('an algorithm in a file there is checked', () => {
  writeFileSync(
    join(folder, 'own.ts'),
    `import { lamport } from 'batonjs/algorithms';\nexport default { ...lamport, name: 'own' as string };\n`,
  );
  expect(run('npx', ['baton', 'check', './own.ts', '--n', '2'])).toContain('own, n = 2: holds in every');
});

test('measure finds its threads and its charts there', () => {
  const sizes = ['--sizes', '4,8', '--runs', '2', '--workers', '2'];
  const rows = JSON.parse(run('npx', ['baton', 'measure', 'lamport', ...sizes, '--json', '--out', 'report']));
  expect(rows).toHaveLength(6);
  expect(readdirSync(join(folder, 'report', 'atlas'))).toContain('mutual-exclusion.svg');
});

/** Other compilers and runtimes, by the name under which they are installed. The verify tier installs and tries them. */
const compilers = {
  'typescript-5.4': 'typescript@5.4',
  'typescript-5.9': 'typescript@5.9',
  'typescript-6': 'typescript@6.0',
};
const runtimes = { 'node-22': 'node@22', 'node-24': 'node@24' };
const installed = (name: string) => join(folder, 'others/node_modules', name);

beforeAll(() => {
  if (!isVerify) return;
  const packages = Object.entries({ ...compilers, ...runtimes }).map(([name, of]) => `${name}@npm:${of}`);
  run('npm', ['install', '--no-audit', '--no-fund', '--prefix', join(folder, 'others'), ...packages]);
});

/** Names the versions to try: the own one, and in the verify tier all others. */
const versions = (own: string, others: Record<string, string>) => [
  own,
  ...(isVerify ? Object.keys(others) : []),
];
const compilerOf = (name: string) =>
  join(name === 'typescript' ? join(process.cwd(), 'node_modules/typescript') : installed(name), 'bin/tsc');
const runtimeOf = (name: string) => (name === 'node' ? process.execPath : join(installed(name), 'bin/node'));

/** A program that uses every entry point. */
const program = `import { BatonError, type Group, join } from 'batonjs';
import { algorithms, changRoberts, dekker, sharedAlgorithms } from 'batonjs/algorithms';
import { vectorClocks } from 'batonjs/diagram';
import { groups } from 'batonjs/cluster';
import { logicalClocks } from 'batonjs/causality';
import { check } from 'batonjs/check';
import { withSnapshots } from 'batonjs/compositions';
import { parseTrace, sharedAlgorithm, type Algorithm, type Trace } from 'batonjs/core';
import { textDiagram } from 'batonjs/diagram';
import { MessageMachine } from 'batonjs/machine';
import { fenceIn } from 'batonjs/fences';
export async function locked(group: Group): Promise<number> {
  await using lock = await group.lock('a');
  return lock.fence;
}
import { mutants } from 'batonjs/mutants';
import { type Run, replay, type Scenario, simulate } from 'batonjs/sim';
const scenario: Scenario = { ids: [2, 3, 1] };
const lines: string[] = [];
const run: Run = simulate(changRoberts, scenario, { trace: (line: string) => lines.push(line) });
const trace: Trace = parseTrace(lines.join('\\n') + '\\n');
const leader: number | null = run.leader;
export type Mine = Algorithm<'election', { x: number }, { type: 'm' }, ['id']>;
console.log(leader, replay(changRoberts, trace).ok, textDiagram(trace).length > 0, algorithms.length + mutants.length);
const group = await join('packed');
console.log(simulate(sharedAlgorithm(dekker)).ok, sharedAlgorithms.length, (await locked(group)) > 0, fenceIn({}));
console.log([groups, logicalClocks, check, withSnapshots, MessageMachine, vectorClocks, BatonError].includes(undefined as never));
await group.leave();
`;

test.each(versions('typescript', compilers))('every entry point has types: %s', (compiler) => {
  writeFileSync(join(folder, 'use.ts'), program);
  const compilerOptions = {
    strict: true,
    target: 'es2022',
    lib: ['es2023', 'dom'],
    module: 'nodenext',
    types: [],
    outDir: compiler,
  };
  writeFileSync(join(folder, 'tsconfig.json'), JSON.stringify({ compilerOptions, files: ['use.ts'] }));
  run(process.execPath, [compilerOf(compiler)]);
});

test.each(versions('node', runtimes))('every entry point can be imported: %s', (runtime) => {
  expect(run(runtimeOf(runtime), ['typescript/use.js'])).toMatch(
    /^3 true true \d+\ntrue \d true null\nfalse\n$/,
  );
});

test('the root exports join and the error class; everything else has a subpath', () => {
  const text = `import * as root from 'batonjs'; console.log(JSON.stringify(Object.keys(root)));`;
  expect(JSON.parse(run(process.execPath, ['--input-type=module', '-e', text]))).toEqual([
    'BatonError',
    'join',
  ]);
});

test('the declarations have no internal members', () => {
  const declared = (file: string) =>
    readFileSync(join(folder, 'node_modules/batonjs/dist/cluster/group', file), 'utf8');
  const classes = ['group.d.ts', 'lock.d.ts', 'leader-election.d.ts'].map(declared).join('');
  expect(classes).not.toMatch(/@internal|constructor\(/);
});

const readme = readFileSync('README.md', 'utf8');
const blocks = (language: string) =>
  [...readme.matchAll(new RegExp(`^\`\`\`${language}\\n([^]*?)^\`\`\``, 'gm'))].map(([, text]) => text!);

test.each(versions('node', runtimes))(
  'the lock of the README runs as it is, in at most eight lines, and ends: %s',
  (runtime) => {
    const [text] = blocks('js');
    expect(text!.trim().split('\n').length).toBeLessThanOrEqual(8);
    writeFileSync(join(folder, 'lock.mjs'), text!);
    const printed = execFileSync(runtimeOf(runtime), ['lock.mjs'], {
      cwd: folder,
      encoding: 'utf8',
      timeout: 20_000,
    });
    expect(printed).toMatch(/^holding the lock, fence \d+\n$/);
  },
);

test('the commands of the README run as they are', () => {
  writeFileSync(join(folder, 'report.sh'), '#!/bin/sh\necho the report, with fence $BATON_FENCE\n', {
    mode: 0o755,
  });
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
      cwd: folder,
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
  const problems = JSON.parse(run('npx', ['baton', 'list', '--json'])).map(
    ({ problem }: { problem: string }) => problem,
  );
  const count = (problem: string) => problems.filter((one: string) => one === problem).length;
  expect(readme.replaceAll('\n', ' ')).toContain(
    `has ${problems.length} algorithms: ${count('mutex')} for mutual exclusion, by messages and on shared memory, ${count('election')} for election and ${count('clocks')} for clocks`,
  );
});
