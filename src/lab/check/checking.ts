import type { CheckReport } from '../../check/index.ts';
import type { Trace } from '../../core/trace.ts';
import type { Question } from './question.ts';

export interface Progress {
  readonly states: number;
  readonly depth: number;
  readonly frontier: number;
  readonly bytes: number;
  readonly isCheckingLiveness: boolean;
  readonly ms: number;
}

export interface Answer {
  readonly report: CheckReport;
  readonly trace: Trace | null; // a counterexample, or a run that was covered
  readonly isStopped: boolean;
  readonly ms: number;
}

export type ToWorker = { readonly question: Question } | 'stop';
export type FromWorker =
  | { readonly kind: 'progress'; readonly progress: Progress }
  | { readonly kind: 'answer'; readonly answer: Answer }
  | { readonly kind: 'refused'; readonly why: string };

const nothingYet: Progress = { states: 0, depth: 0, frontier: 0, bytes: 0, isCheckingLiveness: false, ms: 0 };
const patience = 3000; // milliseconds for a search to stop of itself

type Done = (answer: Answer) => void;

/** A search in a worker, and how far it is. It goes on while one looks elsewhere. */
export class Checking {
  question: Question | null = null; // that was asked last
  progress: Progress = nothingYet;
  isRunning = false;
  answer: Answer | null = null;
  problem: string | null = null; // why there is no answer
  readonly #make: () => Worker;
  readonly #listeners = new Set<() => void>();
  #worker: Worker | null = null;
  #done: Done | null = null;
  #timer: ReturnType<typeof setTimeout> | undefined;

  constructor(make: () => Worker) {
    this.#make = make;
  }

  subscribe(listener: () => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  #changed(): void {
    for (const listener of this.#listeners) listener();
  }

  /** Instead of what is being looked at, if anything is. `done`: what to do with the answer. */
  start(question: Question, done: Done | null = null): void {
    this.#end();
    this.question = question;
    this.progress = nothingYet;
    this.answer = null;
    this.problem = null;
    this.isRunning = true;
    this.#done = done;
    const worker = this.#make();
    this.#worker = worker;
    worker.onmessage = ({ data }: MessageEvent<FromWorker>) => this.#hear(data);
    worker.onerror = (event) => {
      event.preventDefault();
      this.#fail(`the search broke off: ${event.message || 'the browser gave it no more memory'}`);
    };
    worker.postMessage({ question } satisfies ToWorker);
    this.#changed();
  }

  /** What has been found by now is the answer. */
  stop(): void {
    this.#worker?.postMessage('stop' satisfies ToWorker);
    this.#timer = setTimeout(
      () => this.#fail('the search was stopped before it could say anything'),
      patience,
    );
  }

  #hear(message: FromWorker): void {
    if (message.kind === 'refused') this.#fail(message.why);
    else if (message.kind === 'answer') this.#take(message.answer);
    else {
      this.progress = message.progress;
      this.#changed();
    }
  }

  #take(answer: Answer): void {
    const { states, depth, bytes } = answer.report;
    this.answer = answer;
    this.progress = {
      ...this.progress,
      states,
      depth,
      bytes,
      frontier: 0,
      isCheckingLiveness: false,
      ms: answer.ms,
    };
    const done = this.#done;
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
    this.#done = null;
    this.isRunning = false;
  }
}
