// A thread of `baton measure`: gets tasks, answers with samples.
import { parentPort } from 'node:worker_threads';
import type { Task } from '../measure/plan.ts';
import { samplesOf } from '../measure/sample.ts';
import { findMessaging } from './catalogue.ts';

parentPort!.on('message', (task: Task) => {
  parentPort!.postMessage(samplesOf(findMessaging(task.algorithm), task));
});
