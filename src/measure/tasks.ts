import type { AnyAlgorithm } from '../core/algorithm.ts';
import { casesOf } from './cases.ts';
import type { Plan, SweepOptions } from './plan.ts';
import { type RunSample, takeSample } from './run-sample.ts';

/** Runs of one point, for one worker. Plain data. */
export interface MeasureTask {
  readonly point: number; // its index in the plan
  readonly algorithm: string;
  readonly case: string;
  readonly n: number;
  readonly firstSeed: number;
  readonly runs: number;
  readonly work: number;
  readonly isMeasured: boolean; // whether all measures are taken
  readonly limit: number; // events after which a run is stopped
}

const limitFactor = 4; // a run is stopped at this multiple of the budget, because estimates err
const taskWork = 500_000; // most events of a task with several runs

/** Divides a plan into tasks, the largest first, so that no worker ends with a long one. */
export function tasksOf({ points }: Plan, { budget }: SweepOptions): MeasureTask[] {
  const tasks = points.flatMap(({ algorithm, case: which, n, runs, work, isMeasured }, point) => {
    const size = Math.max(1, Math.min(runs, Math.floor(taskWork / work)));
    return Array.from({ length: Math.ceil(runs / size) }, (_, k): MeasureTask => {
      const count = Math.min(size, runs - k * size);
      return {
        point,
        algorithm: algorithm.name,
        case: which.name,
        n,
        firstSeed: 1 + k * size,
        runs: count,
        work: work * count,
        isMeasured,
        limit: limitFactor * budget,
      };
    });
  });
  return tasks.sort((a, b) => b.work - a.work || a.point - b.point || a.firstSeed - b.firstSeed);
}

/** Runs a task. Returns its samples by seed. */
export function samplesOf(
  algorithm: AnyAlgorithm,
  { case: name, n, firstSeed, runs, limit, isMeasured }: MeasureTask,
): RunSample[] {
  const which = casesOf(algorithm).find((one) => one.name === name)!;
  return Array.from({ length: runs }, (_, k) =>
    takeSample(algorithm, which, n, firstSeed + k, limit, isMeasured),
  );
}
