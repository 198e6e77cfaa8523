import type { EdgeId, IdArray, WorldId } from '../ids.ts';
import type { StronglyConnectedComponents } from './scc.ts';
import type { StateGraph } from './state-graph.ts';

/**
 * Maximal end components (L. de Alfaro, 1997): worlds in which a scheduler can keep a run forever, however the coins fall. A strongly connected
 * component is one if it is closed under the coins. Where a toss may lead out of it, the scheduler must not perform that action, so
 * all outcomes of the action are withheld, and what is left is taken apart again. A run stays in a component that is none with
 * probability 0: it takes an action that may lead out infinitely often, or leaves by itself.
 *
 * A fair run with positive probability of never reaching a goal has an end component in which the goal is due, and in which every fair action
 * that is enabled in all worlds is performed. So weak fairness is asked of these components, as without coins of the strongly
 * connected ones: if it does not hold of a component, it does not hold of any part of it.
 */
export class EndComponents {
  readonly #graph: StateGraph;
  readonly #components: StronglyConnectedComponents;
  readonly #withheld = new Map<EdgeId, WorldId>(); // edges, and their targets
  readonly #isMember: Uint8Array;

  constructor(graph: StateGraph, components: StronglyConnectedComponents) {
    this.#graph = graph;
    this.#components = components;
    this.#isMember = new Uint8Array(graph.size + 1);
  }

  /** Yields the components among the marked worlds. Edges are withheld until `restore`. A null lets the host do something else. */
  *among(marked: Uint8Array, pause: number): Iterable<IdArray<WorldId> | null> {
    if (!this.#graph.hasCoins) {
      yield* this.#components.among(marked, pause);
      return;
    }
    for (let isStable = false; !isStable; ) {
      isStable = true;
      const found: IdArray<WorldId>[] = [];
      for (const members of this.#components.among(marked, pause)) {
        if (members === null) yield null;
        else if (this.withhold(members)) isStable = false;
        else found.push(members.slice() as Int32Array as IdArray<WorldId>);
      }
      if (isStable) yield* found;
    }
  }

  /** Withholds the actions in these worlds that a toss may lead out of them. Returns whether there are any. */
  withhold(members: IdArray<WorldId>): boolean {
    const { first, targets } = this.#graph;
    const before = this.#withheld.size;
    for (const world of members) this.#isMember[world] = 1;
    for (const world of members as Iterable<WorldId>) {
      for (let start = first[world]!; start < first[world + 1]!; ) {
        const end = this.#graph.endOfAction(start, world);
        let inside = 0;
        for (let edge = start; edge < end; edge++) inside += this.#isMember[targets[edge]!]!;
        if (inside > 0 && inside < end - start)
          for (let edge = start; edge < end; edge++) this.#withholdEdge(edge);
        start = end;
      }
    }
    for (const world of members) this.#isMember[world] = 0;
    return this.#withheld.size > before;
  }

  #withholdEdge(edge: EdgeId): void {
    const { targets, size } = this.#graph;
    this.#withheld.set(edge, targets[edge]!);
    targets[edge] = size as WorldId;
  }

  restore(): void {
    for (const [edge, target] of this.#withheld) this.#graph.targets[edge] = target;
    this.#withheld.clear();
  }
}
