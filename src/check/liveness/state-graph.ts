import { fail } from '../../core/assert.ts';
import type { EdgeId, FairActionId, IdArray, WorldId } from '../ids.ts';
import type { Model } from '../model/model.ts';
import { grown } from '../storage/typed-arrays.ts';
import type { WorldTable } from '../storage/world-table.ts';

/** Every transition between the worlds of a finished search. The edges of a world come in the order of its expansion. */
export class StateGraph {
  readonly size: number; // worlds; as a target it stands for none
  readonly first: IdArray<EdgeId>; // by world: its first edge, where the edges of the world before end
  targets: IdArray<WorldId>; // by edge
  fairActions: IdArray<FairActionId | -1>; // by edge: the fair action it performs; without a target, one that is postponed
  fairActionCount = 0; // all fair actions are below it

  constructor(worlds: WorldTable, edges: number) {
    this.size = worlds.size;
    this.first = new Int32Array(worlds.size + 1) as IdArray<EdgeId>;
    this.targets = new Int32Array(edges) as IdArray<WorldId>;
    this.fairActions = new Int32Array(edges) as IdArray<FairActionId | -1>;
  }

  get bytes(): number {
    return this.first.byteLength + this.targets.byteLength + this.fairActions.byteLength;
  }

  /** Adds the edges of a world. Must be called for one world after the other. */
  link(world: WorldId, model: Model, worlds: WorldTable): void {
    const { successors, medium, width } = model;
    const start = this.first[world]!;
    model.expand(worlds.data, world * width, null);
    const postponed = medium.liveness.postponed(worlds.data, world * width);
    const end = start + successors.count + postponed.length;
    if (end > this.targets.length) this.#extend(end);
    for (let k = 0; k < successors.count; k += 1) {
      const target = worlds.find(successors.next, k * width);
      if (target === -1) fail('the search has left out a world');
      this.#add(
        start + k,
        target,
        medium.liveness.fairActionOf(successors.processAt(k), successors.effectAt(k)),
      );
    }
    postponed.forEach((fairAction, k) => {
      this.#add(start + successors.count + k, this.size as WorldId, fairAction);
    });
    this.first[world + 1] = end as EdgeId;
  }

  #add(edge: number, target: WorldId, fairAction: FairActionId | -1): void {
    this.targets[edge] = target;
    this.fairActions[edge] = fairAction;
    if (fairAction >= this.fairActionCount) this.fairActionCount = fairAction + 1;
  }

  #extend(edges: number): void {
    this.targets = grown(this.targets, Math.ceil(1.5 * edges));
    this.fairActions = grown(this.fairActions, Math.ceil(1.5 * edges));
  }
}
