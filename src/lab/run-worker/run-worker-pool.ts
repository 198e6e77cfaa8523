import type { RunWorkerReply, RunWorkerRequest } from './run-protocol.ts';

/** A worker that answers one request at a time. */
export interface RunWorker {
  readonly hasEnded: boolean; // it sends no more replies
  request(request: RunWorkerRequest): Promise<RunWorkerReply>;
  terminate(): void;
}

/** Starts a worker for a custom algorithm, or for the catalogue. */
export type MakeRunWorker = (isCustom: boolean) => RunWorker;

/**
 * The workers that run algorithms: one for the catalogue and one per custom algorithm,
 * because a custom algorithm may change global state.
 */
export class RunWorkerPool {
  readonly #makeWorker: MakeRunWorker;
  readonly #workers = new Map<string, RunWorker>(); // by code; '' is the catalogue

  constructor(makeWorker: MakeRunWorker) {
    this.#makeWorker = makeWorker;
  }

  /** Returns a live worker for this code, and starts one if necessary. */
  workerFor(code = ''): RunWorker {
    const known = this.#workers.get(code);
    if (known && !known.hasEnded) return known;
    const worker = this.#makeWorker(code !== '');
    this.#workers.set(code, worker);
    return worker;
  }

  /** Terminates all workers but this one and that of the catalogue. */
  terminateOthers(code = ''): void {
    for (const [other, worker] of this.#workers) {
      if (other === '' || other === code) continue;
      worker.terminate();
      this.#workers.delete(other);
    }
  }
}
