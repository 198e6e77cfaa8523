// A thread that helps `baton check`.
import { parentPort, workerData } from 'node:worker_threads';
import { RemoteWorker } from '../check/parallel/remote-worker.ts';
import { load } from './algorithm-file.ts';
import type { Subject } from './helpers.ts';

const { name, space, options } = workerData as Subject;
const assistant = new RemoteWorker(await load(name), space, options);
parentPort!.on('message', (errand) => assistant.perform(errand));
parentPort!.postMessage('ready');
