// The parts of the editor that need no browser.
import { readdirSync, readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { check } from '../../src/check/index.ts';
import type { AnyAlgorithm } from '../../src/core/algorithm.ts';
import { algorithmIn } from '../../src/core/algorithm-validation.ts';
import * as core from '../../src/core/index.ts';
import { resolveImport } from '../../src/lab/edit/resolve-import.ts';
import { diagnosticOf } from '../../src/lab/edit/source-positions.ts';
import { standardLibrary } from '../../src/lab/edit/standard-library.ts';
import { Compiler } from '../../src/lab/edit/typescript-compiler.ts';
import { pack, unpack } from '../../src/lab/state/packed-text.ts';

const folder = 'src/lab/edit/templates/';
const read = (name: string) => readFileSync(`${folder}${name}.ts`, 'utf8');
const modules = Object.fromEntries(
  [
    'core',
    ...['mutex', 'election', 'clocks', 'shared'].map((problem) => `algorithms/${problem}`),
    'mutants',
  ].flatMap((at) =>
    readdirSync(`src/${at}`).map((file) => [`/src/${at}/${file}`, readFileSync(`src/${at}/${file}`, 'utf8')]),
  ),
);
const compiler = new Compiler(standardLibrary(), modules);

/** Evaluates code like the lab, but without a module from a blob. */
function evaluated(code: string): AnyAlgorithm {
  const exported = {};
  new Function('require', 'exports', code)(() => core, exported);
  return algorithmIn('the text', exported) as AnyAlgorithm;
}

test.each([
  ['missing-tie-break', 'at most one inside'],
  ['empty-mutex', 'at most one inside'],
  ['empty-election', 'one leader'],
])('%s compiles, keeps to the contract, and violates a property: %s', (name, property) => {
  const { code, syntax, types } = compiler.compile(read(name));
  expect([...syntax, ...types]).toEqual([]);
  expect(check(evaluated(code), { n: 3 }).violation?.property).toContain(property);
});

test('the solved exercise passes the check', () => {
  const mended = read('missing-tie-break').replace(
    's.ourSequenceNumber < k;',
    's.ourSequenceNumber < k || (s.ourSequenceNumber === k && p.me < j);',
  );
  expect(check(evaluated(compiler.compile(mended).code), { n: 3 })).toMatchObject({
    ok: true,
    complete: true,
  });
});

test('every file of the catalogue compiles unchanged with the library of the editor', () => {
  const isElsewhere = (path: string) =>
    /^\/src\/(core\/|mutants\/(index|lock-recovery|repeated-election|with-snapshots))/.test(path);
  const problems = Object.entries(modules).flatMap(([path, text]) => {
    const { syntax, types } = isElsewhere(path) ? { syntax: [], types: [] } : compiler.compile(text);
    return [...syntax, ...types].map(({ message }) => `${path}: ${message}`);
  });
  expect(problems).toEqual([]);
});

test('the library is closed under references and has no browser declarations', () => {
  const library = standardLibrary();
  expect(Object.keys(library)).toContain('lib.es2016.array.include.d.ts');
  expect(Object.values(library)).not.toContain(undefined);
  expect(Object.keys(library).filter((name) => /dom|full|scripthost|webworker/.test(name))).toEqual([]);
});

test('diagnostics have the position of the mistake', () => {
  const at = (text: string) => {
    const { syntax, types } = compiler.compile(text);
    return [...syntax, ...types].map(({ from, to, message }) => [text.slice(from, to), message]);
  };
  expect(at(read('empty-mutex').replace("knows: ['me'", "knows: ['you'"))[0]).toEqual([
    "'you'",
    expect.stringContaining('is not assignable'),
  ]);
  expect(at('const x = ;')[0]).toEqual([';', 'Expression expected.']);
  expect(at("import { x } from 'elsewhere';")[0]![1]).toContain("Cannot find module 'elsewhere'");
});

test('a contract error is shown at its field, or at the parent of a missing field', () => {
  const text = read('empty-mutex');
  const shown = (message: string) => {
    const { from, to } = diagnosticOf(
      { message, at: null },
      text,
      '{"version":3,"sources":[],"mappings":""}',
    );
    return text.slice(from, to);
  };
  const flaw = "the text: its export 'mine' is not an algorithm:";
  expect(shown(`${flaw} problem is 3, not one of mutex, election`)).toBe("problem: 'mutex',");
  expect(shown(`${flaw} calls.leave is missing`)).toBe('calls: {');
  expect(shown(`${flaw} elects is missing`)).toMatch(/^export const mine/);
});

test('an import resolves to the file with that ending', () => {
  const paths = ['/src/core/index.ts', '/src/core/bounds.ts', '/src/algorithms/mutex/lamport.ts'];
  expect(resolveImport('batonjs', paths)).toBe('/src/core/index.ts');
  expect(resolveImport('../../core/bounds.ts', paths)).toBe('/src/core/bounds.ts');
  expect(resolveImport('./lamport.ts', paths)).toBe('/src/algorithms/mutex/lamport.ts');
  expect(resolveImport('node:fs', paths)).toBeNull();
});

test('a packed text unpacks to the same text', async () => {
  for (const text of ['', 'é ≤ 𝄞', read('missing-tie-break')]) {
    const packed = await pack(text);
    expect(packed).toMatch(/^[\w-]*$/);
    expect(await unpack(packed)).toBe(text);
  }
  await expect(unpack('!')).rejects.toThrow('the text in the link is damaged');
  await expect(unpack(await pack('x'.repeat(200_001)))).rejects.toThrow('too long');
});

test('of several algorithms, the name chooses one', () => {
  const [a, b] = ['a', 'b'].map((name) => ({
    ...evaluated(compiler.compile(read('empty-mutex')).code),
    name,
  }));
  expect(algorithmIn('the text', { a, b }, 'b')).toBe(b);
  expect(() => algorithmIn('the text', { a, b })).toThrow('exports several algorithms, a, b');
});

test.each([
  ['while (s.wants) {}', 23],
  ['for (;;);', 23],
  ['if (s.wants) do s.wants = true; while (s.wants)', 23],
  ['outer: for (;;) { for (const k of [1, 2]) if (k === 2) continue outer; }', 23],
])('an endless loop fails at its line: %s', (loop, line) => {
  const text = read('empty-mutex').replace('s.wants = true;', `s.wants = true; ${loop};`);
  const { code, syntax } = compiler.compile(text);
  expect(syntax).toEqual([]);
  expect(text.split('\n')[line - 1]).toContain(loop);
  const why = /a loop has not ended after 1000000 rounds/;
  expect(check(evaluated(code), { n: 2 }).violation).toMatchObject({
    property: 'the handlers do not fail',
    why: expect.stringMatching(why),
  });
});

test('loops that end are left as they are, nested, labelled and in one line', () => {
  const text = `export const out: number[] = [];
outer: for (let i = 0; i < 3; i++) { for (const k of [0, 1, 2]) { if (k > i) continue outer; out.push(i * 10 + k); } }
for (const key in { a: 1 }) out.push(key.length); let w = 2; while (w > 0) w -= 1;
do out.push(w); while (++w < 2);`;
  const exported: { out?: number[] } = {};
  new Function('require', 'exports', compiler.compile(text).code)(() => core, exported);
  expect(exported.out).toEqual([0, 10, 11, 20, 21, 22, 1, 0, 1]);
});
