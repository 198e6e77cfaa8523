import type { AnyAlgorithm } from '../core/algorithm.ts';
import { casesOf } from './cases.ts';
import type { Plan, SweepOptions } from './plan.ts';
import { type RunSample, takeSample } from './run-sample.ts';

/** Some runs of a point, for one worker. Plain data. */
export interface MeasureTask {
  readonly point: number; // its index in the plan
  readonly algorithm: string;
  readonly case: string;
  readonly n: number;
  readonly firstSeed: number;
  readonly runs: number;
  readonly work: number;
  readonly limit: number; // events after which a run is given up
}

const given = 4; // a run may take so many times the budget before it is given up: estimates err
const taskWork = 500_000; // events that a task should not exceed if it can be divided

/** The largest first, so that no worker is left with one in the end. */
export function tasksOf({ points }: Plan, { budget }: SweepOptions): MeasureTask[] {
  const tasks = points.flatMap(({ algorithm, case: which, n, runs, work }, point) => {
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
        limit: given * budget,
      };
    });
  });
  return tasks.sort((a, b) => b.work - a.work || a.point - b.point || a.firstSeed - b.firstSeed);
}

/** The runs of a task, by seed. */
export function samplesOf(
  algorithm: AnyAlgorithm,
  { case: name, n, firstSeed, runs, limit }: MeasureTask,
): RunSample[] {
  const which = casesOf(algorithm).find((one) => one.name === name)!;
  return Array.from({ length: runs }, (_, k) => takeSample(algorithm, which, n, firstSeed + k, limit));
}
