import type { CheckReport } from '../../check/index.ts';
import type { Trace } from '../../core/trace.ts';
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
  readonly isStopped: boolean;
  readonly ms: number;
}

export type ToCheckWorker = { readonly question: CheckRequest } | 'stop';
export type FromCheckWorker =
  | { readonly kind: 'progress'; readonly progress: CheckWorkerProgress }
  | { readonly kind: 'answer'; readonly answer: CheckWorkerResult }
  | { readonly kind: 'refused'; readonly why: string };

const noProgress: CheckWorkerProgress = {
  states: 0,
  depth: 0,
  frontier: 0,
  bytes: 0,
  isCheckingLiveness: false,
  ms: 0,
};
const stopTimeout = 3000; // milliseconds for a search to stop of itself

type OnCheckResult = (answer: CheckWorkerResult) => void;

/** A search in a worker, and how far it is. It goes on while one looks elsewhere. */
export class CheckClient {
  request: CheckRequest | null = null; // that was asked last
  progress: CheckWorkerProgress = noProgress;
  isRunning = false;
  result: CheckWorkerResult | null = null;
  problem: string | null = null; // why there is no answer
  readonly #makeWorker: () => Worker;
  readonly #listeners = new Set<() => void>();
  #worker: Worker | null = null;
  #onResult: OnCheckResult | null = null;
  #timer: ReturnType<typeof setTimeout> | undefined;

  constructor(make: () => Worker) {
    this.#makeWorker = make;
  }

  subscribe(listener: () => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  #changed(): void {
    for (const listener of this.#listeners) listener();
  }

  /** Instead of what is being looked at, if anything is. `done`: what to do with the answer. */
  start(question: CheckRequest, done: OnCheckResult | null = null): void {
    this.#end();
    this.request = question;
    this.progress = noProgress;
    this.result = null;
    this.problem = null;
    this.isRunning = true;
    this.#onResult = done;
    const worker = this.#makeWorker();
    this.#worker = worker;
    worker.onmessage = ({ data }: MessageEvent<FromCheckWorker>) => this.#onMessage(data);
    worker.onerror = (event) => {
      event.preventDefault();
      this.#fail(`the search broke off: ${event.message || 'the browser gave it no more memory'}`);
    };
    worker.postMessage({ question } satisfies ToCheckWorker);
    this.#changed();
  }

  /** What has been found by now is the answer. */
  stop(): void {
    this.#worker?.postMessage('stop' satisfies ToCheckWorker);
    this.#timer = setTimeout(
      () => this.#fail('the search was stopped before it could say anything'),
      stopTimeout,
    );
  }

  #onMessage(message: FromCheckWorker): void {
    if (message.kind === 'refused') this.#fail(message.why);
    else if (message.kind === 'answer') this.#finish(message.answer);
    else {
      this.progress = message.progress;
      this.#changed();
    }
  }

  #finish(answer: CheckWorkerResult): void {
    const { states, depth, bytes } = answer.report;
    this.result = answer;
    this.progress = {
      ...this.progress,
      states,
      depth,
      bytes,
      frontier: 0,
      isCheckingLiveness: false,
      ms: answer.ms,
    };
    const done = this.#onResult;
    this.#end();
    this.#changed();
    done?.(answer);
  }

  #fail(why: string): void {
    this.problem = why;
    this.#end();
    this.#changed();
  }

  #end(): void {
    clearTimeout(this.#timer);
    this.#worker?.terminate();
    this.#worker = null;
    this.#onResult = null;
    this.isRunning = false;
  }
}
