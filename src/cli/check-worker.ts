// A thread that helps `baton check`.
import { parentPort, workerData } from 'node:worker_threads';
import { Assistant } from '../check/assistant.ts';
import { load } from './algorithm-file.ts';
import type { Subject } from './helpers.ts';

const { name, space, options } = workerData as Subject;
const assistant = new Assistant(await load(name), space, options);
parentPort!.on('message', (errand) => assistant.do(errand));
parentPort!.postMessage('ready');
