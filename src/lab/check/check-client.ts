import type { CheckReport } from '../../check/index.ts';
import type { Register } from '../../core/shared-algorithm.ts';
import type { Trace } from '../../core/trace.ts';
import { Watchdog } from '../run-worker/watchdog.ts';
import type { CheckRequest } from './check-request.ts';

export interface CheckWorkerProgress {
  readonly states: number;
  readonly depth: number;
  readonly frontier: number;
  readonly bytes: number;
  readonly isCheckingLiveness: boolean;
  readonly ms: number;
}

export interface CheckWorkerResult {
  readonly report: CheckReport;
  readonly trace: Trace | null; // a counterexample, or a run that was covered
  readonly memory: readonly Register[]; // the initial registers, if processes share memory
  readonly isStopped: boolean;
  readonly ms: number;
}

export interface CheckTask {
  readonly request: Omit<CheckRequest, 'custom'>;
  readonly code: string | null; // compiled from the text in the editor, if the algorithm is from there
}

export type ToCheckWorker = CheckTask | 'stop';
export type FromCheckWorker =
  | { readonly kind: 'begins' }
  | { readonly kind: 'progress'; readonly progress: CheckWorkerProgress }
  | { readonly kind: 'result'; readonly result: CheckWorkerResult }
  | { readonly kind: 'refused'; readonly why: string };

const noProgress: CheckWorkerProgress = {
  states: 0,
  depth: 0,
  frontier: 0,
  bytes: 0,
  isCheckingLiveness: false,
  ms: 0,
};
const stopTimeout = 3000; // milliseconds for a search to report after a stop

type OnCheckResult = (result: CheckWorkerResult) => void;

/** Runs one check at a time in a worker. The check continues while another view is open. */
export class CheckClient {
  request: CheckRequest | null = null; // of the latest check
  progress: CheckWorkerProgress = noProgress;
  isRunning = false;
  result: CheckWorkerResult | null = null;
  problem: string | null = null; // why there is no result
  readonly #makeWorker: () => Worker;
  readonly #listeners = new Set<() => void>();
  #worker: Worker | null = null;
  #onResult: OnCheckResult | null = null;
  #timer: ReturnType<typeof setTimeout> | undefined;
  readonly #watchdog = new Watchdog(() =>
    this.#fail(
      `a handler of ${this.request!.algorithm} had not come to an end after four seconds, and was stopped`,
    ),
  );

  constructor(makeWorker: () => Worker) {
    this.#makeWorker = makeWorker;
  }

  subscribe(listener: () => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  #notify(): void {
    for (const listener of this.#listeners) listener();
  }

  /** Starts a check and ends the current one, if any. */
  start(request: CheckRequest, onResult: OnCheckResult | null = null): void {
    this.#end();
    this.request = request;
    this.progress = noProgress;
    this.result = null;
    this.problem = null;
    this.isRunning = true;
    this.#onResult = onResult;
    const worker = this.#makeWorker();
    this.#worker = worker;
    worker.onmessage = ({ data }: MessageEvent<FromCheckWorker>) => this.#onMessage(data);
    worker.onerror = (event) => {
      event.preventDefault();
      this.#fail(`the search broke off: ${event.message || 'the browser gave it no more memory'}`);
    };
    const { algorithm, fields, custom } = request;
    const task: CheckTask = { request: { algorithm, fields }, code: custom?.code ?? null };
    worker.postMessage(task satisfies ToCheckWorker);
    this.#notify();
  }

  /** Stops the search. Its findings so far become the result. */
  stop(): void {
    this.#worker?.postMessage('stop' satisfies ToCheckWorker);
    this.#timer = setTimeout(
      () => this.#fail('the search was stopped before it could say anything'),
      stopTimeout,
    );
  }

  #onMessage(message: FromCheckWorker): void {
    this.#watchdog.hear();
    if (message.kind === 'begins') this.#watch();
    else if (message.kind === 'refused') this.#fail(message.why);
    else if (message.kind === 'result') this.#finish(message.result);
    else {
      this.progress = message.progress;
      this.#notify();
    }
  }

  /** Watches an algorithm from the editor. Those of the catalogue terminate. */
  #watch(): void {
    if (this.request!.custom) this.#watchdog.start();
  }

  #finish(result: CheckWorkerResult): void {
    const { states, depth, bytes } = result.report;
    this.result = result;
    this.progress = {
      ...this.progress,
      states,
      depth,
      bytes,
      frontier: 0,
      isCheckingLiveness: false,
      ms: result.ms,
    };
    const onResult = this.#onResult;
    this.#end();
    this.#notify();
    onResult?.(result);
  }

  #fail(why: string): void {
    this.problem = why;
    this.#end();
    this.#notify();
  }

  #end(): void {
    clearTimeout(this.#timer);
    this.#watchdog.stop();
    this.#worker?.terminate();
    this.#worker = null;
    this.#onResult = null;
    this.isRunning = false;
  }
}
