import { InputError } from '../../core/assert.ts';
import type { AlgorithmRef, RunSource, RunWorkerReply, RunWorkerRequest } from './run-protocol.ts';
import { RunReplica } from './run-replica.ts';

export interface BeginRunOptions {
  readonly algorithm: AlgorithmRef;
  readonly setup: RunReplica['setup'];
  readonly runSource: RunSource;
  readonly position: number | null; // null: where the source of the run leads
}

const initialEvents = 30; // known beyond the position when a run is first displayed

/** Requests runs from workers. One run is displayed; another may be loading. */
export class RunClient {
  readonly #workers: RunWorkerPool;
  #last = 0; // id of the run requested last
  #shown: { readonly run: RunReplica; readonly code: string | undefined; readonly worker: RunWorker } | null =
    null;
  #isFetching = false; // more of the displayed run

  constructor(makeWorker: MakeRunWorker) {
    this.#workers = new RunWorkerPool(makeWorker);
  }

  /** Loads a run with the events around the position, or all events of a recorded run. Returns null if another run was requested meanwhile. */
  async begin(
    options: BeginRunOptions,
  ): Promise<{ readonly run: RunReplica; readonly position: number } | null> {
    this.#last += 1;
    const id = this.#last;
    const { code } = options.algorithm;
    const worker = this.#workers.workerFor(code);
    try {
      const begun = await this.#fetchStart(id, worker, options);
      if (begun === null) return null;
      this.#shown = { run: begun.run, code, worker };
      this.#isFetching = false;
      return begun;
    } finally {
      if (id === this.#last) this.#workers.terminateOthers(this.#shown?.code);
    }
  }

  async #fetchStart(
    id: number,
    worker: RunWorker,
    { algorithm, setup, runSource, position }: BeginRunOptions,
  ) {
    const keeps = this.#shown?.run.id ?? null;
    const upTo = (position ?? 0) + initialEvents;
    const reply = await worker.request({ kind: 'begin', run: id, keeps, algorithm, runSource, upTo });
    if (id !== this.#last) return null;
    if (reply.kind !== 'began') throw refusal(reply);
    const run = new RunReplica(id, setup, reply);
    const at = position ?? reply.position ?? 0;
    const enough = run.isRecorded ? Infinity : at + initialEvents;
    while (!run.isOver && run.events.length < enough) {
      const more = await worker.request({ kind: 'more', run: id, upTo: at + initialEvents });
      if (id !== this.#last) return null;
      if (more.kind !== 'chunk') throw refusal(more);
      run.append(more.chunk);
    }
    return { run, position: at };
  }

  /** Fetches more events of the displayed run. Returns false if a fetch is pending or there are no more events. */
  async fetchMore(run: RunReplica, upTo: number): Promise<boolean> {
    const shown = this.#shown;
    if (run !== shown?.run || run.isOver || run.isLost || this.#isFetching) return false;
    this.#isFetching = true;
    const reply = await shown.worker.request({ kind: 'more', run: run.id, upTo });
    if (shown !== this.#shown) return false;
    this.#isFetching = false;
    if (reply.kind === 'chunk') run.append(reply.chunk);
    else run.isLost = true;
    if (run.isLost) throw refusal(reply);
    return true;
  }
}

const refusal = (reply: RunWorkerReply): InputError =>
  new InputError(reply.kind === 'refused' ? reply.why : 'it answered something else');

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
