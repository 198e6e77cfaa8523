import { Worker } from 'node:worker_threads';
import type { Check, CheckOptions, Space } from '../../check/index.ts';
import { laboratoryFile } from '../laboratory-files.ts';

/** The arguments of a check, as plain data for other threads. */
export interface CheckWorkerData {
  readonly name: string;
  readonly space: Space;
  readonly options: CheckOptions;
}

const script = laboratoryFile('check-worker.js');

/** Threads that help a search once it is large enough. */
export class CheckThreads {
  readonly #search: Check;
  readonly #workerData: CheckWorkerData;
  readonly #count: number;
  readonly #workers: Worker[] = [];

  constructor(search: Check, workerData: CheckWorkerData, count: number) {
    this.#search = search;
    this.#workerData = workerData;
    this.#count = count;
  }

  /** Starts the threads. They join the search when they are ready. */
  startIfUseful(): void {
    if (this.#workers.length > 0 || !this.#search.isWorthHelp) return;
    for (let k = 0; k < this.#count; k += 1) {
      const worker = new Worker(script, { workerData: this.#workerData });
      worker.once('message', () =>
        this.#search.join({ post: (assignment) => worker.postMessage(assignment) }),
      );
      worker.on('error', () => {}); // the search continues without the thread
      this.#workers.push(worker);
    }
  }

  terminate(): void {
    for (const worker of this.#workers) void worker.terminate();
  }
}
