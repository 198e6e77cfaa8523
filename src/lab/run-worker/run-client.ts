import { InputError } from '../../core/assert.ts';
import type { AlgorithmRef, RunSource, RunWorkerReply } from './run-protocol.ts';
import { RunReplica } from './run-replica.ts';
import { type MakeRunWorker, type RunWorker, RunWorkerPool } from './run-worker-pool.ts';

export interface BeginRunOptions {
  readonly algorithm: AlgorithmRef;
  readonly setup: RunReplica['setup'];
  readonly runSource: RunSource;
  readonly position: number | null; // null: where the order leads to
}

const initialEvents = 30; // events that are known when a run is first shown

/** Has runs come about in threads. One of them is shown; another one may be on its way. */
export class RunClient {
  readonly #workers: RunWorkerPool;
  #last = 0; // that was asked for
  #shown: { readonly run: RunReplica; readonly code: string | undefined; readonly thread: RunWorker } | null =
    null;
  #isFetching = false; // for more of it

  constructor(makeThread: MakeRunWorker) {
    this.#workers = new RunWorkerPool(makeThread);
  }

  /** The run, with what is around the position known, all of it if it is recorded; null if another one was asked for meanwhile. */
  async begin(
    wanted: BeginRunOptions,
  ): Promise<{ readonly run: RunReplica; readonly position: number } | null> {
    this.#last += 1;
    const id = this.#last;
    const { code } = wanted.algorithm;
    const thread = this.#workers.workerFor(code);
    try {
      const begun = await this.#fetchStart(id, thread, wanted);
      if (begun === null) return null;
      this.#shown = { run: begun.run, code, thread };
      this.#isFetching = false;
      return begun;
    } finally {
      if (id === this.#last) this.#workers.terminateOthers(this.#shown?.code);
    }
  }

  async #fetchStart(
    id: number,
    thread: RunWorker,
    { algorithm, setup, runSource, position }: BeginRunOptions,
  ) {
    const keeps = this.#shown?.run.id ?? null;
    const upTo = (position ?? 0) + initialEvents;
    const answer = await thread.request({ kind: 'begin', run: id, keeps, algorithm, runSource, upTo });
    if (id !== this.#last) return null;
    if (answer.kind !== 'began') throw refusal(answer);
    const run = new RunReplica(id, setup, answer);
    const at = position ?? answer.position ?? 0;
    const enough = run.isRecorded ? Infinity : at + initialEvents;
    while (!run.isOver && run.events.length < enough) {
      const more = await thread.request({ kind: 'more', run: id, upTo: at + initialEvents });
      if (id !== this.#last) return null;
      if (more.kind !== 'part') throw refusal(more);
      run.append(more.part);
    }
    return { run, position: at };
  }

  /** Makes more of the run that is shown known; false if that is under way, or there is no more. */
  async fetchMore(run: RunReplica, upTo: number): Promise<boolean> {
    const shown = this.#shown;
    if (run !== shown?.run || run.isOver || run.isLost || this.#isFetching) return false;
    this.#isFetching = true;
    const answer = await shown.thread.request({ kind: 'more', run: run.id, upTo });
    if (shown !== this.#shown) return false;
    this.#isFetching = false;
    if (answer.kind === 'part') run.append(answer.part);
    else run.isLost = true;
    if (run.isLost) throw refusal(answer);
    return true;
  }
}

const refusal = (answer: RunWorkerReply): InputError =>
  new InputError(answer.kind === 'refused' ? answer.why : 'it answered something else');
