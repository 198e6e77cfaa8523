import type { Pid } from '../core/algorithm.ts';
import { brokenBound, type Limits, limitsOf } from '../core/bounds.ts';
import { Random } from '../core/random.ts';
import { type AnySharedAlgorithm, isSection, type MovingWorld, SharedMachine } from '../core/shared.ts';
import { failure, type Input, type Output, type TraceEvent, TraceWriter } from '../core/trace.ts';
import { stamping } from '../order/stamps.ts';
import type { Violation } from '../problems/monitor.ts';
import { neverBack, turnedBack } from '../problems/mutex.ts';
import { Application } from './application.ts';
import { sharedCodes as codes, scheduleFaults } from './codes.ts';
import type { Fault } from './faults.ts';
import { withStamps } from './fields.ts';
import { type Action, interveneAt, type ProcessReach } from './hand.ts';
import { Health } from './health.ts';
import { type Run, summarise, verdictOf } from './run.ts';
import type { Scenario } from './scenario.ts';
import {
  describeShared,
  keepsSharedAssumptions,
  prepareShared,
  type SharedSetup,
  sharedCircumstances,
} from './shared-scenario.ts';
import { Standstill } from './standstill.ts';
import { type Event, Waiting } from './waiting.ts';
import { blame, HandlerFailure, spoilt, type Watch } from './watch.ts';
import { Wheel } from './wheel.ts';

/** A run on shared memory in progress, for hosts that advance it in slices. Each step takes as long as `latency` says. */
export class SharedSimulation {
  readonly setup: SharedSetup;
  readonly world: MovingWorld;
  readonly #machine: SharedMachine;
  readonly #counts = { read: 0, write: 0 };
  readonly #violations: Violation[] = [];
  #events = 0;
  #time = 0; // of the last event
  #over = false;
  #isTouched = false; // by a hand

  readonly #wheel = new Wheel(false);
  readonly #application: Application;
  readonly #random: Random;
  readonly #standstill: Standstill;
  #steps = 0; // in the wheel
  #isOnlySteps: boolean | null = null; // whether they are all there is in the wheel; null: not looked yet

  readonly #health: Health;
  readonly #isLeaving: Uint8Array; // it was in, and has not asked again
  readonly #life: Int32Array; // how often each process crashed; a step of an earlier life is void
  readonly #waiting = new Waiting();

  readonly #watch: Watch;
  readonly #writer: TraceWriter | null;
  readonly #stamp: ((event: TraceEvent) => TraceEvent) | null;
  #outputs: Output[] = [];
  #turn: Pid = 0;

  constructor(algorithm: AnySharedAlgorithm, scenario: Scenario, watch: Watch = {}) {
    const setup = prepareShared(algorithm, scenario);
    this.setup = setup;
    this.#machine = new SharedMachine(algorithm, setup.n);
    this.world = this.#machine.begin();
    this.#application = new Application(setup, this.#wheel, codes.firstCall);
    this.#random = new Random(setup.seed, 'latency');
    this.#standstill = new Standstill(setup.n);
    this.#health = new Health(setup);
    this.#isLeaving = new Uint8Array(setup.n);
    this.#life = new Int32Array(setup.n);
    this.#watch = watch;
    this.#writer = watch.trace
      ? new TraceWriter(watch.trace, withStamps(describeShared(setup), watch.stamps))
      : null;
    this.#stamp = watch.stamps ? stamping(watch.stamps) : null;
    scheduleFaults(setup, this.#wheel, codes);
    this.#application.begin();
  }

  get now(): number {
    return this.#wheel.now;
  }

  /** Where each process is, with its local variables, by position. */
  get states(): readonly unknown[] {
    return this.world.processes;
  }

  /** Accesses so far. */
  get messages(): number {
    return this.#counts.read + this.#counts.write;
  }

  /** Handles up to `events` events. False when the run is over. */
  advance(events: number): boolean {
    if (this.#over) return false;
    try {
      for (let i = 0; i < events; i += 1) {
        const slot = this.#wheel.take();
        if (slot < 0) return this.#finish(true);
        this.#dispatch(slot);
        if (this.#violations.length > 0) return this.#finish(false);
        if (this.#isStandstill()) return this.#finish(true);
        if (this.#events >= this.setup.limit) {
          const why = `it goes on after ${this.#events} events`;
          this.#violations.push({ property: 'the run ends', why });
          return this.#finish(false);
        }
      }
    } catch (error) {
      this.#violations.push(blame(error, true, this.#turn));
      return this.#finish(false);
    }
    return true;
  }

  #dispatch(slot: number): void {
    const wheel = this.#wheel;
    const process = wheel.process[slot]!;
    const event: Event = {
      code: wheel.code[slot]!,
      detail: wheel.detail[slot]!,
      content: wheel.content[slot],
      serial: 0,
    };
    this.#handle(process, event);
  }

  /** Intervenes before the next event; says why that is not possible, or null. From then on no bound binds. */
  act(action: Action): string | null {
    if (this.#over) return 'the run is over';
    if (!('process' in action)) return 'its processes share memory: there are no messages and no links';
    if (action.do === 'ask' && this.#isLeaving[action.process] === 1 && this.#isAtLine(action.process))
      return 'it is leaving';
    this.#isTouched = true;
    this.#application.touched();
    let refusal: string | null = null;
    try {
      refusal = interveneAt(this.#reach(), action);
    } catch (error) {
      this.#violations.push(blame(error, true, this.#turn));
    }
    if (this.#violations.length > 0) this.#finish(false);
    return refusal;
  }

  #reach(): ProcessReach {
    return {
      setup: this.setup,
      wheel: this.#wheel,
      codes,
      health: this.#health,
      application: this.#application,
      handle: (process, event) => this.#handle(process, event),
    };
  }

  #handle(process: Pid, event: Event): void {
    this.#turn = process;
    if (event.code === codes.step) this.#steps -= 1;
    else this.#changed();
    if (event.code === codes.nothing) return;
    if (event.code >= codes.fault) this.#fault(process, event);
    else if (this.#health.isPaused(process)) this.#waiting.add(process, event);
    else if (this.#health.isCrashed(process)) this.#dropAtCrashed(process, event);
    else this.#perform(process, event);
  }

  #dropAtCrashed(process: Pid, { code }: Event): void {
    if (code !== codes.step) this.#application.missed(process, code);
  }

  #perform(process: Pid, { code, detail }: Event): void {
    if (code === codes.step) {
      if (detail === this.#life[process]) this.#step(process);
    } else if (this.#application.isCurrent(process, detail))
      this.#call(process, code === codes.firstCall ? 'request' : 'release');
  }

  #call(process: Pid, name: 'request' | 'release'): void {
    this.#application.calls(process, name);
    this.#isLeaving[process] = name === 'release' ? 1 : 0;
    this.#machine.call(this.world, process, name);
    this.#happened(process, { kind: 'call', name });
    this.#goOn(process);
  }

  #step(process: Pid): void {
    const line = this.world.processes[process]!.at;
    try {
      const done = this.#machine.step(this.world, process);
      this.#counts[done.kind] += 1;
      this.#outputs.push(done);
      if (done.kind === 'write') this.#changed();
    } catch (error) {
      this.#outputs.push(failure(error));
      this.#happened(process, { kind: 'step', line });
      throw new HandlerFailure('', { cause: error });
    }
    const { at, s } = this.world.processes[process]!;
    if (at === 'critical section') this.#enter(process);
    this.#happened(process, { kind: 'step', line });
    const flaw = spoilt(process, s);
    if (flaw !== null) return void this.#violations.push(flaw);
    if (at === 'noncritical section') this.#hasLeft(process);
    if (isSection(at)) this.#changed();
    else this.#standstill.has(process, `${at} ${JSON.stringify(s)}`);
    this.#goOn(process);
  }

  #enter(process: Pid): void {
    this.#outputs.push({ kind: 'emit', event: { type: 'entered' } });
    const violation = this.#application.told(process, { type: 'entered' });
    if (violation !== null) this.#violations.push(violation);
  }

  #hasLeft(process: Pid): void {
    if (this.#isLeaving[process] === 1) this.#application.called(process, 'release');
    else this.#violations.push(turnedBack(process));
  }

  #isAtLine(process: Pid): boolean {
    return !isSection(this.world.processes[process]!.at);
  }

  /** Its next step, if it is at a line. */
  #goOn(process: Pid): void {
    if (!this.#isAtLine(process)) return;
    const duration = this.setup.latency.sample(this.#random, process, process);
    this.#wheel.add(this.now + duration, process, codes.step, this.#life[process]!, null);
    this.#steps += 1;
  }

  #fault(process: Pid, { code, content }: Event): void {
    const kind = this.#health.strike(process, content as Fault, code === codes.fault, this.now);
    if (kind === 'crash') {
      this.#life[process]! += 1;
      this.#application.crashed(process);
      for (const event of this.#waiting.drop(process)) this.#dropAtCrashed(process, event);
      for (const reset of this.#machine.crash(this.world, process))
        this.#outputs.push({ kind: 'reset', ...reset });
    }
    if (kind === 'restart') this.#application.restarted(process);
    if (kind !== null) this.#happened(process, { kind });
    if (kind === 'resume') {
      const may = () => this.#violations.length === 0;
      this.#waiting.release(process, may, (event) => this.#perform(process, event));
    }
  }

  #happened(process: Pid, input: Input): void {
    this.#events += 1;
    this.#time = this.now;
    const happened: TraceEvent = { time: this.now, process, input, outputs: this.#outputs };
    const event = this.#stamp === null ? happened : this.#stamp(happened);
    this.#writer?.event(event);
    this.#watch.record?.(event);
    this.#outputs = [];
    this.#watch.observe?.(process, this.world.processes[process]);
    if (this.#watch.invariants) this.#checkInvariants();
  }

  #checkInvariants(): void {
    for (const [property, holds] of Object.entries(this.setup.algorithm.invariants ?? {})) {
      if (!holds(this.world as Parameters<typeof holds>[0]))
        this.#violations.push({ property, why: `it fails at time ${this.now}` });
    }
  }

  #changed(): void {
    this.#standstill.changed();
    this.#isOnlySteps = null;
  }

  /** Everybody goes round, and nobody will come. */
  #isStandstill(): boolean {
    if (this.#steps === 0 || !this.#standstill.isComplete(this.#steps)) return false;
    this.#isOnlySteps ??= Array.from(this.#wheel.pending()).length === this.#steps;
    return this.#isOnlySteps;
  }

  #finish(atRest: boolean): false {
    this.#over = true;
    if (atRest) {
      this.#violations.push(...this.#application.atRest('write'));
      if (this.#violations.length === 0 && this.#steps > 0) this.#violations.push(neverBack);
    }
    if (this.#violations.length === 0 && !this.#isTouched && keepsSharedAssumptions(this.setup)) {
      const why = brokenBound(this.#limits(), this.#counts, 'accesses');
      if (why !== null) this.#violations.push({ property: 'the access bound', why });
    }
    this.#writer?.end(verdictOf(this.#violations));
    return false;
  }

  #limits(): Limits[] {
    return limitsOf(this.setup.algorithm, sharedCircumstances(this.setup), this.#application.times);
  }

  result(): Run {
    const moment = { violations: this.#violations, time: this.#time, events: this.#events };
    return summarise(this.setup, this.#limits(), this.#application, { ...this.#counts }, moment);
  }
}
