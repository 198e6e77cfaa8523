import { Worker } from 'node:worker_threads';
import type { Check, CheckOptions, Space } from '../../check/index.ts';

/** What is searched: plain data, for other threads. */
export interface CheckWorkerData {
  readonly name: string;
  readonly space: Space;
  readonly options: CheckOptions;
}

const script = new URL('./check-worker.js', import.meta.url);

/** Threads that help a search once it has shown to be worth it. */
export class CheckThreads {
  readonly #search: Check;
  readonly #workerData: CheckWorkerData;
  readonly #count: number;
  readonly #workers: Worker[] = [];

  constructor(search: Check, subject: CheckWorkerData, count: number) {
    this.#search = search;
    this.#workerData = subject;
    this.#count = count;
  }

  /** They come in when they are ready. */
  startIfUseful(): void {
    if (this.#workers.length > 0 || !this.#search.isWorthHelp) return;
    for (let k = 0; k < this.#count; k += 1) {
      const worker = new Worker(script, { workerData: this.#workerData });
      worker.once('message', () => this.#search.join({ post: (errand) => worker.postMessage(errand) }));
      worker.on('error', () => {}); // the search goes on without it
      this.#workers.push(worker);
    }
  }

  terminate(): void {
    for (const worker of this.#workers) void worker.terminate();
  }
}
