// From the worlds of a search back to a run that a person can read and `replay` can execute.
import type { Message, Pid } from '../core/algorithm.ts';
import { InputError } from '../core/assert.ts';
import { encode } from '../core/plain.ts';
import { type Input, type Output, type Trace, type TraceEvent, traceOf } from '../core/trace.ts';
import type { LineState } from '../machine/index.ts';
import { describe } from '../sim/fields.ts';
import { Replayer } from '../sim/replay.ts';
import type { Setup } from '../sim/scenario.ts';
import { mark } from './expansion.ts';
import type { Step } from './medium.ts';
import type { Model } from './model.ts';
import type { Network } from './network.ts';
import type { Move } from './outcomes.ts';
import type { SharedMove } from './programs.ts';
import { isTimed, type Question } from './question.ts';
import type { Search } from './search.ts';

/** The events that lead to a world, as few as the search found, and one more if it is given. */
export function pathTo<M>(model: Model<M>, search: Search, { world, step, root = null }: Target): Path<M> {
  const chain: number[] = [];
  for (let at = world; at >= 0; at = search.parent(at)) chain.unshift(at);
  const path = new Path(model, search);
  path.begin(chain[0]!, root);
  for (const next of chain.slice(1)) path.go(next);
  if (step !== null) path.end(step.process, step.what);
  return path;
}

export interface Target {
  readonly world: number;
  readonly step: { readonly process: number; readonly what: number } | null; // after it
  readonly root?: number | null; // how it begins, if that makes a difference: several first events may lead to one world
}

/** Follows worlds of a search. Where worlds stand for their rotations, it keeps to one of them. */
export class Path<M> {
  readonly steps: Step<M>[] = [];
  last = -1; // the process of the last step after the world, if there is one
  readonly #model: Model<M>;
  readonly #search: Search;
  #world: Int32Array = new Int32Array();

  constructor(model: Model<M>, search: Search) {
    this.#model = model;
    this.#search = search;
  }

  /** The world it leads to, as it was before the last step. */
  get world(): Int32Array {
    return this.#world;
  }

  begin(first: number, root: number | null): void {
    let k = 0;
    for (const { world, moves } of this.#model.initial()) {
      const isIt = root === null ? this.#numberOf(world) === first : k === root;
      k += 1;
      if (!isIt) continue;
      this.#world = world;
      this.steps.push(...moves);
      return;
    }
  }

  /** On to a world that is one event further. */
  go(next: number): void {
    const { expansion, width } = this.#model;
    this.#model.expandAsIs(this.#world, 0);
    for (let k = 0; k < expansion.count; k += 1) {
      const world = expansion.next.slice(k * width, (k + 1) * width);
      if (this.#numberOf(world) !== next || expansion.marks[k] === mark.broken) continue;
      this.take(expansion.via[2 * k]!, expansion.via[2 * k + 1]!);
      this.#world = world;
      return;
    }
  }

  /** One more step. Where worlds stand for their rotations, it is another process that takes it. */
  end(process: number, what: number): void {
    const { expansion } = this.#model;
    this.#model.expandAsIs(this.#world, 0);
    const takers: number[] = [];
    for (let k = 0; k < expansion.count; k += 1)
      if (expansion.via[2 * k + 1] === what) takers.push(expansion.via[2 * k]!);
    this.last = takers.includes(process) ? process : takers[0]!;
    this.take(this.last, what);
  }

  take(process: number, what: number): void {
    this.steps.push(this.#model.stepOf(process, what));
  }

  #numberOf(world: Int32Array): number {
    const copy = world.slice();
    this.#model.canonise(copy, 0);
    return this.#search.worlds.find(copy, 0);
  }
}

interface InFlight {
  readonly serial: number;
  readonly from: Pid;
  readonly to: Pid;
  readonly arrivesAs: number;
  readonly message: Message;
  isOver: boolean;
  isRepeated: boolean;
}

/** Builds the trace of a run that a search found, by executing it again. */
class RunWriter {
  readonly replayer: Replayer;
  readonly #setup: Setup;
  readonly #events: TraceEvent[] = [];
  #loop: number | null = null;

  constructor(setup: Setup) {
    this.#setup = setup;
    this.replayer = new Replayer(setup);
  }

  /** The run repeats without end from here. */
  markLoop(): void {
    this.#loop = this.#events.length;
  }

  event(time: number, process: Pid, input: Input, coins: readonly number[] = []): readonly Output[] {
    const tossed = coins.map((value) => ({ kind: 'coin', value, options: 0 }) as const);
    const outputs = this.replayer.step({ time, process, input, outputs: tossed });
    if (typeof outputs === 'string') throw unsteady(this.#setup);
    this.#events.push({ time, process, input, outputs });
    return outputs;
  }

  finish(verdict: string, entries: number = this.#setup.entries): Trace {
    const head = describe({ ...this.#setup, entries });
    return traceOf({ ...head, ...(this.#loop !== null && { loop: `${this.#loop}` }) }, this.#events, verdict);
  }
}

/** What was sent when the handler was executed first is not sent now. */
const unsteady = ({ algorithm }: Setup): InputError =>
  new InputError(
    `${algorithm.name}: a handler does something else each time; let it depend on its state, its message and p.choose only`,
  );

/** The trace of a run, with what every handler did. `loop`: the number of steps after which it repeats without end. */
export function networkTraceOf(
  { question: { setup }, states: { parts } }: Network,
  steps: readonly Step<Move>[],
  verdict: string,
  loop?: number,
): Trace {
  const { n, topology, algorithm, channels } = setup;
  const writer = new RunWriter(setup);
  const inFlight: InFlight[] = [];
  let time = 0;

  function happens(process: Pid, input: Input, coins: readonly number[] = []): void {
    for (const output of writer.event(time, process, input, coins)) {
      if (output.kind !== 'send') continue;
      const { serial, to, message } = output;
      const link = output.link ?? topology.link(process, to);
      const arrivesAs = algorithm.knows.includes('me') ? process : topology.arrival(process, link);
      inFlight.push({ serial, from: process, to, arrivesAs, message, isOver: false, isRepeated: false });
    }
  }

  function take(process: Pid, move: Move & { kind: 'recv' | 'lose' }, coins: readonly number[]): void {
    const { from: named, arrivesAs, message, copy } = parts.items.of(move.item);
    const from = parts.alike ? (process + named) % n : named;
    const code = encode(message);
    const channel = inFlight.filter(
      (one) => !one.isOver && one.to === process && one.from === from && one.arrivesAs === arrivesAs,
    );
    const sent =
      move.kind === 'lose' && channels !== 'unordered'
        ? channel.filter(({ isRepeated }) => !parts.causal || isRepeated === copy)[move.ahead]
        : channel.find((one) => encode(one.message) === code);
    if (sent === undefined) throw unsteady(setup);
    const { serial } = sent;
    if (sent.isRepeated) happens(process, { kind: 'repeat', serial });
    if (move.kind === 'recv' && move.again) sent.isRepeated = true;
    else sent.isOver = true;
    if (move.kind === 'lose') happens(process, { kind: 'lose', serial });
    else happens(process, { kind: 'recv', serial, message: sent.message, from }, coins);
  }

  steps.forEach(({ process, move, coins }, k) => {
    if (k === loop) writer.markLoop();
    const isPrologue = move?.kind === 'begin' || move?.kind === 'corrupt';
    if (move === null || (!isTimed(setup) && !isPrologue)) time += 1;
    if (move?.kind === 'recv' || move?.kind === 'lose') take(process, move, coins);
    else if (move !== null) happens(process, move, coins);
  });
  return writer.finish(verdict);
}

/** The same on shared memory, where a run without end of requests is shown with as many as it has. */
export function sharedTraceOf(
  { setup }: Question,
  steps: readonly Step<SharedMove>[],
  verdict: string,
  loop?: number,
): Trace {
  const writer = new RunWriter(setup);
  const crashed = new Set<Pid>();
  const requests = Array<number>(setup.n).fill(0);
  steps.forEach(({ process, move }, k) => {
    if (move === null) return;
    if (k === loop) writer.markLoop();
    const { at } = writer.replayer.states[process] as LineState;
    if (crashed.delete(process)) writer.event(k + 1, process, { kind: 'restart' });
    if (move.kind === 'crash') crashed.add(process);
    if (move.kind === 'call' && move.name === 'request') requests[process]! += 1;
    writer.event(k + 1, process, move.kind === 'step' ? { kind: 'step', line: at } : move);
  });
  return writer.finish(verdict, setup.entries === Infinity ? Math.max(...requests) : setup.entries);
}
