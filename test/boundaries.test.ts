// The map of the code base. Arrows only point up: a folder may import what is listed, and itself.
import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, test } from 'vitest';

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
    'catalogue',
    'member',
    'node:',
    '@msgpack/msgpack',
    '@opentelemetry/api',
    '@nats-io/kv',
    '@nats-io/transport-node',
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
    'diagram',
    'measure',
    'cluster',
    'live',
    'node:',
    'commander',
    'jiti',
  ],
  'browser.ts': ['core', 'machine', 'algorithms', 'compositions', 'mutants', 'causality', 'sim', 'check'],
  'index.ts': ['browser.ts', 'cluster'],
};
const impureFolders = ['cli', 'cluster', 'lab'];
const contractFolders = ['core', 'machine', 'catalogue']; // that tell the two contracts apart
const impure =
  /\b(Date|performance|async|await|globalThis|eval|Intl|localeCompare|toLocale\w*|Math\.(random|log\w*|exp\w*|pow|sin|cos|tan))\b/;

const files = readdirSync('src', { recursive: true, encoding: 'utf8' }).filter((file) =>
  /\.tsx?$/.test(file),
);
const lines = (text: string) => text.trimEnd().split('\n');
const code = (text: string) => text.replace(/\/\*[\s\S]*?\*\/|\/\/.*/g, '');

test('every folder is on the map', () => {
  expect(new Set(files.map((file) => file.split('/')[0]!))).toEqual(new Set(Object.keys(may)));
});

describe.each(files)('%s', (file) => {
  const text = readFileSync(join('src', file), 'utf8');
  const folder = file.split('/')[0]!;

  test('imports only what its folder may', () => {
    for (const [, to = ''] of text.matchAll(/(?:from|import)\s*\(?\s*'([^']+)'/g)) {
      const target = to.startsWith('.') ? join(dirname(file), to).split('/')[0]! : to.replace(/:.*/, ':');
      expect([folder, ...may[folder]!], `${folder} imports ${to}`).toContain(target);
    }
  });

  test('is pure where it should be', () => {
    if (!impureFolders.includes(folder)) expect(code(text)).not.toMatch(impure);
  });

  test('asks what an algorithm declares, not which contract it keeps', () => {
    if (!contractFolders.includes(folder))
      expect(code(text)).not.toMatch(/\bisShared\(|'(channels|program|topology)' in /);
  });

  test('is of a size to be read', () => {
    const isAlgorithm = folder === 'algorithms' && file !== 'algorithms/index.ts';
    expect(lines(text).length).toBeLessThanOrEqual(isAlgorithm ? 120 : 450);
    if (isAlgorithm) expect(text, 'begins with its citation').toMatch(/^\/\/ ([A-Z]\.|Folklore)/);
  });
});
