import { configOf, type Space } from '../../src/check/config.ts';
import { stateAt } from '../../src/check/ids.ts';
import { MessagePassing } from '../../src/check/messages/message-passing.ts';
import { Model } from '../../src/check/model/model.ts';
import { Search } from '../../src/check/search.ts';
import type { AnyAlgorithm } from '../../src/core/algorithm.ts';

/** What a constraint says of the state of each process. */
type Constraint<S> = (s: S) => boolean;

/** Leaves out every world in which a process is in a state outside the constraint. */
class ConstrainedModel<S> extends Model {
  leftOut = 0; // ways to such a world
  readonly #network: MessagePassing;
  readonly #isWithin: Constraint<S>;

  constructor(network: MessagePassing, isWithin: Constraint<S>) {
    super(network);
    this.#network = network;
    this.#isWithin = isWithin;
  }

  override expand(worlds: Int32Array, offset: number, asleep: number | null): void {
    super.expand(worlds, offset, asleep);
    const { successors, width } = this;
    const { next, via, marks, count } = successors;
    let kept = 0;
    for (let k = 0; k < count; k += 1) {
      const process = via[2 * k]!; // nobody else has changed its state
      if (
        !this.#isWithin(
          this.#network.states.processStates.variablesAt(stateAt(next, k * width, process)) as S,
        )
      )
        continue;
      next.copyWithin(kept * width, k * width, (k + 1) * width);
      via.copyWithin(2 * kept, 2 * k, 2 * k + 2);
      marks[kept] = marks[k]!;
      kept += 1;
    }
    this.leftOut += count - kept;
    successors.count = kept;
  }
}

/**
 * As TLC does with a CONSTRAINT: a successor outside of it is neither counted as a state nor followed (its Worker asks isInModel
 * before it looks at the table of fingerprints), but it has been generated.
 */
export function checkWithin<S>(algorithm: AnyAlgorithm, space: Space, isWithin: Constraint<S>) {
  const question = configOf(algorithm, space, { reduction: false });
  const model = new ConstrainedModel(new MessagePassing(question), isWithin);
  const initial = [...model.initial()];
  const limits = { states: Infinity, bytes: Infinity, depth: Infinity };
  const search = new Search(model, { lemmas: false, sleepSets: false }, limits);
  while (search.advance(100_000));
  return {
    found: search.found,
    initial: initial.length,
    states: search.worlds.size,
    depth: search.depth,
    transitions: search.transitions,
    leftOut: model.leftOut,
  };
}
