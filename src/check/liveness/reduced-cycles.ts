import type { WorldId } from '../ids.ts';
import type { Model } from '../model/model.ts';
import type { Search } from '../search.ts';
import { StronglyConnectedComponents } from './scc.ts';
import { StateGraph } from './state-graph.ts';

const pause = 1024; // worlds between two pauses for the host

/**
 * Looks for a cycle in the graph that a reduced search has followed. If it has none, no run is without end, whatever the search left out:
 *
 * - Early delivery and ample sets follow, from a world, one message or the events of one process. Each commutes with all that can happen before it,
 *   and stays enabled until it is taken. Take a run without end from that world: the same run with such an event moved to its
 *   beginning, or put before it, is one from a world that was followed. So there is a path without end among the worlds followed.
 * - Sleep sets leave out no world, and of all orders of a finite run they follow one. A run without end has finite parts of any length,
 *   so paths of any length were followed.
 * - Where worlds that are rotations of each other are one, a run goes through the worlds that stand for its own.
 *
 * There are finitely many worlds, so a path without end has a cycle. If there is one, it need not be fair, and fair ones may have been left out:
 * then a search that leaves out no world must follow (the ignoring problem; Valmari, 1990).
 */
export class ReducedCycles {
  isOver = false;
  isAny = false; // a cycle was found
  readonly #model: Model;
  readonly #search: Search;
  readonly #work: Iterator<void>;

  constructor(model: Model, search: Search) {
    this.#model = model;
    this.#search = search;
    this.#work = this.#examine();
  }

  /** Examines up to `worlds` more worlds. Returns false when it is over. */
  advance(worlds: number): boolean {
    for (let left = worlds; left > 0 && !this.isOver; left -= pause) this.isOver = !!this.#work.next().done;
    return !this.isOver;
  }

  *#examine(): Iterator<void> {
    const { worlds, transitions } = this.#search;
    const graph = new StateGraph(worlds, transitions);
    for (let world = 0 as WorldId; world < graph.size; world++) {
      this.#search.expandAgain(world);
      graph.link(world, this.#model, worlds, true);
      if (world % pause === 0) yield;
    }
    const isAnywhere = new Uint8Array(graph.size + 1).fill(1, 0, graph.size);
    for (const members of new StronglyConnectedComponents(graph).among(isAnywhere, pause)) {
      this.isAny = members !== null;
      if (this.isAny) return;
      yield;
    }
  }
}
