// The pages of the algorithms on shared memory: headings, five sentences, and what was measured beside what is claimed.
import { readFileSync, writeFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { sharedAlgorithms } from '../src/algorithms/index.ts';
import { type AnySharedAlgorithm, registersIn } from '../src/core/shared.ts';
import { sharedMutants } from '../src/mutants/index.ts';
import { type Scenario, simulate } from '../src/sim/index.ts';

const seeds = 20;
const settings: Readonly<Record<string, (n: number) => Scenario>> = {
  'one asks': () => ({ start: [{ process: 0 }] }),
  light: (n) => ({ think: `exponential:${2000 * n}` }),
  heavy: () => ({ think: 'fixed:0' }),
};

const line = (cells: readonly string[]) => `| ${cells.join(' | ')} |`;
const number = (value: number): string => `${Math.round(value * 100) / 100}`;
const words = { always: 'exactly', best: 'at least', worst: 'at most', mean: 'on average' } as const;

function measured(algorithm: AnySharedAlgorithm, kind: string, n: number, scenario: Scenario): string {
  const entries = Math.max(3, Math.ceil(60 / n));
  const values = Array.from({ length: seeds }, (_, seed) => {
    const run = simulate(algorithm, { ...scenario, n, entries, seed });
    expect(run.violations).toEqual([]);
    return run.messages.byType[kind]! / run.entries;
  });
  const [least, most] = [Math.min(...values), Math.max(...values)];
  const mean = values.reduce((a, b) => a + b) / seeds;
  return least === most ? number(least) : [least, mean, most].map(number).join(' / ');
}

function blockOf(algorithm: AnySharedAlgorithm): string {
  const { min = 1, max = 10 } = algorithm.processes ?? {};
  const sizes = [2, 3, 5, 10].filter((n) => n >= min && n <= max);
  const claims = algorithm.bounds.map((bound) =>
    line([
      `\`${bound.counts.join('` + `')}\``,
      `${words[bound.case]} \`${bound.formula}\``,
      bound.when?.condition ?? 'always',
      bound.source,
    ]),
  );
  const rows = ['write', 'read'].flatMap((kind) =>
    Object.entries(settings).map(([name, scenario]) =>
      line([`\`${kind}\``, name, ...sizes.map((n) => measured(algorithm, kind, n, scenario(n)))]),
    ),
  );
  const registers = sizes.map((n) => `${registersIn(algorithm.registers(n))}`);
  return [
    line(['accesses', 'claimed', 'when', 'source']),
    '| --- | --- | --- | --- |',
    ...claims,
    '',
    `Accesses per entry, measured: least / mean / most of ${seeds} runs; one number where all runs agree. Light: one asks about every 2000 ticks;`,
    'heavy: everybody asks again as soon as it has left. A step takes 1 to 10 ticks.',
    '',
    line(['', '', ...sizes.map((n) => `n = ${n}`)]),
    line(['---', '---', ...sizes.map(() => '---')]),
    ...rows,
    line(['registers', '', ...registers]),
  ].join('\n');
}

describe.each(sharedAlgorithms.map((algorithm) => [algorithm.name, algorithm] as const))(
  '%s',
  (name, algorithm) => {
    const path = `docs/algorithms/${name}.md`;
    const text = readFileSync(path, 'utf8');
    const section = (heading: string) => text.split(`\n## ${heading}\n`)[1]!.split('\n## ')[0]!;

    test('headings, five sentences, and every mutant', () => {
      expect([...text.matchAll(/^#+ (.*)$/gm)].map(([, heading]) => heading)).toEqual([
        name,
        'Idea',
        'Assumptions',
        'Bounds',
        'What breaks it',
      ]);
      const idea = section('Idea').split('```')[0]!.trim();
      expect(idea.split(/(?<=\.)\s/).length).toBe(5);
      for (const mutant of sharedMutants.filter(({ of }) => of === name))
        expect(section('What breaks it')).toContain(`\`${mutant.name}\``);
    });

    test('what was measured is what is measured', () => {
      const [before, rest] = text.split('<!-- measured -->\n') as [string, string];
      const after = rest.split('<!-- /measured -->')[1]!;
      const now = `${before}<!-- measured -->\n${blockOf(algorithm)}\n<!-- /measured -->${after}`;
      if (process.env.BATON_REWRITE === '1') writeFileSync(path, now);
      expect(readFileSync(path, 'utf8'), `${path} is out of date: npm test -- --rewrite`).toBe(now);
    });
  },
);
