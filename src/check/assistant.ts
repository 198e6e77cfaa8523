import type { EitherAlgorithm } from '../machine/index.ts';
import { repeat } from './firsts.ts';
import { cell, type Errand, Hand, type Task } from './hand.ts';
import type { Model } from './model.ts';
import type { CheckOptions, Space } from './question.ts';
import { subjectOf } from './subject.ts';

/** Helps with a search of another thread, which has the same algorithm, space and options. */
export class Assistant {
  readonly #model: Model;
  readonly #task: Task;
  readonly #hand: Hand;

  constructor(algorithm: EitherAlgorithm, space: Space, options: CheckOptions) {
    const { model, task } = subjectOf(algorithm, space, options);
    for (const _ of model.initial()); // works out what comes before everything
    this.#model = model;
    this.#task = task;
    this.#hand = new Hand(model, task);
  }

  do({ board, firsts, batch, ready }: Errand): void {
    const { control, data } = board;
    repeat(firsts, this.#model, data, this.#task.sleeps);
    if (batch === null) {
      Atomics.store(control, ready, 1);
      return;
    }
    Atomics.add(control, cell.busy, 1);
    try {
      if (Atomics.load(control, cell.open) === batch.id) this.#hand.work(board, batch);
    } catch {
      Atomics.store(control, cell.stop, 1); // the search will come across it when it is alone
    } finally {
      Atomics.sub(control, cell.busy, 1);
      Atomics.notify(control, cell.busy);
    }
  }
}
