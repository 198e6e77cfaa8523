import { logicalClockNamed } from '../causality/logical-clocks.ts';
import { eventTimestamper } from '../causality/timestamps.ts';
import type { Address, Message, Pid } from '../core/algorithm.ts';
import { copyOf, encode } from '../core/plain-data.ts';
import {
  failure,
  messageText,
  outputsText,
  type Trace,
  type TraceEvent,
  type TraceInput,
  type TraceOutput,
} from '../core/trace.ts';
import {
  checkState,
  type EitherAlgorithm,
  type Machine,
  type Input as MachineInput,
  machineOf,
  type RegisterAccess,
  type Sink,
} from '../machine/index.ts';
import { linkInTrace, neighbourAddress } from './network/link-names.ts';
import { parseScenario } from './scenario/scenario-fields.ts';
import { prepare, type Setup } from './scenario/setup.ts';

/** The result of {@link replay}. */
export interface Replay {
  /** Whether all events agreed. */
  readonly ok: boolean;
  /** The number of events that agreed. */
  readonly events: number;
  /** The first event that differs; null if none does. */
  readonly firstDifference: {
    /** Its line in the trace. */
    readonly line: number;
    /** What the trace says. */
    readonly expected: string;
    /** What the handler did, or why the event is impossible. */
    readonly actual: string;
  } | null;
}

/**
 * Runs the handlers again, event by event, and compares what they do with the trace.
 * @throws {InputError} if the head of the trace is not a scenario that this algorithm can run.
 * @example
 * import { raymond } from 'batonjs/algorithms';
 * import { replay, simulate } from 'batonjs-lab/sim';
 *
 * const { trace } = simulate(raymond, { n: 3, seed: 1, events: true });
 * replay(raymond, trace).ok; // → true
 * const received = trace.events.filter(({ input }) => input.kind === 'recv');
 * replay(raymond, { ...trace, events: received }).firstDifference?.actual; // → 'message #1 is not sent yet'
 */
export function replay(algorithm: EitherAlgorithm, trace: Trace): Replay {
  const replayer = new Replayer(prepare(algorithm, parseScenario(trace.scenario)));
  const { stamps } = trace.scenario;
  const stamp = stamps === undefined ? null : eventTimestamper(logicalClockNamed(stamps));
  let time = 0;
  for (const [index, event] of trace.events.entries()) {
    const differs = (expected: string, actual: string): Replay => ({
      ok: false,
      events: index,
      firstDifference: { line: trace.firstLine + index, expected, actual },
    });
    if (event.time < time) return differs(`time ${event.time}`, `time ${time} has passed`);
    time = event.time;
    const expected = outputsText(event.outputs);
    const actual = stepText(replayer.step(event));
    if (actual !== expected) return differs(expected, actual);
    const shown = stamp?.(event).stamp;
    if (shown !== event.stamp) return differs(stampText(event.stamp), stampText(shown));
  }
  return { ok: true, events: trace.events.length, firstDifference: null };
}

/**
 * Returns the result of {@link Replayer.step} as text: outputs as a trace writes them, or why the event is impossible.
 * @example
 * import { stepText } from 'batonjs-lab/sim';
 *
 * stepText([{ kind: 'emit', event: { type: 'entered' } }]); // → 'emit entered'
 * stepText('process 2 is crashed'); // → 'process 2 is crashed'
 */
export const stepText = (did: readonly TraceOutput[] | string): string =>
  typeof did === 'string' ? did : outputsText(did);

const stampText = (stamp: string | undefined): string =>
  stamp === undefined ? 'no stamp' : `stamp ${stamp}`;

const evenIfCrashed: readonly string[] = ['restart', 'lose', 'repeat'];

const notInFlight = (serial: number): string => `message #${serial} is not on its way any more`;

interface ReplayedMessage {
  readonly message: Message;
  readonly text: string; // the message as it was sent
  readonly from: Pid;
  readonly to: Pid;
  readonly arrivesAs: Address;
  copies: number; // in flight
}

/** Collects what the handler of the current event does. */
class ReplaySink implements Sink {
  outputs: TraceOutput[] = [];
  readonly sent: ReplayedMessage[] = []; // in the whole run
  readonly timers = new Map<string, Message>(); // by process and type
  readonly #setup: Setup;
  readonly #machine: Machine;
  #traced: readonly TraceOutput[] = []; // outputs in the trace: coins and clock readings come from there

  constructor(setup: Setup, machine: Machine) {
    this.#setup = setup;
    this.#machine = machine;
  }

  begin(traced: readonly TraceOutput[]): void {
    this.outputs = [];
    this.#traced = traced;
  }

  send(to: Pid, arrivesAs: Address, message: Message, _kind: number, link: number): void {
    const from = this.#machine.turn;
    const text = messageText(message);
    const serial = this.sent.length;
    const shown = linkInTrace(this.#setup, from, link);
    this.outputs.push({ kind: 'send', serial, to, link: shown, message: copyOf(message) });
    this.sent.push({ message, text, from, to, arrivesAs, copies: 1 });
  }

  emit(event: Message): void {
    this.outputs.push({ kind: 'emit', event: copyOf(event) });
  }

  after(ticks: number, message: Message): void {
    this.outputs.push({ kind: 'after', ticks, message: copyOf(message) });
    this.timers.set(`${this.#machine.turn} ${message.type}`, message);
  }

  cancel(type: string): void {
    this.outputs.push({ kind: 'cancel', type });
    this.timers.delete(`${this.#machine.turn} ${type}`);
  }

  choose(options: number): number {
    const coins = this.#traced.filter((output) => output.kind === 'coin');
    const tossed = this.outputs.filter((output) => output.kind === 'coin').length;
    const value = coins[tossed]?.value ?? 0;
    this.outputs.push({ kind: 'coin', value, options });
    return value;
  }

  clock(): number {
    const readings = this.#traced.filter((output) => output.kind === 'clock');
    const read = this.outputs.filter((output) => output.kind === 'clock').length;
    const time = readings[read]?.time ?? 0;
    this.outputs.push({ kind: 'clock', time });
    return time;
  }

  access(accessed: RegisterAccess): void {
    this.outputs.push(accessed);
  }

  continueAt(): void {} // the trace has the next step
}

/**
 * Executes the events of a trace one by one and keeps the local states. Coins and clock readings come from the trace.
 * @example
 * import { raymond } from 'batonjs/algorithms';
 * import { parseScenario, prepare, Replayer, simulate } from 'batonjs-lab/sim';
 *
 * const { trace } = simulate(raymond, { n: 3, seed: 1, events: true });
 * const replayer = new Replayer(prepare(raymond, parseScenario(trace.scenario)));
 * for (const event of trace.events.slice(0, 4)) replayer.step(event);
 * console.log(replayer.states);
 */
export class Replayer {
  /** The local states, by position. */
  readonly states: object[] = [];
  readonly #setup: Setup;
  /** The machine that takes the steps. */
  readonly machine: Machine;
  readonly #crashed = new Set<Pid>();
  readonly #sink: ReplaySink;

  constructor(setup: Setup) {
    this.#setup = setup;
    this.machine = machineOf(setup.algorithm, setup);
    this.#sink = new ReplaySink(setup, this.machine);
    this.machine.sink = this.#sink;
    for (let i = 0; i < setup.n; i += 1) this.states.push(this.machine.init(i));
  }

  /** Replays one event. Returns what its handler did, or why the event is impossible here. */
  step({ process, input, outputs }: TraceEvent): readonly TraceOutput[] | string {
    if (process >= this.#setup.n) return `there is no process ${process}`;
    if (this.#crashed.has(process) && !evenIfCrashed.includes(input.kind))
      return `process ${process} is crashed`;
    this.#sink.begin(outputs);
    const step = this.#stepOf(process, input);
    if (typeof step === 'string') return step;
    if (step !== null) this.#run(process, step);
    return this.#sink.outputs;
  }

  #run(process: Pid, input: MachineInput): void {
    const state = this.states[process]!;
    try {
      this.machine.step(process, state, input);
      checkState(state);
    } catch (error) {
      this.#sink.outputs.push(failure(error));
    }
  }

  /** The input of the machine; null if no handler runs; or why the event is impossible. */
  #stepOf(process: Pid, input: TraceInput): MachineInput | string | null {
    switch (input.kind) {
      case 'recv': {
        const sent = this.#sink.sent[input.serial];
        const matches =
          sent?.to === process && sent.text === messageText(input.message) && sent.from === input.from;
        if (sent === undefined || !matches)
          return `message #${input.serial} is ${sent ? `${sent.text} from ${sent.from} to ${sent.to}` : 'not sent yet'}`;
        if (sent.copies === 0) return notInFlight(input.serial);
        sent.copies -= 1;
        return { kind: 'message', message: sent.message, from: sent.arrivesAs };
      }
      case 'timer': {
        const { type } = input.message;
        const message = this.#sink.timers.get(`${process} ${type}`);
        if (message === undefined || encode(message) !== encode(input.message))
          return `timer ${type} is not set`;
        this.#sink.timers.delete(`${process} ${type}`);
        return { kind: 'timer', message };
      }
      case 'lose':
      case 'repeat': {
        const sent = this.#sink.sent[input.serial];
        if (sent === undefined) return `message #${input.serial} is not sent yet`;
        if (input.kind === 'lose' && sent.copies === 0) return notInFlight(input.serial);
        sent.copies += input.kind === 'repeat' ? 1 : -1;
        return null;
      }
      case 'call':
        return this.machine.calls.includes(input.name) ? input : `there is no call '${input.name}'`;
      case 'restart':
        this.#crashed.delete(process);
        this.states[process] = this.machine.init(process);
        return { kind: 'recover' };
      case 'appears':
      case 'goes':
        return { kind: input.kind, neighbour: neighbourAddress(this.#setup, process, input.link) };
      case 'crash':
        this.#crashed.add(process);
        for (const type of this.machine.timers) this.#sink.timers.delete(`${process} ${type}`);
        return input as { kind: 'crash' };
      case 'pause':
      case 'resume':
        return null;
      default:
        return input as MachineInput;
    }
  }
}
