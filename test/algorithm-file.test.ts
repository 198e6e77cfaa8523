// Algorithms in files, in a folder where nothing is installed, passed to the command as users do.
import { spawnSync } from 'node:child_process';
import { copyFileSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { afterAll, describe, expect, test } from 'vitest';

const folder = mkdtempSync(join(tmpdir(), 'baton-file-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const main = resolve('packages/batonjs/dist/cli.cjs');

function baton(...args: string[]) {
  const options = { encoding: 'utf8', cwd: folder } as const;
  const { status, stdout, stderr } = spawnSync(process.execPath, [main, ...args], options);
  return { status, stdout, stderr };
}

function file(name: string, text: string): string {
  writeFileSync(join(folder, name), text);
  return `./${name}`;
}

const typed = `import { exactly, type Algorithm } from 'batonjs/core';
import { ricartAgrawala } from 'batonjs/algorithms';
type Counts = readonly string[];
const counts: Counts = ['request', 'reply'];
export const own = {
  ...ricartAgrawala,
  name: 'own',
  bounds: [exactly(counts, '2(n-1)', 'counted', ({ n }: { n: number }) => 2 * (n - 1))],
} satisfies Algorithm<any, any, any, any>;
export const answer: number = 42;
`;
const plain = `import { ricartAgrawala } from 'batonjs/algorithms';
export default { ...ricartAgrawala, name: 'own' };
`;
const shared = `import { sharedAlgorithm } from 'batonjs/core';
export const rude = sharedAlgorithm({
  name: 'rude',
  problem: 'mutex',
  paper: 'none',
  assumes: { failures: 'none' },
  bounds: [],
  registers: () => ({ door: 0 }),
  init: () => ({}),
  request: 'close the door',
  release: 'open the door',
  program: () => ({
    'close the door': { write: 'door', value: 1, goto: 'critical section' },
    'open the door': { write: 'door', value: 0, goto: 'noncritical section' },
  }),
});
`;

describe('a file instead of a name', () => {
  test.each([
    ['own.ts', typed],
    ['own.js', plain],
    ['own.mjs', plain],
  ])('%s is checked, simulated and shown', (name, text) => {
    const path = file(name, text);
    expect(baton('check', path).stdout).toContain('own, n = 3: holds in every interleaving');
    expect(JSON.parse(baton('simulate', path, '--json').stdout)).toMatchObject({
      algorithm: 'own',
      ok: true,
    });
    expect(baton('show', path).stdout).toContain(text);
    expect(JSON.parse(baton('show', path, '--json').stdout)).toMatchObject({ name: 'own', mutants: [] });
  });

  test('it may be in the current folder and import other files', () => {
    mkdirSync(join(folder, 'parts'), { recursive: true });
    file('parts/name.ts', `export const name: string = 'of parts';`);
    file('whole.ts', `import { name } from './parts/name.ts'; ${typed.replace("'own'", 'name')}`);
    expect(baton('check', 'whole.ts')).toMatchObject({ status: 0, stderr: '' });
    expect(baton('check', 'whole.ts').stdout).toContain('of parts, n = 3');
  });

  test('an algorithm on shared memory', () => {
    const { status, stdout } = baton('check', file('rude.ts', shared), '--trace', 'rude.trace');
    expect(status).toBe(1);
    expect(stdout).toContain('at most one inside: processes 0 and 1 are inside at the same time');
    expect(stdout).toContain('baton replay rude.trace --algorithm ./rude.ts runs it again');
    expect(baton('replay', 'rude.trace', '--algorithm', './rude.ts').stdout).toContain('every output agrees');
  });

  test('the check refutes the exercise, and its trace replays', () => {
    copyFileSync('examples/exercises/equal-numbers.ts', join(folder, 'equal-numbers.ts'));
    const { status, stdout } = baton('check', './equal-numbers.ts', '--n', '2', '--trace', 'run.trace');
    expect(status).toBe(1);
    expect(stdout).toContain('every request enters: processes 0, 1 wait for ever');
    expect(baton('replay', 'run.trace')).toMatchObject({
      status: 2,
      stderr: expect.stringContaining('if its algorithm stands in a file, say --algorithm FILE'),
    });
    const again = baton('replay', 'run.trace', '--algorithm', './equal-numbers.ts');
    expect(again).toMatchObject({ status: 0, stdout: expect.stringContaining('every output agrees') });
    expect(baton('replay', 'run.trace', '--algorithm', 'ricart-agrawala')).toMatchObject({ status: 1 });
  });

  test('a trace cannot make the command execute a file', () => {
    file('evil.js', `console.log('executed'); ${plain}`);
    baton(
      'simulate',
      file('good.js', plain.replace("'own'", "'./evil.js'")),
      '--n',
      '2',
      '--trace',
      'evil.trace',
    );
    expect(baton('replay', 'evil.trace')).toMatchObject({ status: 2, stdout: '' });
  });
});

const flawed = typed.replace('  bounds:', '  on: undefined, knows: ["everything"], bounds:');

test.each<[string, string | null, RegExp]>([
  ['nowhere.ts', null, /^there is no file \.\/nowhere\.ts$/],
  ['notes.txt', 'export', /holds no algorithm: it must be a file, \.ts, \.js or \.mjs$/],
  ['brace.ts', 'const a = 1;\nexport const b = { ;\n', /cannot be loaded: Unexpected token at line 2$/],
  ['brace.mjs', 'const a = 1;\nexport const b = { ;\n', /cannot be loaded: Unexpected token at line 2$/],
  [
    'root.ts',
    "import { exactly } from 'batonjs';\nexport default { bounds: [exactly([], '', '', () => 1)] };\n",
    /cannot be loaded: 'batonjs' does not export 'exactly'; 'batonjs\/core' does at line 2$/,
  ],
  ['throws.ts', 'type A = 1;\n\nmissing();\n', /cannot be loaded: missing is not defined at line 3$/],
  [
    'imports.ts',
    `import a from './b.ts';\nexport default a;`,
    /cannot be loaded: Cannot find module '\.\/b\.ts'/,
  ],
  ['empty.ts', '', /exports no algorithm: make it the default export, or the only one$/],
  ['other.ts', 'export default { name: "x" };', /exports no algorithm/],
  ['two.ts', `${typed}export const too = own;`, /exports several algorithms, own, too: make one of them the/],
  [
    'flawed.ts',
    flawed,
    /'own' is not an algorithm: knows\[0\] is "everything", not one of .*; on is missing$/,
  ],
  [
    'init.ts',
    typed.replace("name: 'own',", "name: 'own',\n  init() { throw new Error('no') },"),
    /line 8: no$/,
  ],
])('%s is refused', (name, text, why) => {
  const path = text === null ? `./${name}` : file(name, text);
  const { status, stdout, stderr } = baton('check', path);
  expect({ status, stdout }).toEqual({ status: 2, stdout: '' });
  expect(stderr.split('\n')).toEqual([expect.stringMatching(/^baton: \.\/|^baton: there/), '']);
  expect(stderr.trimEnd().slice('baton: '.length)).toMatch(why);
});

describe('state that is not plain data', () => {
  const having = (line: string) => typed.replace("name: 'own',", `name: 'own',\n  ${line}`);

  test.each([
    [
      'map.ts',
      'init: () => ({ heard: new Map() }),',
      'holds a Map, which is not plain data; use objects, lists',
    ],
    ['chance.ts', 'init: () => ({ heard: Math.random() }),', 'is another state each time'],
  ])('%s: init', (name, line, why) => {
    const path = file(name, having(line));
    for (const command of ['check', 'simulate']) {
      const { status, stdout, stderr } = baton(command, path);
      expect({ status, stdout }).toEqual({ status: 2, stdout: '' });
      expect(stderr).toMatch(new RegExp(`^baton: own: what init gives process 0 ${why}.*\n$`));
    }
  });

  test('a handler', () => {
    const path = file('nan.ts', having('calls: { request(s) { s.heard = NaN; }, release() {} },'));
    for (const command of ['check', 'simulate']) {
      const { status, stdout, stderr } = baton(command, path);
      expect({ status, stderr }).toEqual({ status: 1, stderr: '' });
      expect(stdout).toMatch(
        /the contract is kept: at process \d: its state holds NaN, which is not plain data/,
      );
    }
  });
});

test('measure accepts names only', () => {
  expect(baton('measure', './own.ts')).toMatchObject({
    status: 2,
    stderr: 'baton: measure is for the catalogue; baton simulate ./own.ts counts one run\n',
  });
});
