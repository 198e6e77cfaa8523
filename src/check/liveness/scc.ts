import type { StateGraph } from './state-graph.ts';

/**
 * Strongly connected components (R. Tarjan, 1972) of the part of a graph that is marked: those in which a run can go round, as lists
 * of worlds that last until the next one. Between them comes null, every so often, so that hosts can do something else.
 */
export class StronglyConnectedComponents {
  readonly #graph: StateGraph;
  readonly #order: Int32Array; // in which worlds were come upon, from 1; 0 before that
  readonly #low: Int32Array; // the earliest world known to be in the same component
  readonly #edge: Int32Array; // the next to follow
  readonly #path: Int32Array; // from where the search began to where it is
  readonly #open: Int32Array; // worlds whose component is not known yet

  constructor(graph: StateGraph) {
    this.#graph = graph;
    this.#order = new Int32Array(graph.size);
    this.#low = new Int32Array(graph.size);
    this.#edge = new Int32Array(graph.size);
    this.#path = new Int32Array(graph.size);
    this.#open = new Int32Array(graph.size);
  }

  get bytes(): number {
    return 5 * this.#order.byteLength;
  }

  *among(marked: Uint8Array, pause: number): Iterable<Int32Array | null> {
    const { first, targets, size } = this.#graph;
    const [order, low, edge, path, open] = [this.#order, this.#low, this.#edge, this.#path, this.#open];
    order.fill(0);
    let count = 0;
    let opened = 0;
    for (let root = 0; root < size; root += 1) {
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
        if (next >= 0) {
          edge[world]! += 1;
          if (marked[next] === 0) continue;
          if (order[next] === 0) world = next;
          else if (order[next]! < low[world]!) low[world] = order[next]!;
          continue;
        }
        if (low[world] === order[world]) {
          const end = opened;
          do order[open[--opened]!] = closed;
          while (open[opened] !== world);
          if (end - opened > 1 || this.#isLoop(world)) yield open.subarray(opened, end);
        }
        length -= 1;
        if (length === 0) break;
        const before = path[length - 1]!;
        if (low[world]! < low[before]!) low[before] = low[world]!;
        world = before;
      }
    }
  }

  #isLoop(world: number): boolean {
    const { first, targets } = this.#graph;
    for (let edge = first[world]!; edge < first[world + 1]!; edge += 1)
      if (targets[edge] === world) return true;
    return false;
  }
}

const closed = 2 ** 31 - 1; // later than all: its component is known
