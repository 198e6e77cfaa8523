// What the table of clocks says in the end.
import { expect, test } from 'vitest';
import { listed } from '../../src/catalogue/index.ts';
import type { AnyAlgorithm } from '../../src/core/algorithm.ts';
import { firstScenario } from '../../src/lab/first-scenario.ts';
import { Lab } from '../../src/lab/lab.ts';
import type { Run } from '../../src/lab/run/run.ts';
import { parseFields, simulate } from '../../src/sim/index.ts';
import { Here } from './here.ts';

/** All of a run. */
async function ran(algorithm: string, fields: Record<string, string>): Promise<Run> {
  const lab = new Lab(() => new Here());
  await lab.load({ algorithm, fields, interventions: [], position: 10_000, spacing: 'even' });
  expect(lab.show.isOver).toBe(true);
  return lab.show;
}

test.each(
  listed
    .filter((algorithm): algorithm is AnyAlgorithm => algorithm.problem === 'clocks')
    .map((algorithm) => [algorithm.name, algorithm] as const),
)('%s: in the end clocks are as the simulator reports', async (name, algorithm) => {
  for (const fields of [{ n: '7' }, { n: '4', seed: '3', rounds: '3' }, firstScenario(algorithm)]) {
    const { clocks, overAt, events } = await ran(name, fields);
    const report = simulate(algorithm, parseFields(fields)).clocks;
    expect(clocks!.report(events.length, overAt!), JSON.stringify(fields)).toEqual(report);
  }
});

test('a clock that is being corrected is far off, and keeps its promise in the end', async () => {
  const { clocks, overAt, events } = await ran('ntp', { n: '7' });
  const end = events.length;
  const off = (time: number) => {
    const { error, promised } = clocks!.report(end, time)[1]!;
    return [error, promised!].map((nanoseconds) => (nanoseconds / 1_000_000).toFixed(2));
  };
  expect([clocks!.timeAt(end), clocks!.faces(end)[1]!.isSettled]).toEqual([21, false]);
  expect(off(21)).toEqual(['-1102.10', '6.00']);
  expect(clocks!.faces(end, overAt!)[1]!.isSettled).toBe(true);
  expect(off(overAt!)).toEqual(['6.24', '8.66']);
});
