import type { EitherAlgorithm } from '../../machine/index.ts';
import { buildModel } from '../build-model.ts';
import type { CheckOptions, Space } from '../config.ts';
import type { Model } from '../model/model.ts';
import { type Assignment, BatchWorker, controlCell, type SearchOptions } from './batch-worker.ts';
import { replayLog } from './replay-log.ts';

/** Helps with a search of another thread, which has the same algorithm, space and options. */
export class RemoteWorker {
  readonly #model: Model;
  readonly #options: SearchOptions;
  readonly #worker: BatchWorker;

  constructor(algorithm: EitherAlgorithm, space: Space, options: CheckOptions) {
    const { model, search } = buildModel(algorithm, space, options);
    for (const _ of model.initial()); // works out what comes before everything
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
      Atomics.store(control, controlCell.stop, 1); // the search will come across it when it is alone
    } finally {
      Atomics.sub(control, controlCell.busy, 1);
      Atomics.notify(control, controlCell.busy);
    }
  }
}
