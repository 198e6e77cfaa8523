// From the worlds of a search back to a run that a person can read and `replay` can execute.
import type { Message, Pid } from '../core/algorithm.ts';
import { InputError } from '../core/assert.ts';
import { encode } from '../core/plain-data.ts';
import { type Trace, type TraceEvent, type TraceInput, type TraceOutput, traceOf } from '../core/trace.ts';
import type { LineState } from '../machine/index.ts';
import { Replayer } from '../sim/replay.ts';
import { setupFields } from '../sim/scenario/scenario-fields.ts';
import type { Setup } from '../sim/scenario/setup.ts';
import { type CheckConfig, isTimed } from './config.ts';
import type { MemoryAction } from './memory/programs.ts';
import type { MessagePassing } from './messages/message-passing.ts';
import type { MessageAction } from './messages/transitions.ts';
import type { Step } from './model/medium.ts';
import type { Model } from './model/model.ts';
import { stepMark } from './model/successors.ts';
import type { Search } from './search.ts';

/** The events that lead to a world, as few as the search found, and one more if it is given. */
export function pathTo<M>(
  model: Model<M>,
  search: Search,
  { world, step, root = null }: PathTarget,
): Path<M> {
  const chain: number[] = [];
  for (let at = world; at >= 0; at = search.parent(at)) chain.unshift(at);
  const path = new Path(model, search);
  path.begin(chain[0]!, root);
  for (const next of chain.slice(1)) path.go(next);
  if (step !== null) path.end(step.process, step.effect);
  return path;
}

export interface PathTarget {
  readonly world: number;
  readonly step: { readonly process: number; readonly effect: number } | null; // after it
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
    for (const { world, steps } of this.#model.initial()) {
      const isIt = root === null ? this.#numberOf(world) === first : k === root;
      k += 1;
      if (!isIt) continue;
      this.#world = world;
      this.steps.push(...steps);
      return;
    }
  }

  /** On to a world that is one event further. */
  go(next: number): void {
    const { successors, width } = this.#model;
    this.#model.expandAsIs(this.#world, 0);
    for (let k = 0; k < successors.count; k += 1) {
      const world = successors.next.slice(k * width, (k + 1) * width);
      if (this.#numberOf(world) !== next || successors.marks[k] === stepMark.broken) continue;
      this.take(successors.via[2 * k]!, successors.via[2 * k + 1]!);
      this.#world = world;
      return;
    }
  }

  /** One more step. Where worlds stand for their rotations, it is another process that takes it. */
  end(process: number, effect: number): void {
    const { successors } = this.#model;
    this.#model.expandAsIs(this.#world, 0);
    const takers: number[] = [];
    for (let k = 0; k < successors.count; k += 1)
      if (successors.via[2 * k + 1] === effect) takers.push(successors.via[2 * k]!);
    this.last = takers.includes(process) ? process : takers[0]!;
    this.take(this.last, effect);
  }

  take(process: number, effect: number): void {
    this.steps.push(this.#model.stepOf(process, effect));
  }

  #numberOf(world: Int32Array): number {
    const copy = world.slice();
    this.#model.canonicalise(copy, 0);
    return this.#search.worlds.find(copy, 0);
  }
}

interface SentEnvelope {
  readonly serial: number;
  readonly from: Pid;
  readonly to: Pid;
  readonly arrivesAs: number;
  readonly message: Message;
  isOver: boolean;
  isRepeated: boolean;
}

/** Builds the trace of a run that a search found, by executing it again. */
class CounterexampleWriter {
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

/** What was sent when the handler was executed first is not sent now. */
const notDeterministic = ({ algorithm }: Setup): InputError =>
  new InputError(
    `${algorithm.name}: a handler does something else each time; let it depend on its state, its message and p.choose only`,
  );

/** The trace of a run, with what every handler did. `loop`: the number of steps after which it repeats without end. */
export function messageTrace(
  { config: { setup }, states: { processStates } }: MessagePassing,
  steps: readonly Step<MessageAction>[],
  verdict: string,
  loop?: number,
): Trace {
  const { n, topology, algorithm, channels } = setup;
  const writer = new CounterexampleWriter(setup);
  const inFlight: SentEnvelope[] = [];
  let time = 0;

  function happens(process: Pid, input: TraceInput, coins: readonly number[] = []): void {
    for (const output of writer.event(time, process, input, coins)) {
      if (output.kind !== 'send') continue;
      const { serial, to, message } = output;
      const link = output.link ?? topology.link(process, to);
      const arrivesAs = algorithm.knows.includes('me') ? process : topology.arrival(process, link);
      inFlight.push({ serial, from: process, to, arrivesAs, message, isOver: false, isRepeated: false });
    }
  }

  function take(
    process: Pid,
    action: MessageAction & { kind: 'recv' | 'lose' },
    coins: readonly number[],
  ): void {
    const { from: named, arrivesAs, message, copy } = processStates.envelopes.of(action.item);
    const from = processStates.symmetric ? (process + named) % n : named;
    const code = encode(message);
    const channel = inFlight.filter(
      (one) => !one.isOver && one.to === process && one.from === from && one.arrivesAs === arrivesAs,
    );
    const sent =
      action.kind === 'lose' && channels !== 'unordered'
        ? channel.filter(({ isRepeated }) => !processStates.causal || isRepeated === copy)[action.ahead]
        : channel.find((one) => encode(one.message) === code);
    if (sent === undefined) throw notDeterministic(setup);
    const { serial } = sent;
    if (sent.isRepeated) happens(process, { kind: 'repeat', serial });
    if (action.kind === 'recv' && action.again) sent.isRepeated = true;
    else sent.isOver = true;
    if (action.kind === 'lose') happens(process, { kind: 'lose', serial });
    else happens(process, { kind: 'recv', serial, message: sent.message, from }, coins);
  }

  steps.forEach(({ process, action, coins }, k) => {
    if (k === loop) writer.markLoop();
    const isPrologue = action?.kind === 'begin' || action?.kind === 'corrupt';
    if (action === null || (!isTimed(setup) && !isPrologue)) time += 1;
    if (action?.kind === 'recv' || action?.kind === 'lose') take(process, action, coins);
    else if (action !== null) happens(process, action, coins);
  });
  return writer.finish(verdict);
}

/** The same on shared memory, where a run without end of requests is shown with as many as it has. */
export function memoryTrace(
  { setup }: CheckConfig,
  steps: readonly Step<MemoryAction>[],
  verdict: string,
  loop?: number,
): Trace {
  const writer = new CounterexampleWriter(setup);
  const crashed = new Set<Pid>();
  const requests = Array<number>(setup.n).fill(0);
  steps.forEach(({ process, action }, k) => {
    if (action === null) return;
    if (k === loop) writer.markLoop();
    const { at } = writer.replayer.states[process] as LineState;
    if (crashed.delete(process)) writer.event(k + 1, process, { kind: 'restart' });
    if (action.kind === 'crash') crashed.add(process);
    if (action.kind === 'call' && action.name === 'request') requests[process]! += 1;
    writer.event(k + 1, process, action.kind === 'step' ? { kind: 'step', line: at } : action);
  });
  return writer.finish(verdict, setup.entries === Infinity ? Math.max(...requests) : setup.entries);
}
