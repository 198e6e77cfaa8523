// Each package alone and both together, as npm would publish them.
import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { EmptyFolder } from './empty-folder.ts';

let folder: EmptyFolder;
beforeAll(() => {
  folder = new EmptyFolder();
});
afterAll(() => folder.remove());

const baton = (...args: string[]) =>
  spawnSync('node_modules/.bin/baton', args, { cwd: folder.path, encoding: 'utf8' });
const node = (text: string) => folder.run(process.execPath, ['--input-type=module', '-e', text]);
const manifest = (name: string) => JSON.parse(folder.read(`node_modules/${name}/package.json`));

describe('batonjs alone', () => {
  beforeAll(() => folder.install('batonjs'));

  test('is small: at most 300 kB packed, 1.2 MB unpacked, 3 dependencies, no source maps', () => {
    const { size, unpackedSize } = folder.packed.batonjs!;
    expect(size).toBeLessThanOrEqual(300_000);
    expect(unpackedSize).toBeLessThanOrEqual(1_200_000);
    expect(Object.keys(manifest('batonjs').dependencies).length).toBeLessThanOrEqual(3);
    expect(folder.run('find', ['node_modules/batonjs', '-name', '*.map'])).toBe('');
    const installed = folder.run('ls', ['node_modules']).trim().split('\n');
    expect(installed.sort()).toEqual(['@opentelemetry', 'batonjs']);
  });

  test('has the licences of what it contains', () => {
    const licences = folder.read('node_modules/batonjs/dist/THIRD-PARTY-LICENSES');
    expect(licences).toMatch(/^@msgpack\/msgpack \d.*\n\n(.*\n)+.*Permission to use/);
    expect(licences).toMatch(/\ncommander \d.*\n\n(.*\n)+.*Permission is hereby granted/);
  });

  test('has locks and leaders', () => {
    const { stdout, status } = baton('exec', '--lock', 'x', '--', 'sh', '-c', 'echo fence $BATON_FENCE');
    expect([stdout, status]).toEqual([expect.stringMatching(/^fence \d+\n$/), 0]);
    expect(baton('status').stdout).toBe('no group on this machine has members\n');
  });

  test.each(['list', 'show lamport', 'simulate bully', 'check lamport', 'replay x', 'measure', 'lab'])(
    'baton %s names the package to install',
    (words) => {
      const { stderr, status } = baton(...words.split(' '));
      const [word] = words.split(' ');
      expect(stderr).toBe(`baton: 'baton ${word}' is in the package batonjs-lab: npm install batonjs-lab\n`);
      expect(status).toBe(2);
    },
  );

  test('help names it, too, and a word that is no command is refused', () => {
    expect(baton('--help').stdout).toContain(
      'With the package batonjs-lab also: list, show, simulate, check, replay, measure, lab.',
    );
    const { stderr, status } = baton('excc');
    expect([stderr, status]).toEqual([expect.stringContaining("unknown command 'excc'"), 2]);
  });

  test('a process that imports and requires it has one instance of everything', () => {
    folder.write(
      'both.mjs',
      `import { createRequire } from 'node:module';
       import * as imported from 'batonjs';
       import * as cluster from 'batonjs/cluster';
       import * as algorithms from 'batonjs/algorithms';
       import * as core from 'batonjs/core';
       const require = createRequire(import.meta.url);
       const required = require('batonjs');
       console.log(imported.BatonError === required.BatonError, cluster.BatonError === required.BatonError);
       for (const [name, module] of Object.entries({ cluster, algorithms, core }))
         for (const key of Object.keys(module).filter((key) => key !== 'default'))
           if (module[key] !== require('batonjs/' + name)[key]) console.log(name, key, 'differs');
       const group = await imported.join('both');
       const other = await required.join('both');
       const lock = await group.lock('a');
       console.log(await other.tryLock('a'), require('batonjs/cluster').groups().includes('both'));
       await lock.release();
       await Promise.all([group.leave(), other.leave()]);`,
    );
    expect(folder.run(process.execPath, ['both.mjs'])).toBe('true true\nnull true\n');
  });

  test('the root exports join and the error class; everything else has a subpath', () => {
    const text = `import * as root from 'batonjs'; console.log(JSON.stringify(Object.keys(root)));`;
    expect(JSON.parse(node(text))).toEqual(['BatonError', 'join']);
  });

  test('the declarations have no internal members', () => {
    const declared = (file: string) => folder.read(`node_modules/batonjs/dist/types/cluster/group/${file}`);
    const classes = ['group.d.ts', 'lock.d.ts', 'leader-election.d.ts'].map(declared).join('');
    expect(classes).not.toMatch(/@internal|constructor\(/);
  });
});

describe('with batonjs-lab', () => {
  beforeAll(() => folder.install('batonjs', 'batonjs-lab'));

  test('the commands of the laboratory work, and help lists them', () => {
    expect(baton('list').stdout).toContain('chang-roberts');
    expect(baton('show', 'lamport').stdout).toContain('export const lamport');
    expect(JSON.parse(baton('simulate', 'bully', '--json').stdout)).toMatchObject({ ok: true, leader: 4 });
    expect(baton('--help').stdout).toMatch(/\n {2}simulate /);
  });

  test('an algorithm in a file there is checked', () => {
    folder.write(
      'own.ts',
      `import { lamport } from 'batonjs/algorithms';\nexport default { ...lamport, name: 'own' as string };\n`,
    );
    expect(baton('check', './own.ts', '--n', '2').stdout).toContain('own, n = 2: holds in every');
    folder.write('shared.ts', `import { dekker } from 'batonjs/algorithms';\nexport default dekker;\n`);
    expect(baton('check', './shared.ts').stderr).toContain(
      "'batonjs/algorithms' does not export 'dekker'; 'batonjs-lab/algorithms' does",
    );
  });

  test('several threads check, and measure finds its threads and its charts', () => {
    expect(baton('check', 'suzuki-kasami', '--n', '3', '--threads', '2').status).toBe(0);
    const sizes = ['--sizes', '4,8', '--runs', '2', '--workers', '2'];
    expect(
      JSON.parse(baton('measure', 'lamport', ...sizes, '--json', '--out', 'report').stdout),
    ).toHaveLength(6);
    expect(folder.run('ls', [join('report', 'atlas')])).toContain('mutual-exclusion.svg');
  });

  test('the laboratory uses the errors and the algorithms of batonjs', () => {
    expect(
      node(`import { lamport } from 'batonjs/algorithms';
            import { InputError } from 'batonjs/core';
            import { algorithms } from 'batonjs-lab/algorithms';
            import { simulate } from 'batonjs-lab/sim';
            try { simulate(lamport, { n: -1 }) } catch (error) { console.log(error instanceof InputError) }
            console.log(algorithms.includes(lamport))`),
    ).toBe('true\ntrue\n');
  });

  test('of another version, it is refused in a sentence', () => {
    const path = 'node_modules/batonjs-lab/package.json';
    const text = folder.read(path);
    folder.write(path, text.replace(/"version": "[^"]*"/, '"version": "9.9.9"'));
    const { version } = manifest('batonjs');
    const { stderr, status } = baton('list');
    folder.write(path, text);
    const sentence = `batonjs ${version} needs batonjs-lab ${version}, not 9.9.9: npm install batonjs-lab@${version}`;
    expect([stderr, status]).toEqual([`baton: ${sentence}\n`, 2]);
  });
});
