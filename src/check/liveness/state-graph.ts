import { fail } from '../../core/assert.ts';
import type { Model } from '../model/model.ts';
import { grown, type TupleTable } from '../storage/tuple-table.ts';

/** Every event between the worlds of a search that is over, none left out. The edges of a world come in the order of its expansion. */
export class StateGraph {
  readonly size: number; // worlds; as a target it stands for none
  readonly first: Int32Array; // of each world: where its edges begin, which is where those of the world before end
  targets: Int32Array;
  fairActions: Int32Array; // of each edge: what it carries out that is bound to happen, or -1; without a target, what is postponed
  fairActionCount = 0; // they are numbered below this

  constructor(worlds: TupleTable, edges: number) {
    this.size = worlds.size;
    this.first = new Int32Array(worlds.size + 1);
    this.targets = new Int32Array(edges);
    this.fairActions = new Int32Array(edges);
  }

  get bytes(): number {
    return this.first.byteLength + this.targets.byteLength + this.fairActions.byteLength;
  }

  /** For one world after the other. */
  link(world: number, model: Model, worlds: TupleTable): void {
    const { successors, medium, width } = model;
    const start = this.first[world]!;
    model.expand(worlds.data, world * width, null);
    const postponed = medium.liveness.postponed(worlds.data, world * width);
    const end = start + successors.count + postponed.length;
    if (end > this.targets.length) this.#makeRoom(end);
    for (let k = 0; k < successors.count; k += 1) {
      const target = worlds.find(successors.next, k * width);
      if (target < 0) fail('the search has left out a world');
      this.#add(
        start + k,
        target,
        medium.liveness.fairActionOf(successors.via[2 * k]!, successors.via[2 * k + 1]!),
      );
    }
    postponed.forEach((fairAction, k) => {
      this.#add(start + successors.count + k, this.size, fairAction);
    });
    this.first[world + 1] = end;
  }

  #add(edge: number, target: number, fairAction: number): void {
    this.targets[edge] = target;
    this.fairActions[edge] = fairAction;
    if (fairAction >= this.fairActionCount) this.fairActionCount = fairAction + 1;
  }

  #makeRoom(edges: number): void {
    this.targets = grown(this.targets, Math.ceil(1.5 * edges));
    this.fairActions = grown(this.fairActions, Math.ceil(1.5 * edges));
  }
}
