import type { Address, AnyAlgorithm, Message, Pid, World } from '../core/algorithm.ts';
import { AssertionError, fail } from '../core/assert.ts';
import { brokenBound } from '../core/bounds.ts';
import { placer } from '../core/place.ts';
import { freeze } from '../core/plain.ts';
import { Random } from '../core/random.ts';
import type { Topology } from '../core/topology.ts';
import { failure, type Input, messageText, type Output, TraceWriter } from '../core/trace.ts';
import type { Violation } from '../problems/monitor.ts';
import { Application } from './application.ts';
import { CausalOrder, type Stamp } from './causal.ts';
import { describe } from './fields.ts';
import { Network } from './network.ts';
import { type Host, SimulatedProcess } from './process.ts';
import { limitsAfter, type Run, summarise } from './run.ts';
import { keepsAssumptions, prepare, type Scenario, type Setup } from './scenario.ts';
import { Timers } from './timers.ts';
import { never, Wheel } from './wheel.ts';

/** How closely to look. None of it changes the run. */
export interface Watch {
  readonly trace?: (line: string) => void;
  readonly freeze?: boolean; // freeze every message as it is sent
  readonly invariants?: boolean; // evaluate the algorithm's own lemmas after every event
  readonly observe?: (process: Pid, state: unknown) => void; // after every event
}

/** Runs to the end: until nothing is on its way, or a property is violated. */
export function simulate(algorithm: AnyAlgorithm, scenario: Scenario = {}, watch: Watch = {}): Run {
  const simulation = new Simulation(algorithm, scenario, watch);
  while (simulation.advance(1_000_000));
  return simulation.result();
}

type Event = { code: number; detail: number; content: unknown; serial: number };
type Stamped = { stamp: Stamp; from: Pid; message: Message };

const up = 0;
const paused = 1;
const crashed = 2;

/** A run in progress, for hosts that advance it in slices. `send` to `choose` are for its processes. */
export class Simulation implements Host {
  readonly setup: Setup;
  readonly states: unknown[] = [];
  #events = 0;
  readonly #time = new Float64Array(1); // of the last event; a plain field would be a new object at every store
  #over = false;
  readonly #violations: Violation[] = [];

  // Events are told apart by codes: messages by kind from 0, then timers, the application's calls, faults.
  readonly #kinds: readonly string[];
  readonly #counts: number[]; // messages sent, by kind
  readonly #handlers: readonly AnyAlgorithm['on'][string][]; // of messages and timers, by code
  readonly #timerCode: number;
  readonly #callCode: number;
  readonly #faultCode: number; // it begins; + 1: it ends; the detail says which
  readonly #loseCode: number;

  readonly #wheel: Wheel;
  readonly #timers: Timers;
  readonly #application: Application;
  readonly #network: Network;
  readonly #topology: Topology;
  readonly #named: boolean; // addresses are positions
  readonly #coins: Random;
  readonly #process = new SimulatedProcess(this); // one object for all: it is told who it is before each turn
  readonly #place: (place: object, i: Pid) => void;
  #turn: Pid = 0;

  readonly #status: Uint8Array;
  readonly #held = new Map<Pid, Event[]>(); // what waits for a paused process, or for causal order
  readonly #causal: CausalOrder | null;

  readonly #watch: Watch;
  readonly #careful: boolean; // events need more than their handlers
  readonly #plainSends: boolean; // every message arrives once, and nobody looks
  readonly #writer: TraceWriter | null;
  #outputs: Output[] = [];
  #serial = 0;
  readonly #received = new Set<number>(); // serials, to mark repetitions in a trace

  constructor(algorithm: AnyAlgorithm, scenario: Scenario, watch: Watch = {}) {
    const setup = prepare(algorithm, scenario);
    const timers = algorithm.timers ?? [];
    this.setup = setup;
    this.#watch = watch;
    this.#kinds = Object.keys(algorithm.on).filter((type) => !timers.includes(type));
    this.#counts = this.#kinds.map(() => 0);
    this.#handlers = [...this.#kinds, ...timers].map((type) => algorithm.on[type]!);
    this.#timerCode = this.#kinds.length;
    this.#callCode = this.#timerCode + timers.length;
    this.#faultCode = this.#callCode + 2;
    this.#loseCode = this.#faultCode + 2;
    this.#wheel = new Wheel(watch.trace !== undefined);
    this.#timers = new Timers(setup, this.#wheel, this.#timerCode);
    this.#application = new Application(setup, this.#wheel, this.#callCode);
    this.#network = new Network(setup);
    this.#topology = setup.topology;
    this.#named = algorithm.knows.includes('me');
    this.#coins = new Random(setup.seed, 'coins');
    this.#status = new Uint8Array(setup.n);
    this.#causal = setup.channels === 'causal' ? new CausalOrder(setup.n) : null;
    const isWatched = Object.values(watch).some((on) => on);
    this.#careful = isWatched || setup.faults.length > 0 || this.#causal !== null || setup.limit < Infinity;
    this.#plainSends = !this.#careful && this.#network.reliable;
    this.#writer = watch.trace ? new TraceWriter(watch.trace, describe(setup)) : null;
    this.#place = placer(algorithm, setup);
    for (let i = 0; i < setup.n; i += 1) this.states.push(algorithm.init(this.#turnOf(i)));
    this.#scheduleFaults();
    this.#application.begin();
  }

  get now(): number {
    return this.#wheel.now;
  }

  get messages(): number {
    return this.#counts.reduce((a, b) => a + b, 0);
  }

  #scheduleFaults(): void {
    this.setup.faults.forEach((fault, index) => {
      if (fault.type === 'partition') return; // the network knows
      this.#wheel.add(fault.at, fault.process, this.#faultCode, index, null);
      if (fault.type === 'pause')
        this.#wheel.add(fault.until, fault.process, this.#faultCode + 1, index, null);
    });
  }

  #turnOf(process: Pid): SimulatedProcess {
    this.#turn = process;
    this.#place(this.#process, process);
    return this.#process;
  }

  /** Handles up to `events` events. False when the run is over. */
  advance(events: number): boolean {
    if (this.#over) return false;
    const wheel = this.#wheel;
    const states = this.states;
    const violations = this.#violations;
    const plainCodes = this.#careful ? 0 : this.#timerCode; // messages that need nothing but their handler
    try {
      for (let i = 0; i < events; i += 1) {
        const slot = wheel.take();
        if (slot < 0) return this.#finish(true);
        this.#events += 1;
        const process = wheel.process[slot]!;
        const code = wheel.code[slot]!;
        if (code < plainCodes) {
          const from = wheel.detail[slot]!;
          this.#time[0] = wheel.now;
          this.#handlers[code]!(states[process], this.#turnOf(process), wheel.content[slot] as Message, from);
        } else this.#dispatch(slot, process, code);
        if (violations.length > 0) return this.#finish(false);
      }
    } catch (error) {
      if (!(error instanceof Error)) throw error;
      const property = error instanceof AssertionError ? 'the contract is kept' : 'the handlers do not fail';
      violations.push({ property, why: `at process ${this.#turn}: ${error.message}` });
      return this.#finish(false);
    }
    return true;
  }

  #dispatch(slot: number, process: Pid, code: number): void {
    const wheel = this.#wheel;
    const serial = this.#writer ? wheel.serial[slot]! : 0;
    const event: Event = { code, detail: wheel.detail[slot]!, content: wheel.content[slot], serial };
    const isTimer = code >= this.#timerCode && code < this.#callCode;
    if (isTimer && !this.#timers.take(slot, process, event)) return; // void: as if it had not been there
    this.#time[0] = this.now;
    if (code === this.#loseCode) this.#record(process, { kind: 'lose', serial });
    else if (code >= this.#faultCode) this.#fault(process, event);
    else if (this.#status[process] === paused) this.#hold(process, event);
    else if (this.#status[process] === crashed) this.#dropAtCrashed(process, event);
    else this.#perform(process, event);
    if (this.#events >= this.setup.limit && this.#violations.length === 0) {
      this.#violations.push({ property: 'the run ends', why: `it goes on after ${this.#events} events` });
    }
  }

  #perform(process: Pid, event: Event): void {
    const { code } = event;
    if (code >= this.#callCode) {
      if (this.#application.isCurrent(process, event.detail))
        this.#call(process, this.#application.callNamed(code));
    } else if (code >= this.#timerCode) {
      const message = event.content as Message;
      const input = (): Input => ({ kind: 'timer', message: messageText(message) });
      this.#run(process, input, (s, p) => this.#handlers[code]!(s, p, message, 0));
    } else if (this.#causal !== null) this.#deliverCausally(process, event);
    else this.#deliver(process, event, event.content as Message);
  }

  #call(process: Pid, name: string): void {
    this.#application.calls(process, name);
    this.#run(process, () => ({ kind: 'call', name }), this.setup.algorithm.calls[name]!);
    this.#application.called(process, name);
  }

  #deliver(process: Pid, { code, detail, serial }: Event, message: Message): void {
    if (this.#writer && this.setup.duplication > 0) {
      if (this.#received.has(serial)) this.#record(process, { kind: 'repeat', serial });
      this.#received.add(serial);
    }
    const from = this.#senderOf(process, detail);
    const input = (): Input => ({ kind: 'recv', serial, message: messageText(message), from });
    this.#run(process, input, (s, p) => this.#handlers[code]!(s, p, message, detail));
  }

  #deliverCausally(process: Pid, event: Event): void {
    const { stamp, from, message } = event.content as Stamped;
    if (!this.#causal!.mayDeliver(stamp, from, process)) {
      this.#hold(process, event);
      return;
    }
    this.#causal!.delivered(stamp, from, process);
    this.#deliver(process, event, message);
    for (const held of this.#released(process)) this.#perform(process, held);
  }

  #hold(process: Pid, event: Event): void {
    this.#held.set(process, [...(this.#held.get(process) ?? []), event]);
  }

  #released(process: Pid): Event[] {
    const events = this.#held.get(process) ?? [];
    this.#held.delete(process);
    return events;
  }

  #dropAtCrashed(process: Pid, event: Event): void {
    if (event.code >= this.#timerCode) return;
    if (this.#causal) {
      const { stamp, from } = event.content as Stamped;
      this.#causal.lost(stamp, from, process);
    }
    this.#record(process, { kind: 'lose', serial: event.serial });
  }

  #fault(process: Pid, { code, detail }: Event): void {
    const { type } = this.setup.faults[detail]!;
    const begins = code === this.#faultCode;
    const status = this.#status[process]!;
    if (type === 'pause' && begins && status === up) {
      this.#status[process] = paused;
      this.#record(process, { kind: 'pause' });
    } else if (type === 'pause' && !begins && status === paused) {
      this.#status[process] = up;
      this.#record(process, { kind: 'resume' });
      for (const event of this.#released(process)) this.#perform(process, event);
    } else if (type === 'crash' && status !== crashed) {
      this.#status[process] = crashed;
      this.#timers.cancelAll(process);
      this.#application.crashed(process);
      this.#record(process, { kind: 'crash' });
      for (const event of this.#released(process)) this.#dropAtCrashed(process, event);
    } else if (type === 'restart' && status === crashed) {
      this.#status[process] = up;
      this.states[process] = this.setup.algorithm.init(this.#turnOf(process));
      this.#application.restarted(process);
      this.#run(process, () => ({ kind: 'restart' }), this.setup.algorithm.recover ?? (() => {}));
    }
  }

  /** Runs one handler, and everything that must be seen of it. */
  #run(process: Pid, input: () => Input, handler: (s: unknown, p: object) => void): void {
    this.#outputs = [];
    try {
      handler(this.states[process], this.#turnOf(process));
    } catch (error) {
      this.#outputs.push(failure(error));
      throw error;
    } finally {
      this.#writer?.event({ time: this.now, process, input: input(), outputs: this.#outputs });
    }
    this.#watch.observe?.(process, this.states[process]);
    if (this.#watch.invariants) this.#checkInvariants();
  }

  #record(process: Pid, input: Input): void {
    this.#writer?.event({ time: this.now, process, input, outputs: [] });
  }

  #checkInvariants(): void {
    const world = this.#world();
    for (const [lemma, holds] of Object.entries(this.setup.algorithm.invariants ?? {})) {
      if (!holds(world)) this.#violations.push({ property: lemma, why: `it fails at time ${this.now}` });
    }
  }

  #world(): World<unknown, Message> {
    const wheel = this.#wheel;
    const inFlight: { from: Pid; to: Pid; message: Message }[] = [];
    const add = (to: Pid, code: number, detail: number, content: unknown) => {
      if (code >= this.#timerCode) return;
      const message = this.#causal ? (content as Stamped).message : (content as Message);
      inFlight.push({ from: this.#senderOf(to, detail), to, message });
    };
    for (const slot of wheel.pending()) {
      add(wheel.process[slot]!, wheel.code[slot]!, wheel.detail[slot]!, wheel.content[slot]);
    }
    for (const [to, events] of this.#held)
      for (const { code, detail, content } of events) add(to, code, detail, content);
    return { states: this.states, inFlight };
  }

  #senderOf(to: Pid, arrivesAs: Address): Pid {
    return this.#named ? arrivesAs : this.#topology.sender(to, arrivesAs);
  }

  #finish(atRest: boolean): false {
    const { setup } = this;
    this.#over = true;
    if (atRest) this.#violations.push(...this.#application.atRest());
    if (this.#violations.length === 0 && keepsAssumptions(setup)) {
      const why = brokenBound(limitsAfter(setup, this.#application), this.#byType());
      if (why !== null) this.#violations.push({ property: 'the message bound', why });
    }
    const [first] = this.#violations;
    this.#writer?.end(first ? `${first.property} is violated: ${first.why}` : 'ok');
    return false;
  }

  #byType(): Record<string, number> {
    return Object.fromEntries(this.#kinds.map((kind, i) => [kind, this.#counts[i]!]));
  }

  result(): Run {
    const moment = { violations: this.#violations, time: this.#time[0]!, events: this.#events };
    return summarise(this.setup, this.#application, this.#byType(), moment);
  }

  send(address: Address, message: Message): void {
    const from = this.#turn;
    const kinds = this.#kinds;
    let kind = 0;
    while (kind < kinds.length && kinds[kind] !== message.type) kind += 1;
    if (kind === kinds.length) fail(`it sends '${message.type}', which is not one of its messages`);
    const topology = this.#topology;
    const link = this.#named ? topology.link(from, address) : address;
    if (!(link >= 0 && link < topology.degree(from)))
      fail(`it sends to ${address}, which is not a neighbour`);
    this.#counts[kind]! += 1;
    const to = topology.to(from, link);
    const arrivesAs = this.#named ? from : topology.arrival(from, link);
    const time = this.#network.arrival(this.#wheel.now, from, link, to);
    if (this.#plainSends) this.#wheel.add(time, to, kind, arrivesAs, message);
    else this.#sendWatched(time, link, to, kind, arrivesAs, message);
  }

  /** Sends where the message can be lost, repeated or must be looked at. */
  #sendWatched(
    time: number,
    link: number,
    to: Pid,
    kind: number,
    arrivesAs: Address,
    message: Message,
  ): void {
    const from = this.#turn;
    const serial = this.#serial;
    this.#serial += 1;
    if (this.#watch.freeze) freeze(message);
    if (this.#writer) {
      const given = this.#topology.isMultiple(from) ? link : null;
      this.#outputs.push({ kind: 'send', serial, to, link: given, message: messageText(message) });
    }
    if (this.#network.loses()) {
      if (this.#writer) this.#launch(time, to, this.#loseCode, 0, null, serial);
      return;
    }
    const stamp = this.#causal?.sent(from, to);
    const content = stamp === undefined ? message : { stamp, from, message };
    this.#launch(time, to, kind, arrivesAs, content, serial);
    if (this.#network.repeats() && stamp === undefined) {
      const again = this.#network.arrival(this.now, from, link, to);
      this.#launch(again, to, kind, arrivesAs, message, serial);
    }
  }

  #launch(time: number, to: Pid, code: number, arrivesAs: Address, content: unknown, serial: number): void {
    if (time >= never) return; // behind a partition that does not heal
    const slot = this.#wheel.add(time, to, code, arrivesAs, content);
    if (this.#writer) this.#wheel.serial[slot] = serial;
  }

  emit(event: Message): void {
    if (this.#writer) this.#outputs.push({ kind: 'emit', event: messageText(event) });
    const violation = this.#application.told(this.#turn, event);
    if (violation !== null) this.#violations.push(violation);
  }

  after(ticks: number, message: Message): void {
    if (this.#writer) this.#outputs.push({ kind: 'after', ticks, message: messageText(message) });
    this.#timers.arm(this.#turn, ticks, message);
  }

  cancel(type: string): void {
    if (this.#writer) this.#outputs.push({ kind: 'cancel', type });
    this.#timers.cancel(this.#turn, type);
  }

  choose(options: number): number {
    const value = this.#coins.below(options);
    if (this.#writer) this.#outputs.push({ kind: 'coin', value, options });
    return value;
  }
}
