// A thread of `baton measure`: receives tasks, answers with samples.
import { parentPort } from 'node:worker_threads';
import { messagePassing, resolve } from '../../catalogue/index.ts';
import type { MeasureTask } from '../../measure/tasks.ts';
import { samplesOf } from '../../measure/tasks.ts';

parentPort!.on('message', (task: MeasureTask) => {
  parentPort!.postMessage(samplesOf(messagePassing(resolve(task.algorithm)), task));
});
