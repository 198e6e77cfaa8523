import type { Graph } from './graph.ts';

/**
 * Weak fairness: what is bound to happen, and can happen all the time or is postponed, does happen. A component in which something of this kind could
 * happen in every world and happens on no edge holds no fair run that stays; and no part of it does.
 */
export class Fairness {
  readonly #graph: Graph;
  readonly #componentOf: Int32Array;
  readonly #canHappen: Int32Array; // of each duty: the last world looked at in which it could
  #components = 0;

  constructor(graph: Graph) {
    this.#graph = graph;
    this.#componentOf = new Int32Array(graph.size + 1);
    this.#canHappen = new Int32Array(graph.mostDuties).fill(-1);
  }

  isFair(members: Int32Array): boolean {
    const { first, targets, duties } = this.#graph;
    this.#components += 1;
    const component = this.#components;
    for (const world of members) this.#componentOf[world] = component;
    let owed = this.#dutiesIn(members[0]!);
    for (let m = 0; m < members.length && owed.length > 0; m += 1) {
      const world = members[m]!;
      const done: number[] = [];
      for (let edge = first[world]!; edge < first[world + 1]!; edge += 1) {
        const duty = duties[edge]!;
        if (duty < 0) continue;
        this.#canHappen[duty] = world;
        if (this.#componentOf[targets[edge]!] === component && owed.includes(duty)) done.push(duty);
      }
      if (done.length > 0 || owed.some((duty) => this.#canHappen[duty] !== world))
        owed = owed.filter((duty) => this.#canHappen[duty] === world && !done.includes(duty));
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
    const { targets, duties } = this.#graph;
    const round: number[] = [];
    let owed = this.#dutiesIn(entrance);
    let here = entrance;
    const settles = (edge: number, duty: number) =>
      duties[edge] === duty || !this.#dutiesIn(targets[edge]!).includes(duty);
    const go = (isWanted: (edge: number) => boolean) => {
      const way = this.#way(here, isMember, isWanted);
      round.push(...way);
      here = targets[way.at(-1)!]!;
      owed = owed.filter((duty) => !way.some((edge) => settles(edge, duty)));
    };
    while (owed.length > 0) go((edge) => owed.some((duty) => settles(edge, duty)));
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

  #dutiesIn(world: number): number[] {
    const { first, duties } = this.#graph;
    const found: number[] = [];
    for (let edge = first[world]!; edge < first[world + 1]!; edge += 1) {
      const duty = duties[edge]!;
      if (duty >= 0 && !found.includes(duty)) found.push(duty);
    }
    return found;
  }
}
