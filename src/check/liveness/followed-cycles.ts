import type { EdgeId, WorldId } from '../ids.ts';
import type { Model } from '../model/model.ts';
import type { Search } from '../search.ts';
import { StateGraph } from './state-graph.ts';

const pause = 1024; // worlds between two pauses for the host

/**
 * Looks for a cycle in the graph that a search has followed. If it has none, no run is without end, whatever a reduced search left out:
 *
 * - Early delivery and ample sets follow, from a world, one message or the events of one process. Each commutes with all that can happen before it,
 *   and stays enabled until it is taken. Take a run without end from that world: the same run with such an event moved to its
 *   beginning, or put before it, is one from a world that was followed. So there is a path without end among the worlds followed.
 * - Sleep sets leave out no world, and of all orders of a finite run they follow one. A run without end has finite parts of any length,
 *   so paths of any length were followed.
 * - Where worlds that are rotations of each other are one, a run goes through the worlds that stand for its own.
 *
 * There are finitely many worlds, so a path without end has a cycle. If there is one, it need not be fair, and a reduced search may have left out
 * fair ones: then a search that leaves out no world must follow (the ignoring problem; Valmari, 1990).
 */
export class FollowedCycles {
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
    const { worlds, transitions, edges, steps } = this.#search;
    const isLogged = edges !== null || steps !== null;
    const graph = new StateGraph(worlds, isLogged ? 0 : transitions);
    if (edges !== null) graph.load(edges);
    const expandedAgain = edges !== null ? 0 : (steps?.begin ?? graph.size);
    for (let world = 0 as WorldId; world < expandedAgain; world++) {
      this.#search.expandAgain(world);
      graph.link(world, this.#model, worlds, true);
      if (world % pause === 0) yield;
    }
    if (steps !== null) graph.append(steps);
    this.#search.steps = null; // its memory is needed no more
    this.isAny = hasCycle(graph);
  }
}

/** Takes away worlds into which no edge leads, one after the other (A. Kahn, 1962). Worlds on a cycle are left. */
function hasCycle({ size, first, targets }: StateGraph): boolean {
  const incoming = new Int32Array(size + 1);
  for (let edge = 0; edge < first[size]!; edge += 1) incoming[targets[edge as EdgeId]!]! += 1;
  const taken = new Int32Array(size);
  let count = 0;
  for (let world = 0; world < size; world += 1) if (incoming[world] === 0) taken[count++] = world;
  for (let k = 0; k < count; k += 1) {
    const world = taken[k]!;
    for (let edge = first[world]!; edge < first[world + 1]!; edge++) {
      const target = targets[edge]!;
      incoming[target]! -= 1;
      if (incoming[target] === 0 && target < size) taken[count++] = target;
    }
  }
  return count < size;
}
