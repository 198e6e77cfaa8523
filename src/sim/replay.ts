import type { Address, AnyAlgorithm, Message, Pid } from '../core/algorithm.ts';
import { placeOf, placer } from '../core/place.ts';
import { copyOf, encode } from '../core/plain.ts';
import type { AnySharedAlgorithm } from '../core/shared.ts';
import {
  failure,
  messageText,
  type Output,
  outputsText,
  type Trace,
  type TraceEvent,
} from '../core/trace.ts';
import { clockNamed } from '../order/clocks.ts';
import { stamping } from '../order/stamps.ts';
import { Codes } from './codes.ts';
import { parseFields } from './fields.ts';
import {
  checkEvent,
  checkOptions,
  checkPlain,
  checkTicks,
  kindIndex,
  linkInTrace,
  linkOf,
  timerIndex,
} from './rules.ts';
import type { Setup } from './scenario.ts';
import { SharedReplayer } from './shared-replay.ts';
import { type SharedSetup, setupOf } from './shared-scenario.ts';

export interface Replay {
  readonly ok: boolean;
  readonly events: number; // that agreed
  readonly firstDifference: {
    readonly line: number;
    readonly expected: string;
    readonly actual: string;
  } | null;
}

/** Executes the handlers again, event by event, and compares everything they do with what the trace says they did. */
export function replay(algorithm: AnyAlgorithm | AnySharedAlgorithm, trace: Trace): Replay {
  const machine = replayerOf(setupOf(algorithm, parseFields(trace.scenario)));
  const { stamps } = trace.scenario;
  const stamp = stamps === undefined ? null : stamping(clockNamed(stamps));
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
    const actual = didText(machine.step(event));
    if (actual !== expected) return differs(expected, actual);
    const shown = stamp?.(event).stamp;
    if (shown !== event.stamp) return differs(stampText(event.stamp), stampText(shown));
  }
  return { ok: true, events: trace.events.length, firstDifference: null };
}

export const replayerOf = (setup: Setup | SharedSetup): Replayer | SharedReplayer =>
  'channels' in setup ? new Replayer(setup) : new SharedReplayer(setup);

/** What a replayer says of a step, as text. */
export const didText = (did: readonly Output[] | string): string =>
  typeof did === 'string' ? did : outputsText(did);

const stampText = (stamp: string | undefined): string =>
  stamp === undefined ? 'no stamp' : `stamp ${stamp}`;

const evenIfCrashed: readonly string[] = ['restart', 'lose', 'repeat'];

const isOver = (serial: number): string => `message #${serial} is not on its way any more`;

interface Sent {
  readonly message: Message;
  readonly text: string;
  readonly from: Pid;
  readonly to: Pid;
  readonly arrivesAs: Address;
  copies: number; // on their way
}

/** Local states, driven by a trace. Other views of a trace (stepping back and forth) stand on it too. */
export class Replayer {
  readonly states: unknown[] = [];
  readonly #setup: Setup;
  readonly #place: (place: object, i: Pid) => void;
  readonly #kinds: readonly string[];
  readonly #sent: Sent[] = [];
  readonly #crashed = new Set<Pid>();
  readonly #timers = new Map<string, Message>();

  constructor(setup: Setup) {
    this.#setup = setup;
    this.#kinds = new Codes(setup.algorithm).kinds;
    this.#place = placer(setup.algorithm, setup);
    for (let i = 0; i < setup.n; i += 1) this.states.push(setup.algorithm.init(placeOf(this.#place, i)));
  }

  /** Carries out one event. Returns what its handler did, or why the event cannot happen here. */
  step({ process, input, outputs }: TraceEvent): Output[] | string {
    const { algorithm, n } = this.#setup;
    if (process >= n) return `there is no process ${process}`;
    if (this.#crashed.has(process) && !evenIfCrashed.includes(input.kind))
      return `process ${process} is crashed`;
    const coins = outputs.filter((output) => output.kind === 'coin').map(({ value }) => value);
    const did: Output[] = [];
    const times = outputs.filter((output) => output.kind === 'clock').map(({ time }) => time);
    const p = this.#process(process, coins, times, did);
    const attempt = (handler: (s: unknown, p: object) => void) => {
      try {
        handler(this.states[process], p);
      } catch (error) {
        did.push(failure(error));
      }
    };
    switch (input.kind) {
      case 'call': {
        const handler = Object.hasOwn(algorithm.calls, input.name) ? algorithm.calls[input.name] : undefined;
        if (handler === undefined) return `there is no call '${input.name}'`;
        attempt(handler);
        break;
      }
      case 'recv': {
        const sent = this.#sent[input.serial];
        if (
          sent === undefined ||
          sent.to !== process ||
          sent.text !== messageText(input.message) ||
          sent.from !== input.from
        ) {
          return `message #${input.serial} is ${sent ? `${sent.text} from ${sent.from} to ${sent.to}` : 'not sent yet'}`;
        }
        if (sent.copies === 0) return isOver(input.serial);
        sent.copies -= 1;
        attempt((s, p) => algorithm.on[sent.message.type]!(s, p, sent.message, sent.arrivesAs));
        break;
      }
      case 'timer': {
        const { type } = input.message;
        const message = this.#timers.get(`${process} ${type}`);
        if (message === undefined || encode(message) !== encode(input.message))
          return `timer ${type} is not set`;
        this.#timers.delete(`${process} ${type}`);
        attempt((s, p) => algorithm.on[type]!(s, p, message, 0));
        break;
      }
      case 'begin':
        attempt((s, p) => algorithm.begin?.(s, p));
        break;
      case 'lose':
      case 'repeat': {
        const sent = this.#sent[input.serial];
        if (sent === undefined) return `message #${input.serial} is not sent yet`;
        if (input.kind === 'lose' && sent.copies === 0) return isOver(input.serial);
        sent.copies += input.kind === 'repeat' ? 1 : -1;
        break;
      }
      case 'restart':
        this.#crashed.delete(process);
        this.states[process] = algorithm.init(placeOf(this.#place, process));
        attempt((s, p) => algorithm.recover?.(s, p));
        break;
      case 'appears':
      case 'goes': {
        const { topology } = this.#setup;
        const j = algorithm.knows.includes('me') ? input.link : topology.link(process, input.link);
        attempt((s, p) => algorithm.links?.[input.kind](s, p, j));
        break;
      }
      case 'corrupt':
        attempt((s, p) => algorithm.stabilises?.scramble(s, p));
        break;
      case 'crash':
        this.#crashed.add(process);
        for (const type of algorithm.timers ?? []) this.#timers.delete(`${process} ${type}`);
    }
    return did;
  }

  #process(from: Pid, coins: number[], times: number[], did: Output[]): object {
    const { topology, algorithm } = this.#setup;
    const named = algorithm.knows.includes('me');
    const note = (output: Output) => did.push(copyOf(output));
    const actions = {
      send: (address: Address, message: Message) => {
        kindIndex(this.#kinds, message.type);
        checkPlain(message);
        const link = linkOf(topology, named, from, address);
        const to = topology.to(from, link);
        const text = messageText(message);
        const given = linkInTrace(topology, named, from, link);
        note({ kind: 'send', serial: this.#sent.length, to, link: given, message });
        const arrivesAs = named ? from : topology.arrival(from, link);
        this.#sent.push({ message, text, from, to, arrivesAs, copies: 1 });
      },
      emit: (event: Message) => {
        checkEvent(algorithm, event);
        checkPlain(event);
        note({ kind: 'emit', event });
      },
      after: (ticks: number, message: Message) => {
        checkPlain(message);
        note({ kind: 'after', ticks, message });
        timerIndex(algorithm.timers ?? [], message.type);
        checkTicks(ticks);
        this.#timers.set(`${from} ${message.type}`, message);
      },
      cancel: (type: string) => {
        note({ kind: 'cancel', type });
        timerIndex(algorithm.timers ?? [], type);
        this.#timers.delete(`${from} ${type}`);
      },
      choose: (options: number) => {
        checkOptions(options);
        const value = coins.shift() ?? 0;
        note({ kind: 'coin', value, options });
        return value;
      },
      clock: () => {
        const time = times.shift() ?? 0;
        note({ kind: 'clock', time });
        return time;
      },
    };
    return Object.assign(actions, placeOf(this.#place, from));
  }
}
