// The package as npm would publish it, installed into an empty folder.
import { execFileSync } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';

const folder = mkdtempSync(join(tmpdir(), 'baton-pack-'));
const run = (command: string, args: string[], cwd = folder) =>
  execFileSync(command, args, { cwd, encoding: 'utf8', stdio: ['ignore', 'pipe', 'pipe'] });

beforeAll(() => {
  run('npm', ['pack', '--ignore-scripts', '--pack-destination', folder], process.cwd());
  const tarball = readdirSync(folder).find((name) => name.endsWith('.tgz'))!;
  writeFileSync(join(folder, 'package.json'), '{ "name": "empty", "type": "module", "private": true }');
  run('npm', ['install', '--no-audit', '--no-fund', `./${tarball}`]);
}, 120_000);
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

test('every entry point can be imported, with types', () => {
  writeFileSync(
    join(folder, 'use.ts'),
    `import { BatonError, type Group, join } from 'batonjs';
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
`,
  );
  const options = ['--strict', '--target', 'es2023', '--module', 'nodenext', '--types', '', '--ignoreConfig'];
  run(process.execPath, [join(process.cwd(), 'node_modules/typescript/bin/tsc'), ...options, 'use.ts']);
  expect(run(process.execPath, ['use.js'])).toMatch(/^3 true true \d+\ntrue \d true null\nfalse\n$/);
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
