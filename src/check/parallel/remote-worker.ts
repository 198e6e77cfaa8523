import type { EitherAlgorithm } from '../../machine/index.ts';
import { buildModel } from '../build-model.ts';
import type { CheckOptions, SearchOptions, Space } from '../config.ts';
import type { Model } from '../model/model.ts';
import { type Assignment, controlCell } from './batch.ts';
import { BatchWorker } from './batch-worker.ts';
import { replayLog } from './replay-log.ts';

/** Helps with the search of another thread, which has the same algorithm, space and options. */
export class RemoteWorker {
  readonly #model: Model;
  readonly #options: SearchOptions;
  readonly #worker: BatchWorker;

  constructor(algorithm: EitherAlgorithm, space: Space, options: CheckOptions) {
    const { model, search } = buildModel(algorithm, space, options);
    for (const _ of model.initial()); // discovers the same as the search did
    this.#model = model;
    this.#options = search;
    this.#worker = new BatchWorker(model, search);
  }

  perform({ tables, log, batch, ready }: Assignment): void {
    const { control, data } = tables;
    replayLog(log, this.#model, data, this.#options.sleepSets);
    if (batch === null) {
      Atomics.store(control, ready, 1);
      return;
    }
    Atomics.add(control, controlCell.busy, 1);
    try {
      if (Atomics.load(control, controlCell.open) === batch.id) this.#worker.work(tables, batch);
    } catch {
      Atomics.store(control, controlCell.stop, 1); // the search will meet the same error alone
    } finally {
      Atomics.sub(control, controlCell.busy, 1);
      Atomics.notify(control, controlCell.busy);
    }
  }
}
