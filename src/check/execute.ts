import type { Address, Message, Pid } from '../core/algorithm.ts';
import { placer } from '../core/place.ts';
import { copyOf, freeze } from '../core/plain.ts';
import type { Violation } from '../problems/monitor.ts';
import { Codes } from '../sim/codes.ts';
import { type Host, SimulatedProcess } from '../sim/process.ts';
import {
  checkEvent,
  checkOptions,
  checkPlain,
  checkTicks,
  kindIndex,
  linkOf,
  timerIndex,
} from '../sim/rules.ts';
import type { Setup } from '../sim/scenario.ts';
import { blame, HandlerFailure } from '../sim/watch.ts';

export interface Sent {
  readonly to: Pid;
  readonly arrivesAs: Address;
  readonly message: Message;
}

export type TimerChange =
  | { readonly ticks: number; readonly message: Message }
  | { readonly ticks: null; readonly type: string };

/** All that one execution of a handler did. */
export interface Deed {
  readonly state: unknown; // what became of it
  readonly sends: readonly Sent[];
  readonly emits: readonly Message[];
  readonly timers: readonly TimerChange[];
  readonly coins: readonly number[]; // as they fell
  readonly failure: Violation | null;
}

const none: readonly never[] = []; // most do one thing only

const orNone = <T>(list: readonly T[]): readonly T[] => (list.length === 0 ? none : list);

type Handler = (s: unknown, p: object) => void;

/** Executes handlers on copies of local states, once for each way the coins can fall. */
export class Executor implements Host {
  executions = 0;
  readonly #setup: Setup;
  readonly #kinds: readonly string[];
  readonly #named: boolean;
  readonly #place: (place: object, i: Pid) => void;
  readonly #process = new SimulatedProcess(this);
  #turn: Pid = 0;
  #sends: Sent[] = [];
  #emits: Message[] = [];
  #timers: TimerChange[] = [];
  #script: { value: number; options: number }[] = [];
  #tossed = 0;

  constructor(setup: Setup) {
    this.#setup = setup;
    this.#kinds = new Codes(setup.algorithm).kinds;
    this.#named = setup.algorithm.knows.includes('me');
    this.#place = placer(setup.algorithm, setup);
    this.#place(this.#process, 0);
    Object.preventExtensions(this.#process);
  }

  run(process: Pid, state: unknown, handler: Handler): Deed[] {
    const deeds: Deed[] = [];
    this.#script = [];
    do deeds.push(this.#once(process, state, handler));
    while (this.#turnCoins());
    return deeds;
  }

  #once(process: Pid, state: unknown, handler: Handler): Deed {
    this.executions += 1;
    this.#turn = process;
    this.#place(this.#process, process);
    this.#sends = [];
    this.#emits = [];
    this.#timers = [];
    this.#tossed = 0;
    const s = copyOf(state);
    let failure: Violation | null = null;
    try {
      handler(s, this.#process);
    } catch (error) {
      failure = blame(new HandlerFailure('', { cause: error }), true, process);
    }
    return {
      state: s,
      sends: orNone(this.#sends),
      emits: orNone(this.#emits),
      timers: orNone(this.#timers),
      coins: this.#tossed === 0 ? none : this.#script.slice(0, this.#tossed).map(({ value }) => value),
      failure,
    };
  }

  /** The next way the coins can fall, the last one first; false when all have been seen. */
  #turnCoins(): boolean {
    this.#script.length = this.#tossed;
    for (let last = this.#script.pop(); last !== undefined; last = this.#script.pop()) {
      if (last.value + 1 === last.options) continue;
      this.#script.push({ ...last, value: last.value + 1 });
      return true;
    }
    return false;
  }

  send(address: Address, message: Message): void {
    const { topology } = this.#setup;
    kindIndex(this.#kinds, message.type);
    checkPlain(message);
    const link = linkOf(topology, this.#named, this.#turn, address);
    const arrivesAs = this.#named ? this.#turn : topology.arrival(this.#turn, link);
    this.#sends.push({ to: topology.to(this.#turn, link), arrivesAs, message: freeze(message) });
  }

  emit(event: Message): void {
    checkEvent(this.#setup.algorithm, event);
    this.#emits.push(event);
  }

  after(ticks: number, message: Message): void {
    checkPlain(message);
    timerIndex(this.#setup.algorithm.timers ?? [], message.type);
    checkTicks(ticks);
    this.#timers.push({ ticks, message: freeze(message) });
  }

  cancel(type: string): void {
    timerIndex(this.#setup.algorithm.timers ?? [], type);
    this.#timers.push({ ticks: null, type });
  }

  choose(options: number): number {
    checkOptions(options);
    if (this.#tossed === this.#script.length) this.#script.push({ value: 0, options });
    const { value } = this.#script[this.#tossed]!;
    this.#tossed += 1;
    return value;
  }
}
