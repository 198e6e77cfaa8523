import { describe, expect, test } from 'vitest';
import { planted } from './planted.ts';
import { report } from './report.ts';
import { candidates, type Outcome, simulate } from './world.ts';

const seeds = 2000;
const slice = 250;

describe('whole groups from a seed', () => {
  const outcomes: Outcome[] = [];
  const starts = Array.from({ length: seeds / slice }, (_, i) => 1 + i * slice);

  test.each(starts)(`${slice} seeds from %i`, (start) => {
    for (let seed = start; seed < start + slice; seed += 1) {
      const outcome = simulate(seed);
      if (outcome.violation !== null) expect.fail(report(seed));
      outcomes.push(outcome);
    }
  });

  test('the same seed gives the same run', () => {
    expect(simulate(7, undefined, true)).toEqual(simulate(7, undefined, true));
  });

  test('whatever can happen happened, by every algorithm', () => {
    const sum = (what: keyof Outcome['counts']) =>
      outcomes.reduce((total, { counts }) => total + counts[what], 0);
    for (const what of ['granted', 'busy', 'cancelled', 'lost', 'refusedWrites'] as const)
      expect(sum(what), what).toBeGreaterThan(100);
    expect(sum('refused')).toBe(0); // all name the same algorithm
    const run = new Set(outcomes.map(({ algorithm }) => algorithm));
    expect(run).toEqual(new Set(candidates.map(({ name }) => name)));
  });
});

describe('a planted fault shows', () => {
  test.each(Object.entries(planted))('%s', (_, variant) => {
    for (let seed = 1; seed <= seeds; seed += 1) if (simulate(seed, variant).violation !== null) return;
    expect.fail(`nothing in ${seeds} seeds`);
  });
});
