// The table of clocks at the end of a run.
import { expect, test } from 'vitest';
import { listed } from '../../src/catalogue/index.ts';
import type { AnyAlgorithm } from '../../src/core/algorithm.ts';
import type { RunReplica } from '../../src/lab/run-worker/run-replica.ts';
import { firstScenario } from '../../src/lab/state/first-scenario.ts';
import { LabStore } from '../../src/lab/state/lab-store.ts';
import { parseScenario, simulate } from '../../src/sim/index.ts';
import { InProcessWorker, noVersion } from './in-process-worker.ts';

/** Runs an algorithm to its end. */
async function completeRun(algorithm: string, fields: Record<string, string>): Promise<RunReplica> {
  const lab = new LabStore(() => new InProcessWorker(), noVersion);
  await lab.load({ algorithm, fields, interventions: [], position: 10_000, spacing: 'even' });
  expect(lab.run.isOver).toBe(true);
  return lab.run;
}

test.each(
  listed
    .filter((algorithm): algorithm is AnyAlgorithm => algorithm.problem === 'clocks')
    .map((algorithm) => [algorithm.name, algorithm] as const),
)('%s: at the end, the clocks are as the simulator reports', async (name, algorithm) => {
  for (const fields of [{ n: '7' }, { n: '4', seed: '3', rounds: '3' }, firstScenario(algorithm)]) {
    const { clocks, endTime, events } = await completeRun(name, fields);
    const report = simulate(algorithm, parseScenario(fields)).clocks;
    expect(clocks!.report(events.length, endTime!), JSON.stringify(fields)).toEqual(report);
  }
});

test('a clock is far off during its correction, and within its promised bound at the end', async () => {
  const { clocks, endTime, events } = await completeRun('ntp', { n: '7' });
  const end = events.length;
  const off = (time: number) => {
    const { error, promised } = clocks!.report(end, time)[1]!;
    return [error, promised!].map((nanoseconds) => (nanoseconds / 1_000_000).toFixed(2));
  };
  expect([clocks!.timeAt(end), clocks!.readings(end)[1]!.isSettled]).toEqual([21, false]);
  expect(off(21)).toEqual(['-1102.10', '6.00']);
  expect(clocks!.readings(end, endTime!)[1]!.isSettled).toBe(true);
  expect(off(endTime!)).toEqual(['6.24', '8.66']);
});
