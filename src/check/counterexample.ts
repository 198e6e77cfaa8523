import type { Pid } from '../core/algorithm.ts';
import { InputError } from '../core/assert.ts';
import { type Trace, type TraceEvent, type TraceInput, type TraceOutput, traceOf } from '../core/trace.ts';
import { Replayer } from '../sim/replay.ts';
import { setupFields } from '../sim/scenario/scenario-fields.ts';
import type { Setup } from '../sim/scenario/setup.ts';
import type { EffectId, WorldId } from './ids.ts';
import type { Step } from './model/medium.ts';
import type { Model } from './model/model.ts';
import { stepMark } from './model/successors.ts';
import type { Search } from './search.ts';

/** Returns the steps that lead to a world, as few as the search found, and then `step` if it is given. */
export function pathTo<M>(
  model: Model<M>,
  search: Search,
  { world, step, root = null }: PathTarget,
): Path<M> {
  const chain: WorldId[] = [];
  for (let at: WorldId | -1 = world; at !== -1; at = search.parent(at)) chain.unshift(at);
  const path = new Path(model, search);
  path.begin(chain[0]!, root);
  for (const next of chain.slice(1)) path.go(next);
  if (step !== null) path.end(step.process, step.effect);
  return path;
}

export interface PathTarget {
  readonly world: WorldId;
  readonly step: { readonly process: number; readonly effect: EffectId } | null; // after that world
  readonly root?: number | null; // which of the model's initial worlds it begins in, where several first events lead to one world
}

/** Follows worlds of a search. Where a world stands for its rotations, the path keeps to one of them. */
export class Path<M> {
  readonly steps: Step<M>[] = [];
  last = -1; // the process that takes the step after the world, if there is one
  readonly #model: Model<M>;
  readonly #search: Search;
  #world: Int32Array = new Int32Array();

  constructor(model: Model<M>, search: Search) {
    this.#model = model;
    this.#search = search;
  }

  /** The world the path leads to, before the last step. */
  get world(): Int32Array {
    return this.#world;
  }

  begin(first: WorldId, root: number | null): void {
    let k = 0;
    for (const { world, steps } of this.#model.initial()) {
      const isIt = root === null ? this.#idOf(world) === first : k === root;
      k += 1;
      if (!isIt) continue;
      this.#world = world;
      this.steps.push(...steps);
      return;
    }
  }

  /** Goes on to a world that is one step further. */
  go(next: WorldId): void {
    const { successors, width } = this.#model;
    this.#model.expandAsIs(this.#world, 0);
    for (let k = 0; k < successors.count; k += 1) {
      const world = successors.next.slice(k * width, (k + 1) * width);
      if (this.#idOf(world) !== next || successors.marks[k] === stepMark.broken) continue;
      this.take(successors.processAt(k), successors.effectAt(k));
      this.#world = world;
      return;
    }
  }

  /** Takes the last step. Where a world stands for its rotations, another process may be the one that takes it. */
  end(process: number, effect: EffectId): void {
    const { successors } = this.#model;
    this.#model.expandAsIs(this.#world, 0);
    const takers: number[] = [];
    for (let k = 0; k < successors.count; k += 1)
      if (successors.effectAt(k) === effect) takers.push(successors.processAt(k));
    this.last = takers.includes(process) ? process : takers[0]!;
    this.take(this.last, effect);
  }

  take(process: number, effect: EffectId): void {
    this.steps.push(this.#model.stepOf(process, effect));
  }

  #idOf(world: Int32Array): WorldId | -1 {
    const copy = world.slice();
    this.#model.canonicalise(copy, 0);
    return this.#search.worlds.find(copy, 0);
  }
}

/** Builds the trace of a run that a search found, by replaying it. */
export class CounterexampleWriter {
  readonly replayer: Replayer;
  readonly #setup: Setup;
  readonly #events: TraceEvent[] = [];
  #loop: number | null = null;

  constructor(setup: Setup) {
    this.#setup = setup;
    this.replayer = new Replayer(setup);
  }

  /** Marks where the run begins to repeat without end. */
  markLoop(): void {
    this.#loop = this.#events.length;
  }

  /** Replays one event and returns its outputs. */
  event(
    time: number,
    process: Pid,
    input: TraceInput,
    coins: readonly number[] = [],
  ): readonly TraceOutput[] {
    const tossed = coins.map((value) => ({ kind: 'coin', value, options: 0 }) as const);
    const outputs = this.replayer.step({ time, process, input, outputs: tossed });
    if (typeof outputs === 'string') throw notDeterministic(this.#setup);
    this.#events.push({ time, process, input, outputs });
    return outputs;
  }

  finish(verdict: string, entries: number = this.#setup.entries): Trace {
    const head = setupFields({ ...this.#setup, entries });
    return traceOf({ ...head, ...(this.#loop !== null && { loop: `${this.#loop}` }) }, this.#events, verdict);
  }
}

/** The replay differs from what the search saw: a handler is not a function of its inputs. */
export const notDeterministic = ({ algorithm }: Setup): InputError =>
  new InputError(
    `${algorithm.name}: a handler does something else each time; let it depend on its state, its message and p.choose only`,
  );
