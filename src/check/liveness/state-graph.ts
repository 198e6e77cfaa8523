import { fail } from '../../core/assert.ts';
import type { EdgeId, FairActionId, IdArray, WorldId } from '../ids.ts';
import type { Model } from '../model/model.ts';
import { grown } from '../storage/typed-arrays.ts';
import type { WorldTable } from '../storage/world-table.ts';
import type { EdgeLog, StepLog } from './edge-log.ts';

/** The transitions between the worlds of a finished search. The edges of a world come in the order of its expansion. */
export class StateGraph {
  readonly size: number; // worlds; as a target it stands for none
  readonly first: IdArray<EdgeId>; // by world: its first edge, where the edges of the world before end
  targets: IdArray<WorldId>; // by edge
  fairActions: IdArray<FairActionId | -1>; // by edge: the fair action it performs; without a target, one that is postponed
  fairActionCount = 0; // all fair actions are below it
  #continues: Uint8Array | null = null; // by edge: it is another outcome of the action of the edge before. Null if no coin was tossed

  constructor(worlds: WorldTable, edges: number) {
    this.size = worlds.size;
    this.first = new Int32Array(worlds.size + 1) as IdArray<EdgeId>;
    this.targets = new Int32Array(edges) as IdArray<WorldId>;
    this.fairActions = new Int32Array(edges) as IdArray<FairActionId | -1>;
  }

  /** Takes all edges from a log. They perform no fair actions. */
  load(log: EdgeLog): void {
    const first = this.first as Int32Array;
    for (let edge = 0; edge < log.size; edge += 1) first[log.from(edge) + 1]! += 1;
    for (let world = 0; world < this.size; world += 1) first[world + 1]! += first[world]!;
    const next = first.slice();
    this.targets = new Int32Array(log.size) as IdArray<WorldId>;
    for (let edge = 0; edge < log.size; edge += 1) {
      const from = log.from(edge);
      this.targets[next[from]!] = log.to(edge);
      next[from]! += 1;
    }
  }

  /** Takes the edges of all worlds from `begin` of a log on. Those of the worlds before must have been added. They perform no fair actions. */
  append(log: StepLog): void {
    const before = this.first[log.begin]!;
    const targets = new Int32Array(before + log.size) as IdArray<WorldId>;
    targets.set(this.targets.subarray(0, before));
    targets.set(log.targets.subarray(0, log.size), before);
    this.targets = targets;
    for (let world = log.begin; world < this.size; world++)
      this.first[world + 1] = (before + log.endOf(world)) as EdgeId;
  }

  get bytes(): number {
    const tables = this.first.byteLength + this.targets.byteLength + this.fairActions.byteLength;
    return tables + (this.#continues?.byteLength ?? 0);
  }

  get hasCoins(): boolean {
    return this.#continues !== null;
  }

  /** Returns where the outcomes of an action end that begin with this edge. */
  endOfAction(edge: EdgeId, world: WorldId): EdgeId {
    let end = edge + 1;
    while (end < this.first[world + 1]! && this.#continues?.[end] === 1) end += 1;
    return end as EdgeId;
  }

  /**
   * Adds the edges of a world that `model` has just expanded. Must be called for one world after the other. `mayMiss`: the search may have left out
   * worlds, and edges to these are left out, too.
   */
  link(world: WorldId, model: Model, worlds: WorldTable, mayMiss = false): void {
    const { successors, medium, width } = model;
    const start = this.first[world]!;
    const postponed = medium.liveness.postponed(worlds.data, world * width);
    const end = start + successors.count + postponed.length;
    if (end > this.targets.length) this.#extend(end);
    for (let k = 0; k < successors.count; k += 1) {
      const target = worlds.find(successors.next, k * width);
      if (target === -1 && !mayMiss) fail('the search has left out a world');
      this.#add(
        start + k,
        target === -1 ? (this.size as WorldId) : target,
        medium.liveness.fairActionOf(successors.processAt(k), successors.effectAt(k)),
      );
      if (k > 0 && isSameToss(model, k)) this.#continue(start + k);
    }
    postponed.forEach((fairAction, k) => {
      this.#add(start + successors.count + k, this.size as WorldId, fairAction);
    });
    this.first[world + 1] = end as EdgeId;
  }

  #add(edge: number, target: WorldId, fairAction: FairActionId | -1): void {
    this.targets[edge] = target;
    this.fairActions[edge] = fairAction;
    if (fairAction >= this.fairActionCount) this.fairActionCount = fairAction + 1;
  }

  #continue(edge: number): void {
    this.#continues ??= new Uint8Array(this.targets.length);
    this.#continues[edge] = 1;
  }

  #extend(edges: number): void {
    this.targets = grown(this.targets, Math.ceil(1.5 * edges));
    this.fairActions = grown(this.fairActions, Math.ceil(1.5 * edges));
    if (this.#continues === null) return;
    const continues = new Uint8Array(this.targets.length);
    continues.set(this.#continues);
    this.#continues = continues;
  }
}

/** Says whether the successor k is an outcome of the same toss as the one before it. */
function isSameToss({ successors, states }: Model, k: number): boolean {
  if (successors.processAt(k) < 0 || successors.processAt(k) !== successors.processAt(k - 1)) return false;
  const [before, effect] = [successors.effectAt(k - 1), successors.effectAt(k)];
  return states.effects.tosses(effect) && states.actionOf(effect) === states.actionOf(before);
}
