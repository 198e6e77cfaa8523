import { configOf, type Space } from '../../src/check/config.ts';
import { stateAt } from '../../src/check/ids.ts';
import { MessagePassing } from '../../src/check/messages/message-passing.ts';
import { Model } from '../../src/check/model/model.ts';
import { Search } from '../../src/check/search.ts';
import type { AnyAlgorithm } from '../../src/core/algorithm.ts';

/** Returns whether the variables of a process are within the constraint. */
type Constraint<S> = (s: S) => boolean;

/** Leaves out every world in which the variables of a process are outside the constraint. */
class ConstrainedModel<S> extends Model {
  leftOut = 0; // transitions to such worlds
  readonly #medium: MessagePassing;
  readonly #isWithin: Constraint<S>;

  constructor(medium: MessagePassing, isWithin: Constraint<S>) {
    super(medium);
    this.#medium = medium;
    this.#isWithin = isWithin;
  }

  override expand(worlds: Int32Array, offset: number, asleep: number | null): void {
    super.expand(worlds, offset, asleep);
    const { successors, width } = this;
    const { next, via, marks, count } = successors;
    let kept = 0;
    for (let k = 0; k < count; k += 1) {
      const process = via[2 * k]!; // no other process has changed its state
      if (
        !this.#isWithin(this.#medium.states.processStates.variablesAt(stateAt(next, k * width, process)) as S)
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
 * Searches as TLC does with a CONSTRAINT. A successor outside it counts as generated, but not as a state, and is not expanded: TLC's Worker
 * calls isInModel before it looks at the table of fingerprints.
 */
export function checkWithin<S>(algorithm: AnyAlgorithm, space: Space, isWithin: Constraint<S>) {
  const config = configOf(algorithm, space, { reduction: false });
  const model = new ConstrainedModel(new MessagePassing(config), isWithin);
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
