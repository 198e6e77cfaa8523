// A thread that helps `baton check`.
import { parentPort, workerData } from 'node:worker_threads';
import { RemoteWorker } from '../../check/parallel/remote-worker.ts';
import { loadAlgorithm } from '../input/algorithm-file.ts';
import type { CheckWorkerData } from './check-threads.ts';

const { name, space, options } = workerData as CheckWorkerData;
const worker = new RemoteWorker(await loadAlgorithm(name), space, options);
parentPort!.on('message', (assignment) => worker.perform(assignment));
parentPort!.postMessage('ready');
