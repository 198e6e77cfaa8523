// The map of the code base. Arrows point one way: a folder may import itself and the folders listed.
import { readFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { cycleIn, sourceFiles as files, importGraph, importsOf } from './import-graph.ts';

const may: Record<string, readonly string[]> = {
  core: [],
  machine: ['core'],
  problems: ['core'],
  algorithms: ['core'],
  compositions: ['core', 'machine'],
  mutants: ['core', 'algorithms', 'compositions'],
  catalogue: ['core', 'machine', 'algorithms', 'compositions', 'mutants'],
  causality: ['core', 'algorithms'],
  sim: ['core', 'machine', 'problems', 'causality'],
  check: ['core', 'machine', 'problems', 'sim'],
  timeline: ['core', 'machine', 'problems', 'sim'],
  member: ['core', 'machine', 'compositions'],
  cluster: [
    'core',
    'machine',
    'algorithms',
    'catalogue',
    'member',
    'node:',
    '@msgpack/msgpack',
    '@opentelemetry/api',
    '@nats-io/kv',
    '@nats-io/transport-node',
    'mysql2',
    'pg',
    'redis',
  ],
  diagram: ['core', 'algorithms', 'causality'],
  live: ['core', 'member'],
  lab: [
    'core',
    'machine',
    'catalogue',
    'sim',
    'check',
    'timeline',
    'diagram',
    'live',
    'measure',
    'chart',
    'preact',
    'preact/hooks',
    '@codemirror/commands',
    '@codemirror/lang-javascript',
    '@codemirror/language',
    '@codemirror/search',
    '@codemirror/state',
    '@codemirror/view',
    '@lezer/highlight',
    '@jridgewell/trace-mapping',
    '@ts-morph/common',
    '@ts-morph/common/dist/typescript.js',
    'virtual:',
  ],
  chart: ['d3-scale', 'd3-shape'],
  measure: ['core', 'sim', 'chart'],
  cli: [
    'core',
    'problems',
    'algorithms',
    'catalogue',
    'causality',
    'sim',
    'check',
    'timeline',
    'diagram',
    'measure',
    'cluster',
    'live',
    'node:',
    'commander',
    'jiti',
    'batonjs-lab/commands',
  ],
  'engine-conformance': ['core', 'member', 'cluster', 'node:'],
  'index.ts': ['cluster'],
};
const impureFolders = ['cli', 'cluster', 'engine-conformance', 'lab'];
const contractFolders = ['core', 'machine', 'catalogue']; // only these distinguish the two contracts
const impure =
  /\b(Date|performance|async|await|globalThis|eval|Intl|localeCompare|toLocale\w*|Math\.(random|log\w*|exp\w*|pow|sin|cos|tan))\b/;

const lines = (text: string) => text.trimEnd().split('\n');
const code = (text: string) => text.replace(/\/\*[\s\S]*?\*\/|\/\/.*/g, '');

test('every folder is on the map', () => {
  expect(new Set(files.map((file) => file.split('/')[0]!))).toEqual(new Set(Object.keys(may)));
});

describe('imports between files', () => {
  test('form no cycle, type imports included', () => {
    expect(cycleIn(importGraph())).toBeNull();
  });

  test('a planted cycle is found, and is a shortest one', () => {
    const graph = importGraph();
    const [file, [imported]] = [...graph].find(([, targets]) => targets.length > 0) as [string, [string]];
    graph.set(imported, [...graph.get(imported)!, file]);
    expect(cycleIn(graph)).toHaveLength(3);
    expect(
      cycleIn(
        new Map([
          ['a.ts', ['b.ts']],
          ['b.ts', ['c.ts']],
          ['c.ts', ['a.ts']],
        ]),
      ),
    ).toEqual(['a.ts', 'b.ts', 'c.ts', 'a.ts']);
  });
});

/** What the package batonjs has: of the catalogue only the search by name, of the command line only what concerns groups. */
const inBaton =
  /^(core|machine|member|cluster|compositions)\/|^index\.ts|^catalogue\/resolver\.ts|^algorithms\/(mutex\/|election\/|locks-and-elections\.ts)|^cli\/((main|program|group-commands)\.ts|commands\/(exec|lead|status)\.ts|input\/connection-flags\.ts|output\/|processes\/(child-process|termination)\.ts)/;

test('the package for locks has nothing of the laboratory', () => {
  const graph = importGraph();
  const found = new Set([
    'index.ts',
    'cli/main.ts',
    'core/index.ts',
    'machine/index.ts',
    'cluster/fences.ts',
  ]);
  for (const file of found) for (const imported of graph.get(file)!) found.add(imported);
  expect([...found].filter((file) => !inBaton.test(file))).toEqual([]);
  expect(found).toContain('algorithms/locks-and-elections.ts');
});

// An algorithm's file names its parts as its paper does, and a mutant is named after the algorithm it distorts.
const isAlgorithm = (file: string) => /^(algorithms|compositions|mutants|lab\/edit\/templates)\//.test(file);

describe('one name, one meaning', () => {
  /** Returns the names that are declared in more than one file, with these files. */
  function homonyms(namesIn: (file: string) => string[]): Record<string, string[]> {
    const places = new Map<string, string[]>();
    for (const file of files.filter((one) => !isAlgorithm(one)))
      for (const name of new Set(namesIn(file))) places.set(name, [...(places.get(name) ?? []), file]);
    return Object.fromEntries([...places].filter(([, where]) => where.length > 1));
  }
  const declared = (file: string, what: string) =>
    [
      ...code(readFileSync(join('src', file), 'utf8')).matchAll(
        new RegExp(`^(?:export )?(?:abstract )?(?:${what}) (\\w+)`, 'gm'),
      ),
    ].map(([, name]) => name!);

  test('of types and classes', () => {
    const names = (file: string) => declared(file, 'class|interface|type').filter((name) => name !== 'Props');
    expect(homonyms(names)).toEqual({});
  });

  test('of exported functions and constants', () => {
    const names = (file: string) =>
      declared(file, 'function\\*?|async function|const').filter((name) =>
        new RegExp(`^export .*\\b${name}\\b`, 'm').test(readFileSync(join('src', file), 'utf8')),
      );
    expect(homonyms(names)).toEqual({});
  });

  test('of files, except a command or a panel and what it shows', () => {
    const named = (file: string) =>
      [basename(file).replace(/\.tsx?$/, '')].filter((name) => name !== 'index');
    const isFront = (file: string) => /^(cli\/commands|cli\/main|lab\/main|lab\/panels)/.test(file);
    const twice = Object.entries(homonyms(named)).filter(([, where]) => !where.some(isFront));
    expect(twice).toEqual([]);
  });
});

describe.each(files)('%s', (file) => {
  const text = readFileSync(join('src', file), 'utf8');
  const folder = file.split('/')[0]!;

  test('imports only what its folder may', () => {
    for (const to of importsOf(text)) {
      const target = to.startsWith('.') ? join(dirname(file), to).split('/')[0]! : to.replace(/:.*/, ':');
      expect([folder, ...may[folder]!], `${folder} imports ${to}`).toContain(target);
    }
  });

  test('is pure if its folder must be', () => {
    if (!impureFolders.includes(folder)) expect(code(text)).not.toMatch(impure);
  });

  test('reads what an algorithm declares, not which contract it follows', () => {
    if (!contractFolders.includes(folder))
      expect(code(text)).not.toMatch(/\bisShared\(|'(channels|program|topology)' in /);
  });

  test('is small enough to read', () => {
    const isPaper = folder === 'algorithms' && dirname(file) !== folder;
    expect(lines(text).length).toBeLessThanOrEqual(isPaper ? 120 : 450);
    if (isPaper) expect(text, 'begins with its citation').toMatch(/^\/\/ ([A-Z]\.|Folklore)/);
  });
});
