import type { Row } from '../../measure/index.ts';
import type { MeasureWorkerMessage } from './measure.worker.ts';
import type { Sweep } from './sweep.ts';

const redrawInterval = 150; // milliseconds

/** Measures sweeps in a worker. Keeps the rows of algorithms that were measured before. */
export class MeasureClient {
  sweep: Sweep;
  isBusy = false;
  readonly #rows = new Map<string, Row[]>(); // by algorithm, sizes and runs
  #pendingKeys: readonly string[] = []; // of the algorithms being measured
  #worker: Worker | null = null;
  #timer = 0;
  readonly #changed: () => void;

  constructor(sweep: Sweep, changed: () => void) {
    this.sweep = sweep;
    this.#changed = changed;
  }

  get rows(): Row[] {
    return this.sweep.names.flatMap((name) => this.#rows.get(this.#key(name)) ?? []);
  }

  #key(name: string): string {
    return `${name} ${this.sweep.max} ${this.sweep.runs}`;
  }

  measure(sweep: Sweep): void {
    this.stop();
    this.sweep = sweep;
    const missing = sweep.names.filter((name) => !this.#rows.has(this.#key(name)));
    if (missing.length > 0) this.#start(missing);
    this.#changed();
  }

  #start(names: readonly string[]): void {
    this.isBusy = true;
    this.#pendingKeys = names.map((name) => this.#key(name));
    for (const key of this.#pendingKeys) this.#rows.set(key, []);
    const worker = new Worker(new URL('./measure.worker.ts', import.meta.url), { type: 'module' });
    this.#worker = worker;
    worker.onmessage = ({ data }: MessageEvent<MeasureWorkerMessage>) => {
      if ('row' in data) this.#rows.get(this.#key(data.row.algorithm))!.push(data.row);
      else this.#end();
      if (this.#timer === 0)
        this.#timer = window.setTimeout(() => this.#notify(), this.isBusy ? redrawInterval : 0);
    };
    worker.postMessage({ ...this.sweep, names });
  }

  #notify(): void {
    this.#timer = 0;
    this.#changed();
  }

  #end(): void {
    this.#worker?.terminate();
    this.#worker = null;
    this.#pendingKeys = [];
    this.isBusy = false;
  }

  /** Stops the worker and drops incomplete rows. */
  stop(): void {
    for (const key of this.#pendingKeys) this.#rows.delete(key);
    this.#end();
  }
}
