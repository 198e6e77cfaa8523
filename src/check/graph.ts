import { fail } from '../core/assert.ts';
import type { Model } from './model.ts';
import { grown, type Tuples } from './tuples.ts';

/** Every event between the worlds of a search that is over, none left out. The edges of a world come in the order of its expansion. */
export class Graph {
  readonly size: number; // worlds; as a target it stands for none
  readonly first: Int32Array; // of each world: where its edges begin, which is where those of the world before end
  targets: Int32Array;
  duties: Int32Array; // of each edge: what it carries out that is bound to happen, or -1; without a target, what is postponed
  mostDuties = 0; // they are numbered below this

  constructor(worlds: Tuples, edges: number) {
    this.size = worlds.size;
    this.first = new Int32Array(worlds.size + 1);
    this.targets = new Int32Array(edges);
    this.duties = new Int32Array(edges);
  }

  get bytes(): number {
    return this.first.byteLength + this.targets.byteLength + this.duties.byteLength;
  }

  /** For one world after the other. */
  link(world: number, model: Model, worlds: Tuples): void {
    const { expansion, medium, width } = model;
    const start = this.first[world]!;
    model.expand(worlds.data, world * width, null);
    const postponed = medium.liveness.postponed(worlds.data, world * width);
    const end = start + expansion.count + postponed.length;
    if (end > this.targets.length) this.#makeRoom(end);
    for (let k = 0; k < expansion.count; k += 1) {
      const target = worlds.find(expansion.next, k * width);
      if (target < 0) fail('the search has left out a world');
      this.#add(start + k, target, medium.liveness.dutyOf(expansion.via[2 * k]!, expansion.via[2 * k + 1]!));
    }
    postponed.forEach((duty, k) => {
      this.#add(start + expansion.count + k, this.size, duty);
    });
    this.first[world + 1] = end;
  }

  #add(edge: number, target: number, duty: number): void {
    this.targets[edge] = target;
    this.duties[edge] = duty;
    if (duty >= this.mostDuties) this.mostDuties = duty + 1;
  }

  #makeRoom(edges: number): void {
    this.targets = grown(this.targets, Math.ceil(1.5 * edges));
    this.duties = grown(this.duties, Math.ceil(1.5 * edges));
  }
}
