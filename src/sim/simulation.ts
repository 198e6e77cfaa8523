import type { Address, AnyAlgorithm, Message, Pid } from '../core/algorithm.ts';
import { placeOf, placer } from '../core/place.ts';
import { Random } from '../core/random.ts';
import type { Topology } from '../core/topology.ts';
import type { Input } from '../core/trace.ts';
import type { Violation } from '../problems/monitor.ts';
import { Application } from './application.ts';
import { CausalChannels, type Stamped } from './causal.ts';
import { Codes, schedule } from './codes.ts';
import type { Fault } from './faults.ts';
import { type Action, intervene, type Reach } from './hand.ts';
import { Health } from './health.ts';
import { type LinkChange, Network, newsOf } from './network.ts';
import { Post } from './post.ts';
import { type Host, SimulatedProcess } from './process.ts';
import { type Recorder, recorderOf } from './recorder.ts';
import { checkEvent, checkOptions, checkPlain, kindIndex, linkOf } from './rules.ts';
import { bindingBypass, outOfBounds, type Run, resultOf, verdictOf } from './run.ts';
import { keepsAssumptions, prepare, type Scenario, type Setup } from './scenario.ts';
import { States } from './states.ts';
import { Timers } from './timers.ts';
import { type Event, Waiting } from './waiting.ts';
import { blame, HandlerFailure, judge, type Watch, worldOf } from './watch.ts';
import { Wheel } from './wheel.ts';

/** A run in progress, for hosts that advance it in slices. `send` to `clock` are for its processes. */
export class Simulation implements Host {
  readonly setup: Setup;
  readonly #states: States;
  #events = 0;
  readonly #time = new Float64Array(1); // of the last event; a plain field would be a new object at every store
  #over = false;
  readonly #violations: Violation[] = [];
  readonly #codes: Codes;
  readonly #counts: number[]; // messages sent, by kind
  readonly #handlers: readonly AnyAlgorithm['on'][string][]; // of messages and timers, by code

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
  readonly #health: Health;
  readonly #waiting = new Waiting();
  readonly #causal: CausalChannels | null;
  readonly #watch: Watch;
  readonly #endsWithWork: boolean; // messages never cease by themselves
  #isTouched = false; // by a hand
  readonly #careful: boolean; // events need more than their handlers
  readonly #plainSends: boolean; // every message arrives once, and nobody looks
  readonly #recorder: Recorder | null;
  readonly #post: Post;

  constructor(algorithm: AnyAlgorithm, scenario: Scenario, watch: Watch = {}) {
    const setup = prepare(algorithm, scenario);
    const codes = new Codes(algorithm);
    this.setup = setup;
    this.#watch = watch;
    this.#codes = codes;
    this.#counts = codes.kinds.map(() => 0);
    this.#handlers = [...codes.kinds, ...codes.timers].map((type) => algorithm.on[type]!);
    this.#recorder = recorderOf(watch, setup, (event) => this.#application.saw(event));
    this.#wheel = new Wheel(this.#recorder !== null);
    this.#timers = new Timers(setup, this.#wheel, codes.firstTimer);
    this.#application = new Application(setup, this.#wheel, codes.firstCall, bindingBypass(setup));
    this.#network = new Network(setup);
    this.#topology = setup.topology;
    this.#named = algorithm.knows.includes('me');
    this.#coins = new Random(setup.seed, 'coins');
    this.#health = new Health(setup);
    this.#causal = setup.channels === 'causal' ? new CausalChannels(setup.n) : null;
    this.#endsWithWork = algorithm.perpetual === true;
    const isWatched = this.#recorder !== null || Object.values(watch).some((on) => on);
    this.#careful = isWatched || setup.faults.length > 0 || this.#causal !== null;
    this.#plainSends = !this.#careful && this.#network.reliable;
    this.#post = new Post({ ...this.#reach(), freezes: watch.freeze === true, recorder: this.#recorder });
    this.#place = placer(algorithm, setup);
    const look = { isWatched: this.#careful, isRecorded: this.#recorder !== null };
    this.#states = new States(algorithm.name, setup.n, look, (i) => algorithm.init(placeOf(this.#place, i)));
    Object.preventExtensions(this.#turnOf(0));
    schedule(setup, this.#wheel, codes);
    this.#application.begin();
  }

  /** The local states, by position. */
  get states(): readonly unknown[] {
    return this.#states.all();
  }

  get now(): number {
    return this.#wheel.now;
  }

  get messages(): number {
    return this.#counts.reduce((a, b) => a + b, 0);
  }

  #turnOf(process: Pid): SimulatedProcess {
    this.#turn = process;
    this.#place(this.#process, process);
    return this.#process;
  }

  /** Handles up to `events` events. False when the run is over. */
  advance(events: number): boolean {
    if (this.#over) return false;
    if (this.#events > 0 && this.#endsWithWork && this.#application.isDone) return this.#finish(true);
    const wheel = this.#wheel;
    const states = this.#states;
    const violations = this.#violations;
    const { limit } = this.setup;
    const { asking, firstTimer } = this.#codes;
    const plainCodes = this.#careful ? 0 : firstTimer; // messages that need nothing but their handler
    try {
      for (let i = 0; i < events; i += 1) {
        const slot = wheel.take();
        if (slot < 0) return this.#finish(true);
        const process = wheel.process[slot]!;
        const code = wheel.code[slot]!;
        if (code < plainCodes && states.looks === 0) {
          const from = wheel.detail[slot]!;
          const message = wheel.content[slot] as Message;
          this.#events += 1;
          this.#time[0] = wheel.now;
          if (code === asking) this.#application.isAsked(message, this.#senderOf(process, from));
          this.#handlers[code]!(states.at(process), this.#turnOf(process), message, from);
        } else this.#dispatch(slot, process, code);
        if (violations.length > 0) return this.#finish(false);
        if (this.#events >= limit) return this.#giveUp();
        // Not after the last: a hand may make more of it before the next slice.
        if (i < events - 1 && this.#endsWithWork && this.#application.isDone) return this.#finish(true);
      }
    } catch (error) {
      violations.push(blame(error, this.#careful, this.#turn));
      return this.#finish(false);
    }
    return true;
  }

  /** Intervenes before the next event; says why that is not possible, or null. From then on no bound binds. */
  act(action: Action): string | null {
    if (this.#over) return 'the run is over';
    this.#isTouched = true;
    this.#application.touched();
    let refusal: string | null = null;
    try {
      refusal = intervene(this.#reach(), action);
    } catch (error) {
      this.#violations.push(blame(error, true, this.#turn));
    }
    if (this.#violations.length > 0) this.#finish(false);
    return refusal;
  }

  #giveUp(): false {
    const how = this.#application.isSettled ? '' : ', and is not legitimate';
    this.#violations.push({ property: 'the run ends', why: `it goes on after ${this.#events} events${how}` });
    return this.#finish(false);
  }

  #dispatch(slot: number, process: Pid, code: number): void {
    const wheel = this.#wheel;
    const serial = this.#recorder ? wheel.serial[slot]! : 0;
    const event: Event = { code, detail: wheel.detail[slot]!, content: wheel.content[slot], serial };
    if (this.#codes.isTimer(code) && !this.#timers.take(slot, process, event)) return; // void: as if it had not been there
    this.#handle(process, event);
  }

  #handle(process: Pid, event: Event): void {
    const { code, serial, content } = event;
    if (code === this.#codes.nothing) return;
    if (code === this.#codes.lose) {
      if (content !== null) this.#causal?.lost(content as Stamped, process);
      this.#record(process, { kind: 'lose', serial });
      if (!this.#health.isPaused(process)) this.#performWaiting(process); // what waited for it need not any more
    } else if (code === this.#codes.relink) this.#relink(process, event);
    else if (this.#codes.isFault(code)) this.#fault(process, event);
    else if (this.#health.isPaused(process)) {
      if (this.#codes.isTimer(code)) this.#timers.hold(process, code);
      this.#waiting.add(process, event);
    } else if (this.#health.isCrashed(process)) this.#dropAtCrashed(process, event);
    else this.#perform(process, event);
  }

  #perform(process: Pid, event: Event): void {
    const { code } = event;
    if (code === this.#codes.relink) this.#tell(process, event.content as LinkChange);
    else if (code === this.#codes.begin)
      this.#run(process, () => ({ kind: 'begin' }), this.setup.algorithm.begin!);
    else if (code >= this.#codes.firstCall) {
      if (this.#application.isCurrent(process, event.detail))
        this.#call(process, this.#application.callNamed(code));
    } else if (code >= this.#codes.firstTimer) {
      const message = event.content as Message;
      const input = (): Input => ({ kind: 'timer', message });
      this.#run(process, input, (s, p) => this.#handlers[code]!(s, p, message, 0));
    } else if (this.#causal !== null) this.#deliverCausally(process, event);
    else this.#deliver(process, event, event.content as Message);
  }

  #call(process: Pid, name: string): void {
    if (name === 'settle') return void this.#violations.push(...this.#application.settled(process));
    this.#application.calls(process, name);
    this.#run(process, () => ({ kind: 'call', name }), this.setup.algorithm.calls[name]!);
    this.#application.called(process, name);
  }

  #deliver(process: Pid, { code, detail, serial }: Event, message: Message): void {
    this.#recorder?.copy(this.now, process, serial);
    const from = this.#senderOf(process, detail);
    const input = (): Input => ({ kind: 'recv', serial, message, from });
    this.#application.heard(process);
    if (code === this.#codes.asking) this.#application.isAsked(message, from);
    this.#run(process, input, (s, p) => this.#handlers[code]!(s, p, message, detail));
  }

  #deliverCausally(process: Pid, event: Event): void {
    if (!this.#mayPerform(process, event)) return void this.#waiting.add(process, event);
    const sent = event.content as Stamped;
    this.#causal!.delivered(sent, process);
    this.#deliver(process, event, sent.message);
    this.#performWaiting(process);
  }

  #performWaiting(process: Pid): void {
    const may = (event: Event) => this.#violations.length === 0 && this.#mayPerform(process, event);
    this.#waiting.release(process, may, (event) => {
      const isVoid = this.#codes.isTimer(event.code) && !this.#timers.takeHeld(process, event.code);
      if (!isVoid) this.#perform(process, event);
    });
  }

  #mayPerform(process: Pid, { code, content }: Event): boolean {
    if (this.#causal === null || code >= this.#codes.firstTimer) return true;
    return this.#causal.mayDeliver(content as Stamped, process);
  }

  #dropAtCrashed(process: Pid, event: Event): void {
    if (event.code >= this.#codes.firstCall && event.code !== this.#codes.begin)
      this.#application.missed(process, event.code);
    if (event.code >= this.#codes.firstTimer) return;
    this.#causal?.lost(event.content as Stamped, process);
    this.#record(process, { kind: 'lose', serial: event.serial });
  }

  #fault(process: Pid, { code, content }: Event): void {
    const { algorithm } = this.setup;
    const fault = content as Fault;
    this.#application.struck(fault);
    const kind = this.#health.strike(process, fault, code === this.#codes.fault, this.now);
    if (kind === 'pause') this.#record(process, { kind });
    else if (kind === 'resume') {
      this.#record(process, { kind });
      this.#performWaiting(process);
    } else if (kind === 'crash') {
      this.#timers.cancelAll(process);
      this.#application.crashed(process);
      this.#record(process, { kind });
      for (const event of this.#waiting.drop(process)) this.#dropAtCrashed(process, event);
    } else if (kind === 'restart') {
      this.#states.set(process, algorithm.init(placeOf(this.#place, process)));
      this.#application.restarted(process);
      this.#run(process, () => ({ kind }), algorithm.recover ?? (() => {}));
    } else if (kind === 'corrupt') this.#run(process, () => ({ kind }), algorithm.stabilises!.scramble);
    else this.#judge();
  }

  /** The first end to be told also makes it so. */
  #relink(process: Pid, event: Event): void {
    const fault = event.content as LinkChange;
    if (process === fault.between[0]) this.#network.change(fault, this.#reach());
    if (this.#health.isPaused(process)) this.#waiting.add(process, event);
    else if (!this.#health.isCrashed(process)) this.#tell(process, fault);
  }

  #tell(process: Pid, change: LinkChange): void {
    const { kind, link, address } = newsOf(this.setup, process, change);
    const tell = (s: unknown, p: object) => this.setup.algorithm.links?.[kind](s, p, address);
    this.#run(process, () => ({ kind, link }), tell);
  }

  /** Runs one handler, and everything that must be seen of it. */
  #run(process: Pid, input: () => Input, handler: ((s: unknown, p: object) => void) | null): void {
    this.#events += 1;
    this.#time[0] = this.now;
    let failed: HandlerFailure | null = null;
    try {
      handler?.(this.#states.at(process), this.#turnOf(process));
    } catch (error) {
      this.#recorder?.fail(error);
      failed = new HandlerFailure('', { cause: error });
    }
    this.#recorder?.event(this.now, process, input());
    if (failed !== null) throw failed;
    const flaw = handler === null ? null : this.#states.flawAt(process);
    if (flaw !== null) return void this.#violations.push(flaw);
    if (handler !== null) this.#watch.observe?.(process, this.#states.at(process));
    this.#judge();
  }

  /** Something happens to a process that it has no handler for. */
  readonly #record = (process: Pid, input: Input): void => this.#run(process, () => input, null);

  #judge(): void {
    const { algorithm } = this.setup;
    this.#violations.push(...judge(algorithm, this.#watch, this.#application, this.#world, this.now));
  }

  readonly #world = () => worldOf(this.setup, this.#states.all(), this.#reach());

  #reach(): Reach {
    return {
      setup: this.setup,
      named: this.#named,
      wheel: this.#wheel,
      waiting: this.#waiting,
      codes: this.#codes,
      network: this.#network,
      health: this.#health,
      application: this.#application,
      causal: this.#causal,
      handle: (process, event) => this.#handle(process, event),
      senderOf: (to, arrivesAs) => this.#senderOf(to, arrivesAs),
      messageIn: (content) => (this.#causal ? (content as Stamped).message : (content as Message)),
    };
  }

  #senderOf(to: Pid, arrivesAs: Address): Pid {
    return this.#named ? arrivesAs : this.#topology.sender(to, arrivesAs);
  }

  #finish(atRest: boolean): false {
    this.#over = true;
    if (atRest) this.#violations.push(...this.#application.atRest());
    if (this.#violations.length > 0 && atRest && keepsAssumptions(this.setup)) this.#timers.checkEnd();
    if (this.#violations.length === 0 && !this.#isTouched)
      this.#violations.push(...outOfBounds(this.setup, this.#application, this.#codes.byType(this.#counts)));
    this.#recorder?.end(verdictOf(this.#violations));
    return false;
  }

  result(): Run {
    const snapshot = this.setup.algorithm.snapshots?.recorded(this.#world()) ?? null;
    const moment = { violations: this.#violations, time: this.#time[0]!, events: this.#events, snapshot };
    return resultOf(this.setup, this.#application, this.#codes.byType(this.#counts), moment);
  }

  send(address: Address, message: Message): void {
    const from = this.#turn;
    const topology = this.#topology;
    const kind = kindIndex(this.#codes.kinds, message.type);
    if (this.#states.looks > 0) checkPlain(message);
    const link = linkOf(topology, this.#named, from, address);
    this.#counts[kind]! += 1;
    if (kind === this.#codes.asking) this.#application.asks(message, from);
    const to = topology.to(from, link);
    const arrivesAs = this.#named ? from : topology.arrival(from, link);
    const time = this.#network.arrival(this.#wheel.now, from, link, to);
    if (this.#plainSends) this.#wheel.add(time, to, kind, arrivesAs, message);
    else this.#post.send(time, { from, link, to, kind, arrivesAs, message });
  }

  emit(event: Message): void {
    checkEvent(this.setup.algorithm, event);
    this.#recorder?.emit(event);
    const violation = this.#application.told(this.#turn, event);
    if (violation !== null) this.#violations.push(violation);
  }

  after(ticks: number, message: Message): void {
    checkPlain(message);
    this.#recorder?.after(ticks, message);
    this.#timers.arm(this.#turn, ticks, message);
  }

  cancel(type: string): void {
    this.#recorder?.cancel(type);
    this.#timers.cancel(this.#turn, type);
  }

  choose(options: number): number {
    checkOptions(options);
    const value = this.#coins.below(options);
    this.#recorder?.coin(value, options);
    return value;
  }

  clock(): number {
    const time = this.#application.clock(this.#turn);
    this.#recorder?.clock(time);
    return time;
  }
}
