// The examples run and print what they say; the TypeScript of the documentation compiles. Both against the built package.
import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, expect, test } from 'vitest';
import { algorithms, sharedAlgorithms } from '../src/algorithms/index.ts';
import { mutants, sharedMutants } from '../src/mutants/index.ts';

const examples = readdirSync('examples').filter((name) => name.endsWith('.ts'));
const pages = [
  'README.md',
  'CONTRIBUTING.md',
  ...readdirSync('docs', { recursive: true, encoding: 'utf8' }).map((name) => join('docs', name)),
];
const node = (...args: string[]) => execFileSync(process.execPath, args, { encoding: 'utf8' });

beforeAll(() => {
  rmSync('build/docs', { recursive: true, force: true });
  mkdirSync('build/docs', { recursive: true });
  for (const page of pages.filter((name) => name.endsWith('.md'))) {
    const blocks = [...readFileSync(page, 'utf8').matchAll(/^```ts\n([\s\S]*?)^```/gm)];
    for (const [index, [, block]] of blocks.entries()) {
      writeFileSync(`build/docs/${page.replace(/\W+/g, '-')}-${index}.ts`, `${block}\nexport {};\n`);
    }
  }
  node('node_modules/typescript/bin/tsc', '-p', 'examples');
});

test.each(examples)('examples/%s', (name) => {
  const expected = [...readFileSync(join('examples', name), 'utf8').matchAll(/^\/\/ prints: (.*)$/gm)].map(
    ([, line]) => line!,
  );
  const printed = node(join('build/examples', name.replace(/\.ts$/, '.js')));
  expect(expected).not.toEqual([]);
  for (const line of expected) expect(printed).toContain(line);
});

test('examples are of a size to be read', () => {
  for (const name of examples)
    expect(readFileSync(join('examples', name), 'utf8').split('\n').length).toBeLessThanOrEqual(62);
});

test('the README does what it says', () => {
  const readme = readFileSync('README.md', 'utf8');
  const block = /^\$ baton (.*)\n([\s\S]*?)^```/m.exec(readme)!;
  const args = block[1]!.split(' ');
  let printed = '';
  try {
    printed = node('dist/cli/main.js', ...args);
  } catch (error) {
    printed = (error as { stdout: string }).stdout; // a violation, as shown
  }
  for (const line of block[2]!.split('\n').filter((text) => text.trim() !== '..'))
    expect(printed).toContain(line);
});

test('the errata name traces and mutants that exist', () => {
  const errata = readFileSync('docs/errata.md', 'utf8');
  const traces = [...errata.matchAll(/`([a-z-]+\/[a-z0-9-]+\.trace)`/g)].map(([, path]) => path!);
  expect(traces.length).toBeGreaterThan(9);
  for (const path of traces) expect(existsSync(join('test/golden', path)), path).toBe(true);
  const names = new Set(
    [...algorithms, ...sharedAlgorithms, ...mutants, ...sharedMutants].map(({ name }) => name),
  );
  for (const [, name] of errata.matchAll(/`([a-z]+-[a-z-]+)`/g)) expect(names, name).toContain(name);
});
