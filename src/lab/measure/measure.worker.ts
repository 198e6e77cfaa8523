// Measures small sizes first, and sends each row when it is complete.
import type { AnyAlgorithm } from '../../core/algorithm.ts';
import { planOf, type Row, rowOf, samplesOf, tasksOf } from '../../measure/index.ts';
import type { OwnCode } from './own-algorithm.ts';
import { measurableAlgorithm, sizesUpTo } from './sweep.ts';

const eventBudget = 400_000; // for all runs at one size of one case
const aliveInterval = 500; // milliseconds between two signs of life

/** Algorithms of the catalogue, or the one from the editor. */
export interface MeasureWorkerTask {
  readonly algorithms: readonly string[] | OwnCode;
  readonly max: number;
  readonly runs: number;
}

export type MeasureWorkerMessage =
  | { readonly kind: 'alive' } // only from code of the editor, which may never end
  | { readonly kind: 'row'; readonly row: Row }
  | { readonly kind: 'over' }
  | { readonly kind: 'refused'; readonly why: string };

const send = (message: MeasureWorkerMessage) => self.postMessage(message);

self.onmessage = ({ data }: MessageEvent<MeasureWorkerTask>) => {
  const { algorithms, max, runs } = data;
  if ('code' in algorithms)
    evaluateOwn(algorithms)
      .then((own) => measure([own], max, runs))
      .catch((error) =>
        send({ kind: 'refused', why: error instanceof Error ? error.message : String(error) }),
      );
  else
    measure(
      algorithms.map((name) => measurableAlgorithm(name)!),
      max,
      runs,
    );
};

/** Evaluates the code from the editor. Each call of a handler may be a sign of life. */
async function evaluateOwn({ name, originalName, code }: OwnCode): Promise<AnyAlgorithm> {
  send({ kind: 'alive' });
  const { evaluate, withCallHooks } = await import('../edit/evaluate.ts');
  let sentAt = performance.now();
  const onCall = () => {
    const now = performance.now();
    if (now < sentAt + aliveInterval) return;
    sentAt = now;
    send({ kind: 'alive' });
  };
  const algorithm = withCallHooks(await evaluate(code, originalName), { onCall });
  return { ...algorithm, name } as AnyAlgorithm;
}

function measure(algorithms: readonly AnyAlgorithm[], max: number, runs: number): void {
  const options = { sizes: sizesUpTo(max), runs, budget: eventBudget };
  const plan = planOf(algorithms, options);
  const tasks = tasksOf(plan, options);
  const order = plan.points.map((point, k) => ({ point, k })).sort((a, b) => a.point.n - b.point.n);
  for (const { point, k } of order) {
    const ofPoint = tasks.filter((task) => task.point === k).sort((a, b) => a.firstSeed - b.firstSeed);
    const samples = ofPoint.flatMap((task) => samplesOf(point.algorithm, task));
    send({ kind: 'row', row: rowOf(point, samples) });
  }
  send({ kind: 'over' });
}
