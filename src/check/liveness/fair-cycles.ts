import type { Violation } from '../../problems/monitor.ts';
import type { EdgeId, EffectId, IdArray, WorldId } from '../ids.ts';
import type { LivenessGoal } from '../model/medium.ts';
import type { Model } from '../model/model.ts';
import type { FoundViolation, Search } from '../search.ts';
import { EndComponents } from './end-components.ts';
import { StronglyConnectedComponents } from './scc.ts';
import { StateGraph } from './state-graph.ts';
import { WeakFairness } from './weak-fairness.ts';

/** A step of a run: a process, and its effect. */
export interface StepId {
  readonly process: number;
  readonly effect: EffectId;
}

/** A run that breaks a property. If it has a loop, it breaks it by repeating the loop forever. */
export interface Lasso extends FoundViolation {
  readonly loop: readonly StepId[];
  readonly worlds: readonly WorldId[]; // after each step of the loop
}

/** Worlds in which a fair run can stay forever while a goal is due or, if it must stay, due again and again. */
interface FairCycle {
  readonly violation: Violation;
  readonly entrance: WorldId; // the first of them that the search reached in which the goal is due
  readonly members: IdArray<WorldId>;
}

const pause = 1024; // worlds between two pauses for the host

/**
 * Checks the liveness goals on the worlds of a finished search. There are finitely many worlds, so a run that never reaches a goal ends in a cycle.
 * The search must have left out no world. What it left out otherwise does not matter: every edge is followed again here.
 */
export class FairCycles {
  found: Lasso | null = null;
  cutOff: string | null = null; // what was left out, if anything
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
    this.#mostBytes = mostBytes - search.bytes - model.bytes;
    this.#graph = new StateGraph(search.worlds, search.transitions);
    this.#work = this.#examine();
  }

  get bytes(): number {
    return this.#graph.bytes + this.#tables;
  }

  /** Examines up to `worlds` more worlds. Returns false when it is over. */
  advance(worlds: number): boolean {
    for (let left = worlds; left > 0 && !this.isOver; left -= pause) this.isOver = !!this.#work.next().done;
    return !this.isOver;
  }

  *#examine(): Iterator<void> {
    const { worlds } = this.#search;
    const graph = this.#graph;
    for (let world = 0 as WorldId; world < graph.size; world++) {
      this.#model.expand(worlds.data, world * worlds.width, null);
      graph.link(world, this.#model, worlds);
      if (world % pause > 0) continue;
      if (!this.#fits()) return;
      yield;
    }
    const components = new StronglyConnectedComponents(graph);
    this.#tables = components.bytes;
    if (!this.#fits()) return;
    const fairness = new WeakFairness(graph);
    const endComponents = new EndComponents(graph, components);
    const { goals, end } = this.#model.medium.liveness;
    for (const goal of [...goals, ...(end === null ? [] : [end])]) {
      if (goal === end && this.#nearest !== null) break; // the other violations say more
      yield* this.#pursue(goal, endComponents, fairness);
      if (this.found !== null) return;
    }
    if (this.#nearest === null) return;
    endComponents.withhold(this.#nearest.members);
    this.found = this.#lasso(fairness, this.#nearest);
  }

  /** Looks for the nearest component in which a fair run can stay while a goal is due. */
  *#pursue(goal: LivenessGoal, components: EndComponents, fairness: WeakFairness): Iterable<void> {
    const { worlds } = this.#search;
    const { size } = this.#graph;
    const isDue = new Uint8Array(size + 1);
    for (let world = 0 as WorldId; world < size; world++) {
      isDue[world] = goal.isDue(worlds.data, world * worlds.width) ? 1 : 0;
      if (world % pause === 0) yield;
    }
    if (goal.violationIfLost !== null) this.#findLost(goal.violationIfLost, isDue);
    if (this.found !== null) return;
    const among = goal.mustStay ? new Uint8Array(size + 1).fill(1, 0, size) : isDue;
    for (const members of components.among(among, pause)) {
      if (members === null) yield;
      else if (fairness.isFair(members)) this.#keep(goal, members, isDue);
    }
    components.restore();
  }

  #fits(): boolean {
    if (this.bytes > this.#mostBytes) this.cutOff = 'runs that go round for ever, for want of memory';
    return this.cutOff === null;
  }

  /** Looks for a step that makes a goal due again. Worlds come in the order in which they were reached, so the step is among the first. */
  #findLost(violation: Violation, isDue: Uint8Array): void {
    const { first, targets, size } = this.#graph;
    for (let world = 0 as WorldId; world < size; world++) {
      for (let edge = first[world]!; edge < first[world + 1]! && isDue[world] === 0; edge++) {
        if (isDue[targets[edge]!] === 0) continue; // also true of an edge without a target
        this.found = { violation, world, step: this.#stepOf(world, edge), loop: [], worlds: [] };
        return;
      }
    }
  }

  /** Keeps the cycle that the search reached first, if the goal is due somewhere in it. A fair run can come by every world of a fair component again and again. */
  #keep(goal: LivenessGoal, members: IdArray<WorldId>, isDue: Uint8Array): void {
    let entrance = this.#graph.size as WorldId;
    for (const world of members) if (isDue[world] === 1 && world < entrance) entrance = world as WorldId;
    if (entrance === this.#graph.size) return;
    if (this.#nearest !== null && this.#nearest.entrance <= entrance) return;
    const { data, width } = this.#search.worlds;
    const violation = goal.violation(data, entrance * width);
    this.#nearest = { violation, entrance, members: members.slice() as Int32Array as IdArray<WorldId> };
  }

  #lasso(fairness: WeakFairness, { violation, entrance, members }: FairCycle): Lasso {
    const loop: StepId[] = [];
    const worlds: WorldId[] = [];
    let world = entrance;
    for (const edge of fairness.cycleFrom(entrance, members)) {
      loop.push(this.#stepOf(world, edge));
      world = this.#graph.targets[edge]!;
      worlds.push(world);
    }
    return { violation, world: entrance, step: null, loop, worlds };
  }

  #stepOf(world: WorldId, edge: EdgeId): StepId {
    const { successors, width } = this.#model;
    this.#model.expand(this.#search.worlds.data, world * width, null);
    const k = edge - this.#graph.first[world]!;
    return { process: successors.processAt(k), effect: successors.effectAt(k) };
  }
}
