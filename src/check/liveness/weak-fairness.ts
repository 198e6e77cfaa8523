import type { EdgeId, FairActionId, IdArray, WorldId } from '../ids.ts';
import type { StateGraph } from './state-graph.ts';

/**
 * Weak fairness: a fair action that is enabled or postponed all the time is performed. Take a component in which a fair action is enabled in every
 * world and performed on no edge. No fair run stays in it, or in any part of it.
 */
export class WeakFairness {
  readonly #graph: StateGraph;
  readonly #componentOf: Int32Array;
  readonly #enabledIn: Int32Array; // by fair action: the last world examined in which it is enabled
  #components = 0;

  constructor(graph: StateGraph) {
    this.#graph = graph;
    this.#componentOf = new Int32Array(graph.size + 1);
    this.#enabledIn = new Int32Array(graph.fairActionCount).fill(-1);
  }

  /** Says whether a fair run can stay in a component. */
  isFair(members: IdArray<WorldId>): boolean {
    const { first, targets, fairActions } = this.#graph;
    this.#components += 1;
    const component = this.#components;
    for (const world of members) this.#componentOf[world] = component;
    let owed = this.#fairActionsIn(members[0]!);
    for (let m = 0; m < members.length && owed.length > 0; m += 1) {
      const world = members[m]!;
      const done: FairActionId[] = [];
      for (let edge = first[world]!; edge < first[world + 1]!; edge++) {
        const fairAction = fairActions[edge]!;
        if (fairAction === -1) continue;
        this.#enabledIn[fairAction] = world;
        if (this.#componentOf[targets[edge]!] === component && owed.includes(fairAction))
          done.push(fairAction);
      }
      if (done.length > 0 || owed.some((fairAction) => this.#enabledIn[fairAction] !== world))
        owed = owed.filter(
          (fairAction) => this.#enabledIn[fairAction] === world && !done.includes(fairAction),
        );
    }
    return owed.length === 0;
  }

  /**
   * Returns the edges of a fair cycle from a world back to it, in a fair component. It performs each fair action that is enabled there, or passes
   * a world in which the action is not enabled.
   */
  cycleFrom(entrance: WorldId, members: IdArray<WorldId>): EdgeId[] {
    const isMember = new Uint8Array(this.#graph.size + 1);
    for (const world of members) isMember[world] = 1;
    const { targets, fairActions } = this.#graph;
    const cycle: EdgeId[] = [];
    let owed = this.#fairActionsIn(entrance);
    let here = entrance;
    const settles = (edge: EdgeId, fairAction: FairActionId) =>
      fairActions[edge] === fairAction || !this.#fairActionsIn(targets[edge]!).includes(fairAction);
    const go = (isWanted: (edge: EdgeId) => boolean) => {
      const path = this.#path(here, isMember, isWanted);
      cycle.push(...path);
      here = targets[path.at(-1)!]!;
      owed = owed.filter((fairAction) => !path.some((edge) => settles(edge, fairAction)));
    };
    while (owed.length > 0) go((edge) => owed.some((fairAction) => settles(edge, fairAction)));
    if (here !== entrance || cycle.length === 0) go((edge) => targets[edge] === entrance);
    return cycle;
  }

  /** Returns the edges of a shortest path that ends with a wanted edge. */
  #path(from: WorldId, isMember: Uint8Array, isWanted: (edge: EdgeId) => boolean): EdgeId[] {
    const { first, targets } = this.#graph;
    const cameBy = new Map<WorldId, { readonly edge: EdgeId; readonly before: WorldId }>();
    const queue = [from];
    for (const world of queue) {
      for (let edge = first[world]!; edge < first[world + 1]!; edge++) {
        const target = targets[edge]!;
        if (isMember[target] === 0) continue;
        if (isWanted(edge)) {
          const path = [edge];
          for (let at = world; at !== from; at = cameBy.get(at)!.before) path.unshift(cameBy.get(at)!.edge);
          return path;
        }
        if (target === from || cameBy.has(target)) continue;
        cameBy.set(target, { edge, before: world });
        queue.push(target);
      }
    }
    return [];
  }

  #fairActionsIn(world: WorldId): FairActionId[] {
    const { first, fairActions } = this.#graph;
    const found: FairActionId[] = [];
    for (let edge = first[world]!; edge < first[world + 1]!; edge++) {
      const fairAction = fairActions[edge]!;
      if (fairAction !== -1 && !found.includes(fairAction)) found.push(fairAction);
    }
    return found;
  }
}
