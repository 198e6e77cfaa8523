import type { Violation } from '../../problems/monitor.ts';
import type { LivenessGoal } from '../model/medium.ts';
import type { Model } from '../model/model.ts';
import type { FoundViolation, Search } from '../search.ts';
import { StronglyConnectedComponents } from './scc.ts';
import { StateGraph } from './state-graph.ts';
import { WeakFairness } from './weak-fairness.ts';

export interface StepId {
  readonly process: number;
  readonly effect: number;
}

/** A run that breaks a property; with a loop, by going round for ever. */
export interface Lasso extends FoundViolation {
  readonly loop: readonly StepId[];
}

/** Worlds among which a fair run can stay. */
interface FairCycle {
  readonly violation: Violation;
  readonly entrance: number; // the first of them that is reached
  readonly members: Int32Array;
}

const pause = 1024; // worlds between two looks at the host

/**
 * What comes about in every fair run: asked of all worlds of a search that is over. A run that never reaches a goal goes round in the end,
 * since there are only so many worlds.
 */
export class FairCycles {
  found: Lasso | null = null;
  cutOff: string | null = null; // why something was left out
  isOver = false;
  readonly #model: Model;
  readonly #search: Search;
  readonly #graph: StateGraph;
  readonly #mostBytes: number;
  readonly #work: Iterator<void>;
  #tables = 0; // bytes
  #nearest: FairCycle | null = null;

  constructor(model: Model, search: Search, mostBytes: number) {
    this.#model = model;
    this.#search = search;
    this.#mostBytes = mostBytes - search.bytes - model.bytes - model.objectBytes();
    this.#graph = new StateGraph(search.worlds, search.transitions);
    this.#work = this.#look();
  }

  get bytes(): number {
    return this.#graph.bytes + this.#tables;
  }

  /** Looks at so many more worlds; false when it is over. */
  advance(worlds: number): boolean {
    for (let left = worlds; left > 0 && !this.isOver; left -= pause) this.isOver = !!this.#work.next().done;
    return !this.isOver;
  }

  *#look(): Iterator<void> {
    const { worlds } = this.#search;
    const graph = this.#graph;
    for (let world = 0; world < graph.size; world += 1) {
      graph.link(world, this.#model, worlds);
      if (world % pause > 0) continue;
      if (!this.#fits()) return;
      yield;
    }
    const components = new StronglyConnectedComponents(graph);
    this.#tables = components.bytes;
    if (!this.#fits()) return;
    const fairness = new WeakFairness(graph);
    const isDue = new Uint8Array(graph.size + 1);
    for (const goal of this.#model.medium.liveness.goals) {
      for (let world = 0; world < graph.size; world += 1) {
        isDue[world] = goal.isDue(worlds.data, world * worlds.width) ? 1 : 0;
        if (world % pause === 0) yield;
      }
      if (goal.violationIfLost !== null) this.#seeLost(goal.violationIfLost, isDue);
      if (this.found !== null) return;
      for (const members of components.among(isDue, pause)) {
        if (members === null) yield;
        else if (fairness.isFair(members)) this.#keep(goal, members);
      }
    }
    if (this.#nearest !== null) this.found = this.#lasso(fairness, this.#nearest);
  }

  #fits(): boolean {
    if (this.bytes > this.#mostBytes) this.cutOff = 'runs that go round for ever, for want of memory';
    return this.cutOff === null;
  }

  /** A step after which a goal is due though it was not. Worlds come in the order in which they are reached, so it is among the first. */
  #seeLost(violation: Violation, isDue: Uint8Array): void {
    const { first, targets, size } = this.#graph;
    for (let world = 0; world < size; world += 1) {
      for (let edge = first[world]!; edge < first[world + 1]! && isDue[world] === 0; edge += 1) {
        if (isDue[targets[edge]!] === 0) continue; // also if it has no target
        this.found = { violation, world, step: this.#via(world, edge), loop: [] };
        return;
      }
    }
  }

  /** Of all loops, one of those that are reached soonest. */
  #keep(goal: LivenessGoal, members: Int32Array): void {
    let entrance = members[0]!;
    for (const world of members) if (world < entrance) entrance = world;
    if (this.#nearest !== null && this.#nearest.entrance <= entrance) return;
    const { data, width } = this.#search.worlds;
    const violation = goal.violation(data, entrance * width);
    this.#nearest = { violation, entrance, members: members.slice() };
  }

  #lasso(fairness: WeakFairness, { violation, entrance, members }: FairCycle): Lasso {
    const loop: StepId[] = [];
    let world = entrance;
    for (const edge of fairness.roundFrom(entrance, members)) {
      loop.push(this.#via(world, edge));
      world = this.#graph.targets[edge]!;
    }
    return { violation, world: entrance, step: null, loop };
  }

  #via(world: number, edge: number): StepId {
    const { successors, width } = this.#model;
    this.#model.expand(this.#search.worlds.data, world * width, null);
    const k = edge - this.#graph.first[world]!;
    return { process: successors.via[2 * k]!, effect: successors.via[2 * k + 1]! };
  }
}
