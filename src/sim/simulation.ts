import type { Address, Message, Pid, World } from '../core/algorithm.ts';
import { InputError } from '../core/assert.ts';
import { Random } from '../core/random.ts';
import type { Input as TraceInput } from '../core/trace.ts';
import {
  type Accessed,
  breachOf,
  checkState,
  countedIn,
  type EitherAlgorithm,
  type Input,
  type Machine,
  machineOf,
  type Sink,
} from '../machine/index.ts';
import type { Violation } from '../problems/monitor.ts';
import { neverBack, turnedBack } from '../problems/mutex.ts';
import { Application } from './application.ts';
import { CausalChannels, type Stamped } from './causal.ts';
import { Codes, schedule } from './codes.ts';
import type { Fault } from './faults.ts';
import { type Action, intervene, type Reach } from './hand.ts';
import { Health } from './health.ts';
import { type LinkChange, Network, newsOf } from './network.ts';
import { Post } from './post.ts';
import { type Recorder, recorderOf } from './recorder.ts';
import { bindingBypass, outOfBounds, type Run, resultOf, verdictOf } from './run.ts';
import { keepsAssumptions, prepare, type Scenario, type Setup } from './scenario.ts';
import { Standstill } from './standstill.ts';
import { States } from './states.ts';
import { Timers } from './timers.ts';
import { type Event, Waiting } from './waiting.ts';
import { HandlerFailure, inFlightIn, judge, type Watch } from './watch.ts';
import { Wheel } from './wheel.ts';

/** A run in progress, for hosts that advance it in slices. `send` to `goOn` are for its machine. */
export class Simulation implements Sink {
  readonly setup: Setup;
  readonly machine: Machine;
  readonly #states: States;
  #events = 0;
  readonly #time = new Float64Array(1); // of the last event; a plain field would be a new object at every store
  #over = false;
  readonly #violations: Violation[] = [];
  readonly #codes: Codes;
  readonly #counts: number[]; // of what is counted: messages, or accesses, by kind

  readonly #wheel: Wheel;
  readonly #timers: Timers;
  readonly #application: Application;
  readonly #network: Network;
  readonly #coins: Random;
  readonly #health: Health;
  readonly #waiting = new Waiting();
  readonly #causal: CausalChannels | null;
  readonly #standstill: Standstill | null; // where processes go on by themselves
  #goesOn = false; // the process that takes a step will take another by itself
  readonly #watch: Watch;
  readonly #isJudged: boolean; // as a whole, after every event
  readonly #endsWithWork: boolean; // messages never cease by themselves
  #isTouched = false; // by an intervention
  readonly #careful: boolean; // events need more than their handlers
  readonly #plainSends: boolean; // every message arrives once, and nobody looks
  readonly #recorder: Recorder | null;
  readonly #post: Post;

  constructor(algorithm: EitherAlgorithm, scenario: Scenario, watch: Watch = {}) {
    const setup = prepare(algorithm, scenario);
    this.setup = setup;
    this.#watch = watch;
    this.machine = machineOf(setup.algorithm, setup, this);
    const codes = new Codes(setup.algorithm, this.machine);
    this.#codes = codes;
    this.#counts = this.machine.counted.map(() => 0);
    this.#recorder = recorderOf(watch, setup, (event) => this.#application.saw(event));
    this.#wheel = new Wheel(this.#recorder !== null);
    this.#timers = new Timers(setup, this.machine.timers, this.#wheel, codes.firstTimer);
    this.#application = new Application(setup, this.#wheel, codes.firstCall, bindingBypass(setup));
    this.#network = new Network(setup);
    this.#coins = new Random(setup.seed, 'coins');
    this.#health = new Health(setup);
    this.#causal = setup.channels === 'causal' ? new CausalChannels(setup.n) : null;
    this.#standstill = codes.step >= 0 ? new Standstill(setup.n) : null;
    this.#isJudged = watch.invariants === true || this.#application.isWatchful;
    this.#endsWithWork = setup.algorithm.perpetual === true;
    const isWatched = this.#recorder !== null || Object.values(watch).some((on) => on);
    this.#careful = isWatched || setup.faults.length > 0 || this.#causal !== null;
    this.#plainSends = !this.#careful && this.#network.reliable;
    this.#post = new Post({ ...this.#reach(), freezes: watch.freeze === true, recorder: this.#recorder });
    const look = { isWatched: this.#careful, isRecorded: this.#recorder !== null };
    this.#states = new States(setup.n, look, (i) => this.machine.init(i));
    this.machine.looks = this.#states.looks > 0;
    schedule(setup, this.#wheel, codes);
    this.#application.begin();
  }

  /** The local states, by position. */
  get states(): readonly object[] {
    return this.#states.all();
  }

  get now(): number {
    return this.#wheel.now;
  }

  /** Messages sent so far, or accesses made. */
  get messages(): number {
    return this.#counts.reduce((a, b) => a + b, 0);
  }

  /** Handles up to `events` events. False when the run is over. */
  advance(events: number): boolean {
    if (this.#over) return false;
    if (this.#events > 0 && this.#endsWithWork && this.#application.isDone) return this.#finish(true);
    const wheel = this.#wheel;
    const states = this.#states;
    const machine = this.machine;
    const violations = this.#violations;
    const standstill = this.#standstill;
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
          if (code === asking) this.#application.isAsked(message, machine.senderOf(process, from));
          machine.receive(process, states.at(process), code, message, from);
        } else this.#dispatch(slot, process, code);
        if (violations.length > 0) return this.#finish(false);
        if (standstill?.isComplete(wheel)) return this.#finish(true);
        if (this.#events >= limit) return this.#giveUp();
        // Not after the last: an intervention may make more of it before the next slice.
        if (i < events - 1 && this.#endsWithWork && this.#application.isDone) return this.#finish(true);
      }
    } catch (error) {
      this.#blame(error, this.#careful);
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
      this.#blame(error, true);
    }
    if (this.#violations.length > 0) this.#finish(false);
    return refusal;
  }

  /** Where somebody watches, only a HandlerFailure is the algorithm's; what a watcher throws goes on up. */
  #blame(error: unknown, isWatched: boolean): void {
    if (isWatched && !(error instanceof HandlerFailure)) throw error;
    const thrown = error instanceof HandlerFailure ? error.cause : error;
    if (thrown instanceof InputError) throw thrown; // a mistake of the user, not of the algorithm
    this.#violations.push(breachOf(thrown, this.machine.turn));
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
    this.#standstill?.taken(code === this.#codes.step);
    if (this.#codes.isTimer(code) && !this.#timers.take(slot, process, event)) return; // void: as if it had not been there
    this.#handle(process, event);
  }

  #handle(process: Pid, event: Event): void {
    const { code, serial, content } = event;
    if (code === this.#codes.nothing) return;
    if (code === this.#codes.lose) {
      if (content !== null) this.#causal?.lost(content as Stamped, process);
      this.#run(process, null, { kind: 'lose', serial });
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
    else if (code === this.#codes.begin) this.#run(process, { kind: 'begin' });
    else if (code >= this.#codes.firstCall) {
      if (this.#application.isCurrent(process, event.detail))
        this.#call(process, this.#application.callNamed(code));
    } else if (code >= this.#codes.firstTimer) this.#goesBy(process, event.content as Timed);
    else if (this.#causal !== null) this.#deliverCausally(process, event);
    else this.#deliver(process, event, event.content as Message);
  }

  /** A call is over when the process does not go on by itself. */
  #call(process: Pid, name: string): void {
    if (name === 'settle') return void this.#violations.push(...this.#application.settled(process));
    this.#application.calls(process, name);
    this.#run(process, { kind: 'call', name });
    if (!this.#goesOn) this.#application.called(process, name);
  }

  /** A timer fires, or a process on shared memory takes its next step. */
  #goesBy(process: Pid, input: Timed): void {
    this.#run(process, input);
    if (input.kind === 'step' && this.#violations.length === 0) this.#stepped(process);
  }

  #stepped(process: Pid): void {
    if (this.#goesOn) {
      this.#standstill!.has(process, this.#states.at(process));
      return;
    }
    this.#standstill!.changed();
    const phase = this.#application.phase(process);
    if (phase === 'idle') this.#application.called(process, 'release');
    else if (phase === 'waiting') this.#violations.push(turnedBack(process));
  }

  #deliver(process: Pid, { code, detail, serial }: Event, message: Message): void {
    this.#recorder?.copy(this.now, process, serial);
    const from = this.machine.senderOf(process, detail);
    this.#application.heard(process);
    if (code === this.#codes.asking) this.#application.isAsked(message, from);
    const input: Input = { kind: 'message', message, from: detail };
    this.#run(process, input, { kind: 'recv', serial, message, from });
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
    this.#run(process, null, { kind: 'lose', serial: event.serial });
  }

  #fault(process: Pid, { code, content }: Event): void {
    const fault = content as Fault;
    this.#application.struck(fault);
    const kind = this.#health.strike(process, fault, code === this.#codes.fault, this.now);
    if (kind === 'pause') this.#run(process, null, { kind });
    else if (kind === 'resume') {
      this.#run(process, null, { kind });
      this.#performWaiting(process);
    } else if (kind === 'crash') {
      this.#timers.cancelAll(process);
      this.#application.crashed(process);
      this.#run(process, { kind });
      for (const event of this.#waiting.drop(process)) this.#dropAtCrashed(process, event);
    } else if (kind === 'restart') {
      this.#states.set(process, this.machine.init(process));
      this.#application.restarted(process);
      this.#run(process, { kind: 'recover' }, { kind });
    } else if (kind === 'corrupt') this.#run(process, { kind });
    else if (this.#isJudged) this.#judge();
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
    this.#run(process, { kind, neighbour: address }, { kind, link });
  }

  /** Takes one step, and does everything that must be seen of it. Null: it happens to a process that has no handler for it. */
  #run(process: Pid, input: Input | null, traced = input as TraceInput): void {
    this.#events += 1;
    this.#time[0] = this.now;
    this.#goesOn = false;
    let failed: HandlerFailure | null = null;
    const state = this.#states.at(process);
    if (input !== null) {
      try {
        this.machine.step(process, state, input);
        if (this.#states.mayLook()) checkState(state);
      } catch (error) {
        this.#recorder?.fail(error);
        failed = new HandlerFailure('', { cause: error });
      }
    }
    if (this.#states.looks === 0) this.machine.looks = false;
    this.#recorder?.event(this.now, process, traced);
    if (failed !== null) throw failed;
    if (input !== null) this.#watch.observe?.(process, this.#states.at(process));
    if (this.#isJudged) this.#judge();
  }

  #judge(): void {
    const { algorithm } = this.setup;
    this.#violations.push(...judge(algorithm, this.#watch, this.#application, this.#world, this.now));
  }

  readonly #world = () => this.machine.world(this.#states.all(), inFlightIn(this.#reach()));

  #reach(): Reach {
    return {
      setup: this.setup,
      wheel: this.#wheel,
      timers: this.#timers,
      waiting: this.#waiting,
      codes: this.#codes,
      network: this.#network,
      health: this.#health,
      application: this.#application,
      causal: this.#causal,
      handle: (process, event) => {
        this.#standstill?.taken(event.code === this.#codes.step);
        this.#handle(process, event);
      },
      senderOf: (to, arrivesAs) => this.machine.senderOf(to, arrivesAs),
      messageIn: (content) => (this.#causal ? (content as Stamped).message : (content as Message)),
    };
  }

  #finish(atRest: boolean): false {
    this.#over = true;
    const { algorithm } = this.setup;
    if (atRest) this.#violations.push(...this.#application.atRest(countedIn(algorithm).helps));
    if (atRest && this.#violations.length === 0 && this.#standstill !== null && this.#standstill.steps > 0)
      this.#violations.push(neverBack);
    if (this.#violations.length > 0 && atRest && keepsAssumptions(this.setup)) this.#timers.checkEnd();
    if (this.#violations.length === 0 && !this.#isTouched)
      this.#violations.push(...outOfBounds(this.setup, this.#application, this.#byKind));
    this.#recorder?.end(verdictOf(this.#violations));
    return false;
  }

  get #byKind(): Record<string, number> {
    return Object.fromEntries(this.machine.counted.map((kind, i) => [kind, this.#counts[i]!]));
  }

  result(): Run {
    const { snapshots } = this.setup.algorithm;
    const snapshot = snapshots?.recorded(this.#world() as World<unknown, Message>) ?? null;
    const moment = { violations: this.#violations, time: this.#time[0]!, events: this.#events, snapshot };
    return resultOf(this.setup, this.#application, this.#byKind, moment);
  }

  send(to: Pid, arrivesAs: Address, message: Message, kind: number, link: number): void {
    const from = this.machine.turn;
    this.#counts[kind]! += 1;
    if (kind === this.#codes.asking) this.#application.asks(message, from);
    const time = this.#network.arrival(this.#wheel.now, from, link, to);
    if (this.#plainSends) this.#wheel.add(time, to, kind, arrivesAs, message);
    else this.#post.send(time, { from, link, to, kind, arrivesAs, message });
  }

  emit(event: Message): void {
    this.#recorder?.emit(event);
    const violation = this.#application.told(this.machine.turn, event);
    if (violation !== null) this.#violations.push(violation);
  }

  after(ticks: number, message: Message, timer: number): void {
    this.#recorder?.after(ticks, message);
    this.#timers.arm(this.machine.turn, ticks, timer, { kind: 'timer', message });
  }

  cancel(type: string, timer: number): void {
    this.#recorder?.cancel(type);
    this.#timers.cancel(this.machine.turn, timer);
  }

  choose(options: number): number {
    const value = this.#coins.below(options);
    this.#recorder?.coin(value, options);
    return value;
  }

  clock(): number {
    const time = this.#application.clock(this.machine.turn);
    this.#recorder?.clock(time);
    return time;
  }

  access(accessed: Accessed): void {
    this.#recorder?.access(accessed);
    if (accessed.kind !== 'reset') this.#counts[accessed.kind === 'read' ? 0 : 1]! += 1;
    if (accessed.kind === 'write') this.#standstill!.changed();
  }

  goOn(line: string): void {
    const process = this.machine.turn;
    this.#goesOn = true;
    this.#timers.arm(process, this.#network.duration(process), 0, { kind: 'step', line });
    this.#standstill!.steps += 1;
  }
}

/** An event that a process set for itself. */
type Timed = Input & { readonly kind: 'timer' | 'step' };
