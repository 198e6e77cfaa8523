import type { RunWorkerReply, RunWorkerRequest } from './run-protocol.ts';

/** Something that answers requests, one after the other. */
export interface RunWorker {
  readonly hasEnded: boolean; // it answers no more
  request(request: RunWorkerRequest): Promise<RunWorkerReply>;
  terminate(): void;
}

/** For what somebody wrote, or for the catalogue. */
export type MakeRunWorker = (isWritten: boolean) => RunWorker;

/** The threads that run algorithms: one for the catalogue, and one for each text, which might leave anything behind. */
export class RunWorkerPool {
  readonly #makeWorker: MakeRunWorker;
  readonly #workers = new Map<string, RunWorker>(); // by code; '' is the catalogue

  constructor(make: MakeRunWorker) {
    this.#makeWorker = make;
  }

  /** A living one. */
  workerFor(code = ''): RunWorker {
    const known = this.#workers.get(code);
    if (known && !known.hasEnded) return known;
    const thread = this.#makeWorker(code !== '');
    this.#workers.set(code, thread);
    return thread;
  }

  /** Ends all but the catalogue's and this one. */
  terminateOthers(code = ''): void {
    for (const [other, thread] of this.#workers) {
      if (other === '' || other === code) continue;
      thread.terminate();
      this.#workers.delete(other);
    }
  }
}
