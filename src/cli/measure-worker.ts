// A thread of `baton measure`: gets tasks, answers with samples.
import { parentPort } from 'node:worker_threads';
import { messagePassing, resolve } from '../catalogue/index.ts';
import type { Task } from '../measure/plan.ts';
import { samplesOf } from '../measure/sample.ts';

parentPort!.on('message', (task: Task) => {
  parentPort!.postMessage(samplesOf(messagePassing(resolve(task.algorithm)), task));
});
