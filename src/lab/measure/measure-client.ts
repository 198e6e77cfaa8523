import type { Row } from '../../measure/index.ts';
import { Watchdog } from '../run-worker/watchdog.ts';
import type { MeasureWorkerMessage, MeasureWorkerTask } from './measure.worker.ts';
import type { OwnAlgorithm } from './own-algorithm.ts';
import type { Sweep } from './sweep.ts';

const redrawInterval = 150; // milliseconds

/** A worker, and what it measures. */
interface SweepWorker {
  readonly worker: Worker;
  readonly watchdog: Watchdog | null; // of code from the editor
  readonly names: readonly string[];
  readonly keys: readonly string[]; // of their rows
}

/**
 * Measures sweeps in workers: one for the catalogue, and one for the algorithm from the editor, which may change global state.
 * Keeps the rows of algorithms that were measured before.
 */
export class MeasureClient {
  sweep: Sweep;
  readonly #own: OwnAlgorithm | null;
  readonly #rows = new Map<string, Row[]>(); // by algorithm, sizes and runs
  readonly #problems = new Map<string, string>(); // why an algorithm has no more rows, by the same
  readonly #workers = new Set<SweepWorker>();
  #timer = 0;
  readonly #changed: () => void;

  constructor(sweep: Sweep, own: OwnAlgorithm | null, changed: () => void) {
    this.sweep = sweep;
    this.#own = own;
    this.#changed = changed;
  }

  get rows(): Row[] {
    return this.sweep.names.flatMap((name) => this.#rows.get(this.#key(name)) ?? []);
  }

  /** Why the algorithm from the editor has no more rows; null if it has all, or is not chosen. */
  get ownProblem(): string | null {
    const own = this.sweep.names.find((name) => name === this.#own?.code.name);
    return own === undefined ? null : (this.#problems.get(this.#key(own)) ?? null);
  }

  get isBusy(): boolean {
    return this.#workers.size > 0;
  }

  #key(name: string): string {
    return `${name} ${this.sweep.max} ${this.sweep.runs}`;
  }

  /** Measures a sweep. Every run takes all measures, so another measure only changes what is shown. */
  measure(sweep: Sweep): void {
    if (this.isBusy && isSameSweep(sweep, this.sweep)) this.sweep = sweep;
    else this.#restart(sweep);
    this.#changed();
  }

  #restart(sweep: Sweep): void {
    this.stop();
    this.sweep = sweep;
    const missing = sweep.names.filter((name) => !this.#rows.has(this.#key(name)));
    const own = this.#own && missing.includes(this.#own.code.name) ? this.#own.code : null;
    const others = missing.filter((name) => name !== own?.name);
    if (others.length > 0) this.#start(others, others);
    if (own) this.#start([own.name], own);
  }

  #start(names: readonly string[], algorithms: MeasureWorkerTask['algorithms']): void {
    const worker = new Worker(new URL('./measure.worker.ts', import.meta.url), { type: 'module' });
    const isOwn = 'code' in algorithms;
    const watchdog = isOwn ? new Watchdog(() => this.#fail(sweepWorker, stuckText)) : null;
    const keys = names.map((name) => this.#key(name));
    const sweepWorker: SweepWorker = { worker, watchdog, names, keys };
    this.#workers.add(sweepWorker);
    for (const key of keys) this.#rows.set(key, []);
    worker.onmessage = ({ data }: MessageEvent<MeasureWorkerMessage>) => this.#onMessage(sweepWorker, data);
    if (isOwn)
      worker.onerror = (event) => {
        event.preventDefault();
        this.#fail(sweepWorker, event.message || 'it could not be loaded');
      };
    const { max, runs } = this.sweep;
    worker.postMessage({ algorithms, max, runs } satisfies MeasureWorkerTask);
  }

  #onMessage(sweepWorker: SweepWorker, message: MeasureWorkerMessage): void {
    const { watchdog, names } = sweepWorker;
    watchdog?.hear();
    switch (message?.kind) {
      case 'alive':
        watchdog?.start();
        return;
      case 'row':
        if (!names.includes(message.row?.algorithm)) return; // code from the editor may post anything
        this.#rows.get(this.#key(message.row.algorithm))!.push(message.row);
        break;
      case 'over':
        this.#end(sweepWorker);
        break;
      case 'refused':
        this.#fail(sweepWorker, message.why);
        break;
      default:
        return;
    }
    this.#notifySoon();
  }

  #notifySoon(): void {
    if (this.#timer !== 0) return;
    const notify = () => {
      this.#timer = 0;
      this.#changed();
    };
    this.#timer = window.setTimeout(notify, this.isBusy ? redrawInterval : 0);
  }

  /** Ends the worker of the algorithm from the editor. Its rows so far stay. */
  #fail(sweepWorker: SweepWorker, why: string): void {
    for (const key of sweepWorker.keys) this.#problems.set(key, why);
    this.#end(sweepWorker);
    this.#notifySoon();
  }

  #end(sweepWorker: SweepWorker): void {
    sweepWorker.worker.terminate();
    sweepWorker.watchdog?.stop();
    this.#workers.delete(sweepWorker);
  }

  /** Stops the workers and drops incomplete rows. */
  stop(): void {
    for (const sweepWorker of this.#workers) {
      for (const key of sweepWorker.keys) this.#rows.delete(key);
      this.#end(sweepWorker);
    }
  }
}

const stuckText = 'a handler had not ended after four seconds, and was stopped';

const isSameSweep = (a: Sweep, b: Sweep): boolean =>
  a.max === b.max && a.runs === b.runs && a.names.join() === b.names.join();
