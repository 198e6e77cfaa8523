// Every algorithm has a page that says what it does, needs, costs and cannot bear; what can be checked of it is.
import { spawnSync } from 'node:child_process';
import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, test } from 'vitest';
import { algorithms, sharedAlgorithms } from '../src/algorithms/index.ts';
import { mutants, sharedMutants } from '../src/mutants/index.ts';
import { measuredOf } from './pages/measured.ts';
import {
  blockOf,
  commandsOf,
  folder,
  hasOwnPage,
  headings,
  linksOf,
  pathOf,
  read,
  redraw,
  rowsOf,
  sectionOf,
  sentencesOf,
  writeBlock,
} from './pages/page.ts';

const files = readdirSync(folder).filter((name) => name.endsWith('.md'));
const names = new Set(
  [...algorithms, ...sharedAlgorithms, ...mutants, ...sharedMutants].map(({ name }) => name),
);

/** How each command of the pages ended, by its arguments. */
const results = new Map<string, { status: number; printed: string }>();

beforeAll(() => {
  const commands = files.flatMap((file) => commandsOf(read(join(folder, file)))).map(({ args }) => args);
  const { stdout, stderr } = spawnSync(process.execPath, ['test/pages/commands.js'], {
    input: JSON.stringify(commands),
    encoding: 'utf8',
    maxBuffer: 1 << 28,
  });
  expect(stderr).toBe('');
  const ended = JSON.parse(stdout) as { status: number; printed: string }[];
  for (const [k, args] of commands.entries()) results.set(args.join(' '), ended[k]!);
});

describe.each(algorithms.map((algorithm) => [algorithm.name, algorithm] as const))(
  '%s',
  (name, algorithm) => {
    const path = pathOf(algorithm);
    const text = existsSync(path) ? read(path) : '';
    const own = mutants.filter((mutant) => mutant.of === name);

    test('has a page with the usual headings', () => {
      expect(text, `${path} is missing`).not.toBe('');
      if (hasOwnPage(algorithm)) expect(text.split('\n')[0]).toBe(`# ${name}`);
      const found = [...text.matchAll(/^## (.*)$/gm)].map(([, heading]) => heading!);
      expect(found.filter((heading) => headings.includes(heading))).toEqual(headings);
    });

    test('cites its paper', () => {
      const [, doi] = /^doi:(.*)$/.exec(algorithm.paper) ?? [];
      if (doi !== undefined) expect(text).toContain(`(https://doi.org/${doi})`);
    });

    test('has its idea in five sentences', () => {
      expect(sentencesOf(sectionOf(text, 'Idea'))).toHaveLength(5);
    });

    test('names what it declares to assume', () => {
      const section = sectionOf(text, 'Assumptions');
      const rows = rowsOf(section);
      for (const [key, value] of Object.entries(algorithm.assumes)) {
        const row = rows.find(([label]) => label === (key === 'topology' ? 'network' : key));
        expect(row?.[1] ?? section, key).toContain(row ? `\`${value}\`` : value);
      }
      const known = rows.filter(([label]) => label === 'knows').map(([, fact]) => fact);
      if (known.length > 0) expect(known).toEqual(algorithm.knows.map((fact) => `\`${fact}\``));
    });

    test('has its bounds measured', () => {
      if (/<!-- not measured: .+ -->/.test(sectionOf(text, 'Bounds'))) return;
      const block = measuredOf(algorithm);
      const of = hasOwnPage(algorithm) ? null : name;
      if (process.env.BATON_REWRITE === '1') writeBlock(path, of, block);
      expect(blockOf(read(path), of), `${path} is out of date: npm test -- --rewrite`).toBe(block);
    });

    test('says what breaks it, each mutant included', () => {
      const section = sectionOf(text, 'What breaks it');
      const failing = commandsOf(section).filter(({ status }) => status.includes(1));
      expect(
        failing.filter(({ args }) => args[1] === name),
        'without an assumption',
      ).not.toEqual([]);
      for (const mutant of own) expect(section).toContain(mutant.name);
    });
  },
);

describe.each(files)('%s', (file) => {
  const path = join(folder, file);
  const text = read(path);

  test('commands end as it says', () => {
    if (process.env.BATON_REWRITE === '1') redraw(path, (args) => results.get(args.join(' '))!.printed);
    for (const { args, status, shows } of commandsOf(read(path))) {
      const command = args.join(' ');
      const result = results.get(command)!;
      expect(status, `baton ${command}\n${result.printed}`).toContain(result.status);
      for (const line of shows) expect(result.printed, `baton ${command}`).toContain(line);
    }
  });

  test('algorithms, mutants and traces that it names exist', () => {
    for (const [, trace] of text.matchAll(/\b((?:test\/golden\/)?[a-z-]+\/[a-z0-9-]+\.trace)\b/g))
      expect(existsSync(join('test/golden', trace!.replace('test/golden/', ''))), trace).toBe(true);
    for (const [, name] of text.matchAll(/`([a-z]+(?:-[a-z]+)+)`/g)) expect(names, name).toContain(name);
  });

  test('links lead somewhere', () => {
    for (const target of linksOf(path)) expect(existsSync(target), `${path}: ${target}`).toBe(true);
  });
});

test('the index has a row for each algorithm, in the order of the catalogue', () => {
  const rows = rowsOf(read(join(folder, 'README.md'))).slice(2);
  const expected = [
    ...algorithms.map((algorithm) => [
      `[${algorithm.name}](${pathOf(algorithm).slice(folder.length + 1)})`,
      algorithm.problem,
      algorithm.assumes.topology as string,
    ]),
    ...sharedAlgorithms.map(({ name, problem }) => [`[${name}](${name}.md)`, problem, 'shared memory']),
  ];
  expect(rows.map((row) => row.slice(0, 3))).toEqual(expected);
  for (const row of rows) expect(row).toHaveLength(5);
});

test.each(['README.md', 'CONTRIBUTING.md', 'docs/errata.md', 'docs/findings.md'])(
  'links of %s lead somewhere',
  (path) => {
    for (const target of linksOf(path)) expect(existsSync(target), target).toBe(true);
  },
);
