// Every algorithm has a page: its idea, assumptions, costs and limits. These tests check the pages and the other documents as far as possible.
import { spawnSync } from 'node:child_process';
import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, test } from 'vitest';
import { algorithms, aliases, clockAlgorithms, sharedAlgorithms } from '../src/algorithms/index.ts';
import { logicalClocks } from '../src/causality/index.ts';
import { isShared } from '../src/core/shared-algorithm.ts';
import { clockMutants, mutants, sharedMutants } from '../src/mutants/index.ts';
import { measuredOf } from './pages/measured.ts';
import { controlTable } from './pages/measured-control.ts';
import {
  blockOf,
  commandsOf,
  folder,
  hasOwnPage,
  headings,
  linksOf,
  namesIn,
  pathOf,
  read,
  redraw,
  rowsOf,
  sectionOf,
  sentencesOf,
  tracesIn,
  writeBlock,
} from './pages/page.ts';

const catalogue = [...algorithms, ...clockAlgorithms, ...sharedAlgorithms];
const wrong = [...mutants, ...clockMutants, ...sharedMutants];
const names = new Set(
  [...catalogue, ...wrong, ...logicalClocks]
    .map(({ name }) => name)
    .concat(Object.keys(aliases), 'chandy-lamport', 'rounds', 'batonjs-lab'),
);

const documents = [
  ...readdirSync('.').filter((name) => name.endsWith('.md')),
  ...readdirSync('docs', { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.md'))
    .map((name) => join('docs', name)),
];

/** The result of each command in the documents, by its arguments. */
const results = new Map<string, { status: number; printed: string }>();

beforeAll(() => {
  const commands = documents.flatMap((path) => commandsOf(read(path))).map(({ args }) => args);
  const { stdout, stderr } = spawnSync(process.execPath, ['test/pages/commands.js'], {
    input: JSON.stringify(commands),
    encoding: 'utf8',
    maxBuffer: 1 << 28,
  });
  expect(stderr).toBe('');
  const ended = JSON.parse(stdout) as { status: number; printed: string }[];
  for (const [k, args] of commands.entries()) results.set(args.join(' '), ended[k]!);
});

describe.each(catalogue.map((algorithm) => [algorithm.name, algorithm] as const))('%s', (name, algorithm) => {
  const path = pathOf(algorithm);
  const text = existsSync(path) ? read(path) : '';

  test('has a page with the usual headings', () => {
    expect(text, `${path} is missing`).not.toBe('');
    if (hasOwnPage(algorithm)) expect(text.split('\n')[0]).toBe(`# ${name}`);
    expect([...text.matchAll(/^## (.*)$/gm)].map(([, heading]) => heading!)).toEqual(headings);
  });

  test('cites its paper, and has its other names', () => {
    const [, doi] = /^doi:(.*)$/.exec(algorithm.paper) ?? [];
    if (doi !== undefined) expect(text).toContain(`(https://doi.org/${doi})`);
    for (const [alias, of] of Object.entries(aliases)) if (of === algorithm) expect(text).toContain(alias);
  });

  test('has its idea in five sentences', () => {
    expect(sentencesOf(sectionOf(text, 'Idea'))).toHaveLength(5);
  });

  test('names what it declares to assume', () => {
    const rows = rowsOf(sectionOf(text, 'Assumptions'));
    for (const [key, value] of Object.entries(algorithm.assumes)) {
      const row = rows.find(([label]) => label === (key === 'topology' ? 'network' : key));
      expect(row?.[1], key).toBe(`\`${value}\``);
    }
    const said = (fact: string) => rows.filter(([label]) => label === fact).map(([, value]) => value);
    if (isShared(algorithm)) {
      const { min = 1, max } = algorithm.processes ?? {};
      expect(said('processes')).toEqual([min === max ? `${min}` : min > 1 ? `${min} or more` : 'any']);
    } else expect(said('knows')).toEqual(algorithm.knows.map((fact) => `\`${fact}\``));
  });

  test('has its bounds measured', () => {
    const block = measuredOf(algorithm);
    const of = hasOwnPage(algorithm) ? null : name;
    if (process.env.BATON_REWRITE === '1') writeBlock(path, of, block);
    expect(blockOf(read(path), of), `${path} is out of date: npm test -- ${name} --rewrite`).toBe(block);
  });

  test('says what breaks it, each mutant included', () => {
    const section = sectionOf(text, 'What breaks it');
    // Crashes are the only faults on shared memory. An algorithm that tolerates them has a command that shows it.
    const toleratesCrashes = isShared(algorithm) && algorithm.assumes.failures === 'crash';
    const own = commandsOf(section).filter(({ args, status }) => args[1] === name && status.length === 1);
    const expected = own.filter(({ args, status: [status] }) =>
      toleratesCrashes ? status === 0 && args.includes('--crash') : status === 1,
    );
    expect(expected, 'without an assumption').not.toEqual([]);
    for (const mutant of wrong) if (mutant.of === name) expect(section).toContain(`\`${mutant.name}\``);
  });
});

test('helary-plouzeau-raynal-flooding has the saving of knowledge control measured', () => {
  const path = join(folder, 'helary-plouzeau-raynal-flooding.md');
  const block = controlTable();
  if (process.env.BATON_REWRITE === '1') writeBlock(path, 'knowledge control', block);
  expect(blockOf(read(path), 'knowledge control'), `${path} is out of date`).toBe(block);
});

describe.each([...logicalClocks.map(({ name }) => name), 'causal-delivery'])('%s', (name) => {
  const text = read(join(folder, `${name}.md`));

  test('has a page with the usual headings, and its idea in five sentences', () => {
    expect(text.split('\n')[0]).toBe(`# ${name}`);
    expect([...text.matchAll(/^## (.*)$/gm)].map(([, heading]) => heading!)).toEqual(
      headings.toSpliced(1, 0, 'Example', 'Where it runs'),
    );
    expect(sentencesOf(sectionOf(text, 'Idea'))).toHaveLength(5);
  });

  test('is in the index', () => {
    const rows = rowsOf(sectionOf(read(join(folder, 'README.md')), 'Logical time'));
    expect(rows.map(([link]) => link)).toContain(`[${name}](${name}.md)`);
  });
});

describe.each(documents)('%s', (path) => {
  const text = read(path);

  test('its commands end as it says', () => {
    if (process.env.BATON_REWRITE === '1') redraw(path, (args) => results.get(args.join(' '))!.printed);
    for (const { args, status, shows } of commandsOf(read(path))) {
      const command = args.join(' ');
      const result = results.get(command)!;
      expect(status, `baton ${command}\n${result.printed}`).toContain(result.status);
      for (const line of shows) expect(result.printed, `baton ${command}`).toContain(line);
    }
  });

  test('the algorithms, mutants and traces that it names exist', () => {
    for (const trace of tracesIn(text)) expect(existsSync(join('test/golden', trace)), trace).toBe(true);
    for (const name of namesIn(text)) {
      const isThere = names.has(name) || name.split('+').every((part) => names.has(part));
      expect(isThere, name).toBe(true);
    }
  });

  test('its links have targets', () => {
    for (const target of linksOf(path)) expect(existsSync(target), `${path}: ${target}`).toBe(true);
  });
});

test('every mutant is refuted by a command on a page', () => {
  const commands = documents.flatMap((path) => commandsOf(read(path)));
  const refuted = new Set(
    commands.flatMap(({ args, status }) => (status.every((code) => code === 1) ? [args[1]] : [])),
  );
  const left = wrong.filter(({ name }) => !refuted.has(name));
  expect(left.map(({ name }) => name)).toEqual([
    'vitanyi-ring-size-hurries', // it elects: the number of processes that it counts is no part of the problem
  ]);
});

test('the pages of recovery, of elections and of snapshots have the mutants of compositions', () => {
  const pages = {
    '+bully': read('docs/recovery.md'),
    '+rounds': read('docs/elections.md'),
    '+chandy-lamport': read(join(folder, 'chandy-lamport.md')),
  };
  for (const [part, page] of Object.entries(pages))
    for (const { name, of } of mutants) if (of.endsWith(part)) expect(page).toContain(`\`${name}\``);
});

test('the page of snapshots has the usual headings', () => {
  const text = read(join(folder, 'chandy-lamport.md'));
  expect([...text.matchAll(/^## (.*)$/gm)].map(([, heading]) => heading!)).toEqual(headings);
});

test('the index has a row for each algorithm, in the order of the catalogue', () => {
  const index = read(join(folder, 'README.md'));
  const rows = ['Mutual exclusion', 'Election', 'Clocks', 'Shared memory'].map((heading) =>
    rowsOf(sectionOf(index, heading)).slice(2),
  );
  const linked = (algorithm: (typeof catalogue)[number]) =>
    `[${algorithm.name}](${pathOf(algorithm).slice(folder.length + 1)})`;
  expect(rows.map((some) => some.map(([name]) => name))).toEqual([
    algorithms.filter(({ problem }) => problem === 'mutex').map(linked),
    algorithms.filter(({ problem }) => problem === 'election').map(linked),
    clockAlgorithms.map(linked),
    sharedAlgorithms.map(linked),
  ]);
  const networks = [...algorithms, ...clockAlgorithms].map(({ assumes }) => assumes.topology);
  expect(
    rows
      .slice(0, 3)
      .flat()
      .map(([, network]) => network),
  ).toEqual(networks);
  for (const row of rows.flat()) expect(row).toHaveLength(4);
});

test('the errata are in order, each once', () => {
  const numbers = rowsOf(read('docs/errata.md'))
    .map(([number]) => number!)
    .slice(2);
  expect(numbers).toEqual([...new Set(numbers)].sort());
});
