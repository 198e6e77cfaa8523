import type { EdgeId, IdArray, WorldId } from '../ids.ts';
import type { StateGraph } from './state-graph.ts';

/**
 * Strongly connected components (R. Tarjan, 1972) of the marked part of a graph: those with a cycle. Each is a list of worlds that is valid until
 * the next one. A null every `pause` worlds lets the host do something else.
 */
export class StronglyConnectedComponents {
  readonly #graph: StateGraph;
  readonly #order: Int32Array; // in which worlds were visited, from 1; 0: not visited
  readonly #low: Int32Array; // the earliest world known to be in the same component
  readonly #edge: IdArray<EdgeId>; // the next edge to follow
  readonly #path: IdArray<WorldId>; // from the root of the search to the current world
  readonly #open: IdArray<WorldId>; // worlds whose component is not known yet

  constructor(graph: StateGraph) {
    this.#graph = graph;
    this.#order = new Int32Array(graph.size);
    this.#low = new Int32Array(graph.size);
    this.#edge = new Int32Array(graph.size) as IdArray<EdgeId>;
    this.#path = new Int32Array(graph.size) as IdArray<WorldId>;
    this.#open = new Int32Array(graph.size) as IdArray<WorldId>;
  }

  get bytes(): number {
    return 5 * this.#order.byteLength;
  }

  *among(marked: Uint8Array, pause: number): Iterable<IdArray<WorldId> | null> {
    const { first, targets, size } = this.#graph;
    const [order, low, edge, path, open] = [this.#order, this.#low, this.#edge, this.#path, this.#open];
    order.fill(0);
    let count = 0;
    let opened = 0;
    for (let root = 0 as WorldId; root < size; root++) {
      if (marked[root] === 0 || order[root] !== 0) continue;
      let length = 0;
      let world = root;
      for (;;) {
        if (order[world] === 0) {
          count += 1;
          order[world] = low[world] = count;
          edge[world] = first[world]!;
          path[length++] = open[opened++] = world;
          if (count % pause === 0) yield null;
        }
        const next = edge[world]! < first[world + 1]! ? targets[edge[world]!]! : -1;
        if (next !== -1) {
          edge[world] = (edge[world]! + 1) as EdgeId;
          if (marked[next] === 0) continue;
          if (order[next] === 0) world = next;
          else if (order[next]! < low[world]!) low[world] = order[next]!;
          continue;
        }
        if (low[world] === order[world]) {
          const end = opened;
          do order[open[--opened]!] = closed;
          while (open[opened] !== world);
          if (end - opened > 1 || this.#isLoop(world))
            yield open.subarray(opened, end) as Int32Array as IdArray<WorldId>;
        }
        length -= 1;
        if (length === 0) break;
        const before = path[length - 1]!;
        if (low[world]! < low[before]!) low[before] = low[world]!;
        world = before;
      }
    }
  }

  #isLoop(world: WorldId): boolean {
    const { first, targets } = this.#graph;
    for (let edge = first[world]!; edge < first[world + 1]!; edge++) if (targets[edge] === world) return true;
    return false;
  }
}

const closed = 2 ** 31 - 1; // later than all others: the component of the world is known
