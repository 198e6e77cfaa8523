// Measures small sizes first, and sends each row when it is complete.
import { planOf, type Row, rowOf, samplesOf, tasksOf } from '../../measure/index.ts';
import { measurableAlgorithm, type Sweep, sizesUpTo } from './sweep.ts';

const eventBudget = 400_000; // for all runs at one size of one case

export type MeasureWorkerMessage = { readonly row: Row } | { readonly over: true };

self.onmessage = ({ data: { names, max, runs } }: MessageEvent<Sweep>) => {
  const options = { sizes: sizesUpTo(max), runs, budget: eventBudget };
  const plan = planOf(
    names.map((name) => measurableAlgorithm(name)!),
    options,
  );
  const tasks = tasksOf(plan, options);
  const order = plan.points.map((point, k) => ({ point, k })).sort((a, b) => a.point.n - b.point.n);
  for (const { point, k } of order) {
    const ofPoint = tasks.filter((task) => task.point === k).sort((a, b) => a.firstSeed - b.firstSeed);
    const samples = ofPoint.flatMap((task) => samplesOf(point.algorithm, task));
    self.postMessage({ row: rowOf(point, samples) } satisfies MeasureWorkerMessage);
  }
  self.postMessage({ over: true } satisfies MeasureWorkerMessage);
};
