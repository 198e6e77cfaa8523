import type { Address, AnyAlgorithm, Message, Pid } from '../../core/algorithm.ts';
import { copyOf, freeze } from '../../core/plain-data.ts';
import { type Input, MessageMachine, noSink, type Sink, stepFailure } from '../../machine/index.ts';
import type { Violation } from '../../problems/monitor.ts';
import type { Setup } from '../../sim/scenario/setup.ts';
import { MissingFields } from '../properties/missing-fields.ts';

export interface SentMessage {
  readonly to: Pid;
  readonly arrivesAs: Address;
  readonly message: Message;
}

export type TimerChange =
  | { readonly ticks: number; readonly message: Message }
  | { readonly ticks: null; readonly type: string };

/** One execution of a handler: everything it did. */
export interface Execution {
  readonly state: unknown; // the variables afterwards
  readonly sends: readonly SentMessage[];
  readonly emits: readonly Message[];
  readonly timers: readonly TimerChange[];
  readonly coins: readonly number[]; // as they fell
  readonly failure: Violation | null;
}

const none: readonly never[] = []; // shared: most executions do one thing only

const orNone = <T>(list: readonly T[]): readonly T[] => (list.length === 0 ? none : list);

function handlerOf(input: Input): string {
  if (input.kind === 'call') return `the call ${input.name}`;
  return 'message' in input ? input.message.type : input.kind;
}

/** Executes handlers on copies of the variables, once for each way the coins can fall. */
export class Executor implements Sink {
  executions = 0;
  readonly #machine: MessageMachine;
  readonly #missing = new MissingFields();
  readonly #readHandler: ProxyHandler<object> = {
    get: (s, key) => {
      if (!(key in s) && typeof key === 'string') this.#missing.read(s, key);
      return (s as Record<string | symbol, unknown>)[key];
    },
  };
  #sends: SentMessage[] = [];
  #emits: Message[] = [];
  #timers: TimerChange[] = [];
  #script: { value: number; options: number }[] = [];
  #tossed = 0;

  constructor(setup: Setup) {
    this.#machine = new MessageMachine(setup.algorithm as AnyAlgorithm, setup, this);
  }

  initial(process: Pid): unknown {
    const state = this.#machine.init(process);
    this.#missing.know(state);
    return state;
  }

  run(process: Pid, state: unknown, input: Input): Execution[] {
    const executions: Execution[] = [];
    this.#script = [];
    do executions.push(this.#once(process, state, input));
    while (this.#nextCoins());
    return executions;
  }

  #once(process: Pid, state: unknown, input: Input): Execution {
    this.executions += 1;
    this.#sends = [];
    this.#emits = [];
    this.#timers = [];
    this.#tossed = 0;
    const s = copyOf(state) as object;
    let failure: Violation | null = null;
    try {
      this.#machine.step(process, Array.isArray(s) ? s : new Proxy(s, this.#readHandler), input);
    } catch (error) {
      failure = stepFailure(error, process);
    }
    this.#missing.refuse(`the handler of ${handlerOf(input)}`);
    return {
      state: s,
      sends: orNone(this.#sends),
      emits: orNone(this.#emits),
      timers: orNone(this.#timers),
      coins: this.#tossed === 0 ? none : this.#script.slice(0, this.#tossed).map(({ value }) => value),
      failure,
    };
  }

  /** Turns to the next way the coins can fall, changing the last toss first. Returns false when there is none. */
  #nextCoins(): boolean {
    this.#script.length = this.#tossed;
    for (let last = this.#script.pop(); last !== undefined; last = this.#script.pop()) {
      if (last.value + 1 === last.options) continue;
      this.#script.push({ ...last, value: last.value + 1 });
      return true;
    }
    return false;
  }

  send(to: Pid, arrivesAs: Address, message: Message): void {
    this.#sends.push({ to, arrivesAs, message: freeze(message) });
  }

  emit(event: Message): void {
    this.#emits.push(event);
  }

  after(ticks: number, message: Message): void {
    this.#timers.push({ ticks, message: freeze(message) });
  }

  cancel(type: string): void {
    this.#timers.push({ ticks: null, type });
  }

  choose(options: number): number {
    if (this.#tossed === this.#script.length) this.#script.push({ value: 0, options });
    const { value } = this.#script[this.#tossed]!;
    this.#tossed += 1;
    return value;
  }

  readonly clock = noSink.clock; // the checker refuses algorithms that read clocks
  readonly access = noSink.access; // shared memory has its own model
  readonly continueAt = noSink.continueAt;
}
