import { lamportClock } from '../algorithms/clocks/lamport-clock.ts';
import { EventGraph } from '../causality/event-graph.ts';
import { Timestamper } from '../causality/timestamps.ts';
import type { Message, Pid, Problem, Problems } from '../core/algorithm.ts';
import { countBelow } from '../core/binary-search.ts';
import { messageText, type Trace, type TraceEvent } from '../core/trace.ts';
import { DelayFinder, type DelayInterval } from './delays.ts';
import { laneCount } from './drawable.ts';
import { type Overlap, OverlapFinder } from './overlaps.ts';
import { type InitialRegisters, initialRegistersIn, RegisterHistory } from './register-history.ts';

/** The phase of a process, as its application sees it. */
export type ProcessPhase = 'idle' | 'waiting' | 'inside' | 'leader' | 'follower' | 'crashed';

/** A message of a run. Events are numbered from 0. */
export interface TracedMessage {
  /** Its number in the trace. */
  readonly serial: number;
  readonly from: Pid;
  readonly to: Pid;
  /** Its type. */
  readonly kind: string;
  /** Its content. */
  readonly message: Message;
  /** The message as a trace writes it. */
  readonly text: string;
  /** The event that sent it. */
  readonly sent: number;
  /** The first event that received or lost it; -1 while in flight. */
  ended: number;
  /** Whether that event lost it. */
  lost: boolean;
}

/**
 * The events of a run, indexed for drawing. Events are numbered from 0 and are added as they become known. A position is the number of
 * events before it.
 * @example
 * import { raymond } from 'batonjs/algorithms';
 * import { TraceIndex } from 'batonjs-lab/diagram';
 * import { simulate } from 'batonjs-lab/sim';
 *
 * const run = simulate(raymond, { n: 3, topology: 'line', start: [{ process: 2 }], events: true });
 * const index = TraceIndex.of(run.trace);
 * [index.phaseAt(2, 3), index.phaseAfter(2, 2), index.isPausedAt(2, 3)]; // → ['waiting', 'inside', false]
 * index.inFlightAt(1).map(({ text }) => text); // → ['request']
 * [index.sentBefore('request', 2), index.missingLinksAt(6).size, index.overlaps.length, index.delays.length]; // → [2, 0, 0, 0]
 * const cone = index.cone(3);
 * [index.relation(cone, 0), index.relation(cone, 4), index.lamportTime(3)]; // → ['past', 'future', 4]
 * const growing = new TraceIndex(3);
 * for (const event of run.trace.events) growing.add(event);
 */
export class TraceIndex {
  /** The number of processes. */
  readonly n: number;
  /** The ids of the processes; null if they have none. */
  readonly ids: readonly string[] | null;
  /** The events added so far. */
  readonly events: TraceEvent[] = [];
  /** The messages, by their number in the trace. */
  readonly messages = new Map<number, TracedMessage>();
  readonly #sent: TracedMessage[] = []; // the same, in the order of sending
  /** The events of each process. */
  readonly eventsOfProcess: readonly number[][];
  /** The events that send a message of each kind, once per message. */
  readonly sendsOfKind = new Map<string, number[]>();
  /** The events that call `request` or `start`. */
  readonly requests: number[] = [];
  /** The events that emit `entered`, `elected` or `adjust`. */
  readonly entries: number[] = [];
  /** The registers, if processes share memory. */
  readonly registers: RegisterHistory;
  /** The event that recorded the state of each process for a snapshot, or -1. */
  readonly recorded: number[];
  readonly #overlapFinder = new OverlapFinder();
  readonly #delayFinder = new DelayFinder();
  readonly #linkChanges: { event: number; between: readonly [Pid, Pid]; isCut: boolean }[] = [];
  readonly #phases: ProcessPhase[][]; // of each process: initially, and after each of its events
  readonly #paused: boolean[][];
  #lastInFlight: { position: number; events: number; found: readonly TracedMessage[] } = {
    position: 0,
    events: 0,
    found: [],
  };
  readonly #textOf: (message: Message) => string;
  readonly #graph = new EventGraph();
  readonly #rank: number[] = []; // of each event within its process, from 1
  readonly #stamper = new Timestamper(lamportClock);
  readonly #lamport: number[] = []; // Lamport time of each event

  /** `textOf` writes a message. Defaults to {@link messageText}. */
  constructor(
    n: number,
    ids: readonly string[] | null = null,
    memory: InitialRegisters = [],
    textOf: (message: Message) => string = messageText,
  ) {
    this.n = n;
    this.#textOf = textOf;
    this.ids = ids;
    this.registers = new RegisterHistory(memory);
    this.recorded = Array(n).fill(-1);
    this.eventsOfProcess = Array.from({ length: n }, () => []);
    this.#phases = Array.from({ length: n }, () => ['idle']);
    this.#paused = Array.from({ length: n }, () => [false]);
  }

  /** Indexes a whole trace. `memory` holds the initial values of the registers, and defaults to what the trace shows. */
  static of(trace: Trace, memory = initialRegistersIn(trace.events)): TraceIndex {
    const traceIndex = new TraceIndex(laneCount(trace), trace.scenario.ids?.split(',') ?? null, memory);
    for (const event of trace.events) traceIndex.add(event);
    return traceIndex;
  }

  /** Adds the next event. */
  add(event: TraceEvent): void {
    const { process, input, outputs } = event;
    const index = this.events.length;
    this.events.push(event);
    this.#graph.add(event);
    this.#lamport.push(this.#stamper.stamp(event));
    this.registers.add(index, event);
    this.#delayFinder.add(index, event);
    this.eventsOfProcess[process]!.push(index);
    this.#rank.push(this.eventsOfProcess[process]!.length);
    if (input.kind === 'recv' || input.kind === 'lose') {
      const message = this.messages.get(input.serial);
      if (message && message.ended < 0) {
        message.ended = index;
        message.lost = input.kind === 'lose';
      }
    }
    if (input.kind === 'call' && isRequest(input.name)) this.requests.push(index);
    if (input.kind === 'goes' || input.kind === 'appears')
      this.#linkChanges.push({ event: index, between: [process, input.link], isCut: input.kind === 'goes' });
    for (const output of outputs) {
      if (output.kind === 'emit' && output.event.type === 'recorded') this.recorded[process] = index;
      else if (output.kind === 'emit' && outcomes.includes(output.event.type)) this.entries.push(index);
      if (output.kind !== 'send') continue;
      const { serial, to, message } = output;
      const { type: kind } = message;
      const text = this.#textOf(message);
      const sent = { serial, from: process, to, kind, message, text, sent: index, ended: -1, lost: false };
      this.messages.set(serial, sent);
      this.#sent.push(sent);
      const sends = this.sendsOfKind.get(kind);
      if (sends) sends.push(index);
      else this.sendsOfKind.set(kind, [index]);
    }
    const phases = this.#phases[process]!;
    const paused = this.#paused[process]!;
    const phase = phaseAfter(phases.at(-1)!, event, this.ids?.[process] ?? `${process}`);
    phases.push(phase);
    if (phase === 'inside') this.#overlapFinder.enters(process, index);
    else this.#overlapFinder.leaves(process, index);
    paused.push(
      input.kind === 'pause' || (paused.at(-1)! && input.kind !== 'resume' && input.kind !== 'crash'),
    );
  }

  /** The stretches in which several processes were inside, one for each of them. */
  get overlaps(): readonly Overlap[] {
    return this.#overlapFinder.found;
  }

  /** The synchronisation delays of a lock, in the order of their entries. */
  get delays(): readonly DelayInterval[] {
    return this.#delayFinder.found;
  }

  /** Returns the phase of a process at a position. */
  phaseAt(process: Pid, position: number): ProcessPhase {
    return this.#phases[process]![countBelow(this.eventsOfProcess[process]!, position)]!;
  }

  /** Returns whether a process is paused at a position. */
  isPausedAt(process: Pid, position: number): boolean {
    return this.#paused[process]![countBelow(this.eventsOfProcess[process]!, position)]!;
  }

  /** Returns the phase of a process after its k-th event; 0 is before the first. */
  phaseAfter(process: Pid, k: number): ProcessPhase {
    return this.#phases[process]![k]!;
  }

  /** Returns the messages in flight at a position, in the order of sending. */
  inFlightAt(position: number): readonly TracedMessage[] {
    const last = this.#lastInFlight;
    if (last.position === position && last.events === this.events.length) return last.found;
    const found: TracedMessage[] = [];
    this.#lastInFlight = { position, events: this.events.length, found };
    for (const message of this.#sent) {
      if (message.sent >= position) break;
      if (message.ended < 0 || message.ended >= position) found.push(message);
    }
    return found;
  }

  /** Returns the cut links at a position, each as `a-b` and `b-a`. */
  missingLinksAt(position: number): Set<string> {
    const cut = new Set<string>();
    for (const { event, between, isCut } of this.#linkChanges) {
      if (event >= position) break;
      for (const link of [between.join('-'), between.toReversed().join('-')]) {
        if (isCut) cut.add(link);
        else cut.delete(link);
      }
    }
    return cut;
  }

  /** Returns the Lamport time of an event. */
  lamportTime(index: number): number {
    return this.#lamport[index]!;
  }

  /** Returns how many messages of a kind were sent before a position. */
  sentBefore(kind: string, position: number): number {
    return countBelow(this.sendsOfKind.get(kind) ?? [], position);
  }

  /**
   * Returns the causal past and future of an event, in time proportional to the length of the run. {@link TraceIndex.relation} reads them.
   */
  cone(index: number): CausalCone {
    const past = new Int32Array(this.n);
    const future = new Int32Array(this.n).fill(never);
    const own = this.events[index]!.process;
    past[own] = this.#rank[index]!;
    for (let k = index; k >= 0; k -= 1) {
      if (this.#rank[k]! > past[this.events[k]!.process]!) continue;
      for (const cause of this.#graph.remoteCauses(k)) {
        const { process } = this.events[cause]!;
        past[process] = Math.max(past[process]!, this.#rank[cause]!);
      }
    }
    future[own] = this.#rank[index]!;
    for (let k = index + 1; k < this.events.length; k += 1) {
      const { process } = this.events[k]!;
      const isReached = (cause: number) => this.#rank[cause]! >= future[this.events[cause]!.process]!;
      if (future[process] === never && this.#graph.remoteCauses(k).some(isReached))
        future[process] = this.#rank[k]!;
    }
    return { past, future };
  }

  /** Returns whether an event lies in the past or the future of the cone, or is concurrent with it. The event of the cone is in its own past. */
  relation(cone: CausalCone, index: number): 'past' | 'future' | 'beside' {
    const { process } = this.events[index]!;
    const rank = this.#rank[index]!;
    if (rank <= cone.past[process]!) return 'past';
    return rank >= cone.future[process]! ? 'future' : 'beside';
  }
}

/** The causal past and future of an event. */
export interface CausalCone {
  /** Its vector time: entry k counts the events of process k in its past, itself included. */
  readonly past: Int32Array;
  /** For each process, the rank from 1 of the first event that it caused; 2^31 - 1 if there is none. */
  readonly future: Int32Array;
}

const never = 2 ** 31 - 1;

/** The events with which a request, an election or a synchronisation ends at a process. */
const outcomes: readonly string[] = ['entered', 'elected', 'adjust'];

/** Whether a call requests the lock or starts an election. */
const isRequest = (call: string): boolean => call === 'request' || call === 'start';

function phaseAfter(before: ProcessPhase, { input, outputs }: TraceEvent, id: string): ProcessPhase {
  let phase = before;
  if (input.kind === 'crash') return 'crashed';
  if (input.kind === 'restart') phase = 'idle';
  if (input.kind === 'call' && input.name === 'release') phase = 'idle';
  if (input.kind === 'call' && isRequest(input.name) && before === 'idle') phase = 'waiting';
  for (const output of outputs) {
    if (output.kind !== 'emit') continue;
    const event = output.event as Problems[Problem]['event'];
    if (event.type === 'entered') phase = 'inside';
    if (event.type === 'electing') phase = 'waiting';
    if (event.type === 'elected') phase = ['me', id].includes(`${event.leader}`) ? 'leader' : 'follower';
  }
  return phase;
}
