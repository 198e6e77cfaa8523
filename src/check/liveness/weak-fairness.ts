import type { StateGraph } from './state-graph.ts';

/**
 * Weak fairness: what is bound to happen, and can happen all the time or is postponed, does happen. A component in which something of this kind could
 * happen in every world and happens on no edge holds no fair run that stays; and no part of it does.
 */
export class WeakFairness {
  readonly #graph: StateGraph;
  readonly #componentOf: Int32Array;
  readonly #canHappen: Int32Array; // of each duty: the last world looked at in which it could
  #components = 0;

  constructor(graph: StateGraph) {
    this.#graph = graph;
    this.#componentOf = new Int32Array(graph.size + 1);
    this.#canHappen = new Int32Array(graph.fairActionCount).fill(-1);
  }

  isFair(members: Int32Array): boolean {
    const { first, targets, fairActions } = this.#graph;
    this.#components += 1;
    const component = this.#components;
    for (const world of members) this.#componentOf[world] = component;
    let owed = this.#fairActionsIn(members[0]!);
    for (let m = 0; m < members.length && owed.length > 0; m += 1) {
      const world = members[m]!;
      const done: number[] = [];
      for (let edge = first[world]!; edge < first[world + 1]!; edge += 1) {
        const fairAction = fairActions[edge]!;
        if (fairAction < 0) continue;
        this.#canHappen[fairAction] = world;
        if (this.#componentOf[targets[edge]!] === component && owed.includes(fairAction))
          done.push(fairAction);
      }
      if (done.length > 0 || owed.some((fairAction) => this.#canHappen[fairAction] !== world))
        owed = owed.filter(
          (fairAction) => this.#canHappen[fairAction] === world && !done.includes(fairAction),
        );
    }
    return owed.length === 0;
  }

  /**
   * The edges of a fair way round from a world back to it, in a component that is fair: it carries out everything that is bound to happen
   * there, or comes to a world in which that cannot happen.
   */
  roundFrom(entrance: number, members: Int32Array): number[] {
    const isMember = new Uint8Array(this.#graph.size + 1);
    for (const world of members) isMember[world] = 1;
    const { targets, fairActions } = this.#graph;
    const round: number[] = [];
    let owed = this.#fairActionsIn(entrance);
    let here = entrance;
    const settles = (edge: number, fairAction: number) =>
      fairActions[edge] === fairAction || !this.#fairActionsIn(targets[edge]!).includes(fairAction);
    const go = (isWanted: (edge: number) => boolean) => {
      const way = this.#way(here, isMember, isWanted);
      round.push(...way);
      here = targets[way.at(-1)!]!;
      owed = owed.filter((fairAction) => !way.some((edge) => settles(edge, fairAction)));
    };
    while (owed.length > 0) go((edge) => owed.some((fairAction) => settles(edge, fairAction)));
    if (here !== entrance || round.length === 0) go((edge) => targets[edge] === entrance);
    return round;
  }

  /** The edges of a shortest way that ends with one that is wanted. */
  #way(from: number, isMember: Uint8Array, isWanted: (edge: number) => boolean): number[] {
    const { first, targets } = this.#graph;
    const cameBy = new Map<number, { readonly edge: number; readonly before: number }>();
    const queue = [from];
    for (const world of queue) {
      for (let edge = first[world]!; edge < first[world + 1]!; edge += 1) {
        const target = targets[edge]!;
        if (isMember[target] === 0) continue;
        if (isWanted(edge)) {
          const way = [edge];
          for (let at = world; at !== from; at = cameBy.get(at)!.before) way.unshift(cameBy.get(at)!.edge);
          return way;
        }
        if (target === from || cameBy.has(target)) continue;
        cameBy.set(target, { edge, before: world });
        queue.push(target);
      }
    }
    return [];
  }

  #fairActionsIn(world: number): number[] {
    const { first, fairActions } = this.#graph;
    const found: number[] = [];
    for (let edge = first[world]!; edge < first[world + 1]!; edge += 1) {
      const fairAction = fairActions[edge]!;
      if (fairAction >= 0 && !found.includes(fairAction)) found.push(fairAction);
    }
    return found;
  }
}
