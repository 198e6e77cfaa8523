import type { Message, Pid, World } from '../core/algorithm.ts';
import { refuseUnknownOptions } from '../core/did-you-mean.ts';
import type { TraceInput } from '../core/trace.ts';
import {
  checkState,
  countedIn,
  type EitherAlgorithm,
  type Input,
  type Machine,
  machineOf,
} from '../machine/index.ts';
import type { Violation } from '../problems/monitor.ts';
import { releaseNeverEnds, returnedWithoutEntering } from '../problems/mutex-monitor.ts';
import { DeferredEvents, type ScheduledEvent } from './events/deferred-events.ts';
import { EventCodes, scheduleInitialEvents } from './events/event-codes.ts';
import { LivelockDetector } from './events/livelock-detector.ts';
import { type TimedInput, Timers } from './events/process-timers.ts';
import { TimingWheel } from './events/timing-wheel.ts';
import { globalStateViolations } from './global-state-checks.ts';
import { HandlerActions } from './handler-actions.ts';
import { type Intervention, intervene, type SimulationParts } from './intervene.ts';
import { measureBoundsOf } from './measures/judged-bounds.ts';
import type { Measures } from './measures/measures.ts';
import { measuredRunOf, RunMeasures } from './measures/run-measures.ts';
import { CausalChannels, type StampedMessage } from './network/causal-channels.ts';
import { inFlightIn } from './network/in-flight.ts';
import { type LinkChange, linkNotice, MessageSender, NetworkModel } from './network/network-model.ts';
import { Application } from './processes/application.ts';
import { LocalStates } from './processes/local-states.ts';
import { ProcessStatus } from './processes/process-status.ts';
import { failureOf, HandlerFailure, limitExceeded } from './run-failures.ts';
import { boundViolations, enforcedBypassLimits, type Run, resultOf, verdictText } from './run-result.ts';
import type { Fault } from './scenario/faults.ts';
import { keepsAssumptions } from './scenario/kept-assumptions.ts';
import type { Scenario } from './scenario/scenario.ts';
import { prepare, type Setup } from './scenario/setup.ts';
import { type TraceRecorder, traceRecorderOf } from './trace-recorder.ts';
import { type WatchOptions, watchOptions } from './watch-options.ts';

/**
 * A run in progress, for hosts that advance it in slices, look at it, or intervene. {@link simulate} runs one to its end.
 * @example
 * import { raymond } from 'batonjs/algorithms';
 * import { Simulation } from 'batonjs-lab/sim';
 *
 * const events: string[] = [];
 * const simulation = new Simulation(raymond, { n: 3, seed: 1 }, { trace: (line) => events.push(line) });
 * while (simulation.messages === 0) simulation.advance(1);
 * simulation.intervene({ do: 'drop', message: 0 }); // → null
 * while (simulation.advance(1000)) console.log(simulation.now, simulation.states);
 * simulation.result().ok; // → false
 */
export class Simulation {
  /** The scenario, with all defaults filled in. */
  readonly setup: Setup;
  /** The machine that takes the steps. */
  readonly machine: Machine;
  readonly #states: LocalStates;
  #events = 0;
  readonly #time = new Float64Array(1); // of the last event; a plain field would allocate at every store
  #over = false;
  readonly #violations: Violation[] = [];
  readonly #codes: EventCodes;
  readonly #wheel: TimingWheel;
  readonly #timers: Timers;
  readonly #application: Application;
  readonly #network: NetworkModel;
  readonly #status: ProcessStatus;
  readonly #deferred = new DeferredEvents();
  readonly #causal: CausalChannels | null;
  readonly #livelock: LivelockDetector | null; // on shared memory only
  readonly #watch: WatchOptions;
  readonly #checksGlobalState: boolean; // after every event
  readonly #endsWithWork: boolean; // the algorithm never stops sending by itself
  #hasIntervention = false;
  readonly #needsSlowPath: boolean; // events need more than a call of their handler
  readonly #recorder: TraceRecorder | null;
  readonly #measures: RunMeasures | null;
  readonly #parts: SimulationParts;
  readonly #actions: HandlerActions;

  /** @throws {InputError} if the algorithm is incomplete, or the scenario cannot be run. */
  constructor(algorithm: EitherAlgorithm, scenario: Scenario, watch: WatchOptions = {}) {
    refuseUnknownOptions('simulate', watch, watchOptions);
    const setup = prepare(algorithm, scenario);
    this.setup = setup;
    this.#watch = watch;
    this.machine = machineOf(setup.algorithm, setup);
    const codes = new EventCodes(setup.algorithm, this.machine);
    this.#codes = codes;
    this.#recorder = traceRecorderOf(watch, setup, (event) => this.#application.observe(event));
    const { measures = true, ...watchers } = watch;
    this.#measures = measures ? new RunMeasures(measuredRunOf(setup, this.machine.kinds)) : null;
    this.#wheel = new TimingWheel({ withSerials: this.#recorder !== null, withChains: measures });
    this.#timers = new Timers(setup, this.machine.timers, this.#wheel, codes.firstTimer);
    this.#application = new Application(
      setup,
      this.#wheel,
      codes.firstCall,
      enforcedBypassLimits(setup),
      this.#measures,
    );
    this.#network = new NetworkModel(setup);
    this.#status = new ProcessStatus(setup);
    this.#causal = setup.channels === 'causal' ? new CausalChannels(setup.n) : null;
    this.#livelock = codes.step >= 0 ? new LivelockDetector(setup.n) : null;
    this.#checksGlobalState = watch.invariants === true || this.#application.needsGlobalState;
    this.#endsWithWork = setup.algorithm.perpetual === true;
    const isWatched = this.#recorder !== null || Object.values(watchers).some((on) => on);
    this.#needsSlowPath = isWatched || setup.faults.length > 0 || this.#causal !== null;
    this.#parts = this.#createParts();
    const [freezes, recorder] = [watch.freeze === true, this.#recorder];
    this.#actions = new HandlerActions({
      ...this.#parts,
      machine: this.machine,
      sender: new MessageSender({ ...this.#parts, freezes, recorder }),
      sendsDirectly: !this.#needsSlowPath && this.#network.reliable,
      recorder,
      measures: this.#measures,
      livelock: this.#livelock,
      violations: this.#violations,
    });
    this.machine.sink = this.#actions;
    const use = { isWatched: this.#needsSlowPath, isRecorded: recorder !== null };
    this.#states = new LocalStates(setup.n, use, (i) => this.machine.init(i));
    this.machine.checksPlainData = this.#states.checksLeft > 0;
    scheduleInitialEvents(setup, this.#wheel, codes);
    this.#application.begin();
  }

  /** The local states, by position. */
  get states(): readonly object[] {
    return this.#states.all();
  }

  /** The current time, in ticks. */
  get now(): number {
    return this.#wheel.now;
  }

  /** The number of messages sent, or of register accesses, so far. */
  get messages(): number {
    return this.#actions.counts.reduce((a, b) => a + b, 0);
  }

  /** The number of events handled so far. */
  get events(): number {
    return this.#events;
  }

  /** The number of entries, decisions or adjustments so far. @internal */
  get outcomes(): number {
    return this.#application.outcomes;
  }

  /** Whether the run should have ended by itself, or a call has not. @internal */
  get isExpectedToEnd(): boolean {
    return !this.#endsWithWork || !(this.#application.isDone || this.#application.hasDeadline);
  }

  /** Ends a run that would go on without end. @internal */
  giveUp(why: string): void {
    if (this.#over) return;
    this.#violations.push({ property: 'the run ends', why });
    this.#finish(false);
  }

  /** Handles up to `events` more events. Returns false when the run is over. */
  advance(events: number): boolean {
    if (this.#over) return false;
    if (this.#events > 0 && this.#endsWithWork && this.#application.isDone) return this.#finish(true);
    const wheel = this.#wheel;
    const states = this.#states;
    const machine = this.machine;
    const violations = this.#violations;
    const livelock = this.#livelock;
    const measures = this.#measures;
    const { limit } = this.setup;
    const { request, firstTimer } = this.#codes;
    const plainCodes = this.#needsSlowPath ? 0 : firstTimer; // codes of messages that need only their handler
    try {
      for (let i = 0; i < events; i += 1) {
        const slot = wheel.take();
        if (slot < 0) return this.#finish(true);
        const process = wheel.process[slot]!;
        const code = wheel.code[slot]!;
        if (code < plainCodes && states.checksLeft === 0) {
          const from = wheel.detail[slot]!;
          const message = wheel.content[slot] as Message;
          if (measures !== null) measures.received(process, wheel.chain[slot]!, code);
          this.#events += 1;
          this.#time[0] = wheel.now;
          if (code === request) this.#application.requestReceived(message, machine.senderOf(process, from));
          machine.receive(process, states.at(process), code, message, from);
        } else this.#dispatch(slot, process, code);
        if (violations.length > 0) return this.#finish(false);
        if (livelock?.isLivelock(wheel)) return this.#finish(true);
        if (this.#events >= limit) return this.#exceedLimit();
        // Not after the last event: an intervention may add a call before the next slice.
        if (i < events - 1 && this.#endsWithWork && this.#application.isDone) return this.#finish(true);
      }
    } catch (error) {
      this.#recordFailure(error, this.#needsSlowPath);
      return this.#finish(false);
    }
    return true;
  }

  /**
   * Intervenes before the next event. Returns null, or why that is impossible. From then on no bound is checked. Messages have numbers only
   * if the run is watched by `trace` or `record`.
   */
  intervene(action: Intervention): string | null {
    if (this.#over) return 'the run is over';
    this.#hasIntervention = true;
    this.#application.intervened();
    let refusal: string | null = null;
    try {
      refusal = intervene(this.#parts, action);
    } catch (error) {
      this.#recordFailure(error, true);
    }
    if (this.#violations.length > 0) this.#finish(false);
    return refusal;
  }

  #recordFailure(error: unknown, isWatched: boolean): void {
    this.#violations.push(failureOf(error, isWatched, this.machine.turn));
  }

  #exceedLimit(): false {
    this.#violations.push(limitExceeded(this.#events, this.#application.isSettled));
    return this.#finish(false);
  }

  #dispatch(slot: number, process: Pid, code: number): void {
    const wheel = this.#wheel;
    const serial = this.#recorder ? wheel.serial[slot]! : 0;
    const [detail, content, chain] = [wheel.detail[slot]!, wheel.content[slot], wheel.chain[slot] ?? 0];
    const event: ScheduledEvent = { code, detail, content, serial, chain };
    this.#livelock?.eventTaken(code === this.#codes.step);
    if (this.#codes.isTimer(code) && !this.#timers.take(slot, process, event)) return; // void: it was re-armed or cancelled
    this.#handle(process, event);
  }

  #handle(process: Pid, event: ScheduledEvent): void {
    const { code, serial, content } = event;
    if (code === this.#codes.removed) return;
    if (code === this.#codes.lose) {
      if (content !== null) this.#causal?.lost(content as StampedMessage, process);
      this.#step(process, null, { kind: 'lose', serial });
      if (!this.#status.isPaused(process)) this.#performWaiting(process); // deferred events may have waited for this message
    } else if (code === this.#codes.linkChange) this.#changeLink(process, event);
    else if (this.#codes.isFault(code)) this.#fault(process, event);
    else if (this.#status.isPaused(process)) {
      if (this.#codes.isTimer(code)) this.#timers.hold(process, code);
      this.#deferred.add(process, event);
    } else if (this.#status.isCrashed(process)) this.#dropAtCrashed(process, event);
    else this.#perform(process, event);
  }

  #perform(process: Pid, event: ScheduledEvent): void {
    const { code } = event;
    if (code === this.#codes.linkChange) this.#notifyLinkChange(process, event.content as LinkChange);
    else if (code === this.#codes.begin) this.#step(process, { kind: 'begin' });
    else if (code >= this.#codes.firstCall) {
      if (this.#application.isCurrent(process, event.detail))
        this.#call(process, this.#application.callOfCode(code));
    } else if (code >= this.#codes.firstTimer) this.#performTimed(process, event.content as TimedInput);
    else if (this.#causal !== null) this.#deliverCausally(process, event);
    else this.#deliver(process, event, event.content as Message);
  }

  /** A call ends at once unless the process has scheduled a next step. */
  #call(process: Pid, name: string): void {
    if (name === 'settle') return void this.#violations.push(...this.#application.settled(process));
    this.#application.callBegins(process, name);
    this.#step(process, { kind: 'call', name });
    if (!this.#actions.continues) this.#application.callEnds(process, name);
  }

  /** A timer fires, or a process on shared memory takes its next step. */
  #performTimed(process: Pid, input: TimedInput): void {
    this.#step(process, input);
    if (input.kind === 'step' && this.#violations.length === 0) this.#lineDone(process, input.line);
  }

  #lineDone(process: Pid, line: string): void {
    if (this.#actions.continues || line === 'noncritical section') {
      this.#livelock!.visit(process, this.#states.at(process));
      return;
    }
    this.#livelock!.changed();
    const phase = this.#application.phase(process);
    if (phase === 'idle') this.#application.callEnds(process, 'release');
    else if (phase === 'waiting') this.#violations.push(returnedWithoutEntering(process));
  }

  #deliver(process: Pid, { code, detail, serial, chain }: ScheduledEvent, message: Message): void {
    const isNotice = code === this.#codes.notice;
    if (!isNotice) this.#measures?.received(process, chain, code);
    this.#recorder?.markRepetition(this.now, process, serial);
    const from = this.machine.senderOf(process, detail);
    if (!isNotice) this.#application.messageReceived(process);
    if (code === this.#codes.request) this.#application.requestReceived(message, from);
    const input: Input = { kind: 'message', message, from: detail };
    this.#step(process, input, { kind: 'recv', serial, message, from });
  }

  #deliverCausally(process: Pid, event: ScheduledEvent): void {
    if (!this.#mayPerform(process, event)) return void this.#deferred.add(process, event);
    const sent = event.content as StampedMessage;
    this.#causal!.delivered(sent, process);
    this.#deliver(process, event, sent.message);
    this.#performWaiting(process);
  }

  #performWaiting(process: Pid): void {
    const may = (event: ScheduledEvent) => this.#violations.length === 0 && this.#mayPerform(process, event);
    this.#deferred.release(process, may, (event) => {
      const isVoid = this.#codes.isTimer(event.code) && !this.#timers.takeHeld(process, event.code);
      if (!isVoid) this.#perform(process, event);
    });
  }

  #mayPerform(process: Pid, { code, content }: ScheduledEvent): boolean {
    if (this.#causal === null || code >= this.#codes.firstTimer) return true;
    return this.#causal.mayDeliver(content as StampedMessage, process);
  }

  #dropAtCrashed(process: Pid, event: ScheduledEvent): void {
    if (event.code >= this.#codes.firstCall && event.code !== this.#codes.begin)
      this.#application.callMissed(process, event.code);
    if (event.code >= this.#codes.firstTimer) return;
    this.#causal?.lost(event.content as StampedMessage, process);
    this.#step(process, null, { kind: 'lose', serial: event.serial });
  }

  #fault(process: Pid, { code, content }: ScheduledEvent): void {
    const fault = content as Fault;
    this.#application.faultBegins(fault);
    const kind = this.#status.apply(process, fault, code === this.#codes.fault, this.now);
    if (kind === 'pause') this.#step(process, null, { kind });
    else if (kind === 'resume') {
      this.#step(process, null, { kind });
      this.#performWaiting(process);
    } else if (kind === 'crash') {
      this.#timers.cancelAll(process);
      this.#application.crashed(process);
      this.#step(process, { kind });
      for (const event of this.#deferred.drop(process)) this.#dropAtCrashed(process, event);
    } else if (kind === 'restart') {
      this.#states.set(process, this.machine.init(process));
      this.#application.restarted(process);
      this.#step(process, { kind: 'recover' }, { kind });
    } else if (kind === 'corrupt') this.#step(process, { kind });
    else if (this.#checksGlobalState) this.#checkGlobalState();
  }

  /** Both ends get this event; the first one also changes the network. */
  #changeLink(process: Pid, event: ScheduledEvent): void {
    const fault = event.content as LinkChange;
    if (process === fault.between[0]) this.#network.changeLink(fault, this.#parts);
    if (this.#status.isPaused(process)) this.#deferred.add(process, event);
    else if (!this.#status.isCrashed(process)) this.#notifyLinkChange(process, fault);
  }

  #notifyLinkChange(process: Pid, change: LinkChange): void {
    const { kind, link, address } = linkNotice(this.setup, process, change);
    this.#step(process, { kind, neighbour: address }, { kind, link });
  }

  /** Takes one step, then records and checks it. With a null input, no handler runs. */
  #step(process: Pid, input: Input | null, traced = input as TraceInput): void {
    this.#events += 1;
    this.#time[0] = this.now;
    this.#actions.continues = false;
    let failed: HandlerFailure | null = null;
    const state = this.#states.at(process);
    if (input !== null) {
      try {
        this.machine.step(process, state, input);
        if (this.#states.shouldCheck()) checkState(state);
      } catch (error) {
        this.#recorder?.fail(error);
        failed = new HandlerFailure('', { cause: error });
      }
    }
    if (this.#states.checksLeft === 0) this.machine.checksPlainData = false;
    this.#recorder?.event(this.now, process, traced);
    if (failed !== null) throw failed;
    if (input !== null) this.#watch.observe?.(process, this.#states.at(process));
    if (this.#checksGlobalState) this.#checkGlobalState();
  }

  #checkGlobalState(): void {
    const found = globalStateViolations(this.setup, this.#watch, this.#application, this.#world, this.now);
    this.#violations.push(...found);
  }

  readonly #world = () => this.machine.world(this.#states.all(), inFlightIn(this.#parts));

  #createParts(): SimulationParts {
    return {
      setup: this.setup,
      wheel: this.#wheel,
      timers: this.#timers,
      deferred: this.#deferred,
      codes: this.#codes,
      network: this.#network,
      status: this.#status,
      application: this.#application,
      causal: this.#causal,
      handle: (process, event) => {
        this.#livelock?.eventTaken(event.code === this.#codes.step);
        this.#handle(process, event);
      },
      senderOf: (to, arrivesAs) => this.machine.senderOf(to, arrivesAs),
      messageIn: (content) => (this.#causal ? (content as StampedMessage).message : (content as Message)),
    };
  }

  #finish(isQuiescent: boolean): false {
    this.#over = true;
    const { algorithm } = this.setup;
    if (isQuiescent) this.#violations.push(...this.#application.whenQuiescent(countedIn(algorithm).helps));
    const mayStep = this.#livelock === null || this.#livelock.steps === 0 || this.#endsWithWork;
    if (isQuiescent && this.#violations.length === 0 && !mayStep) this.#violations.push(releaseNeverEnds);
    if (this.#violations.length > 0 && isQuiescent && keepsAssumptions(this.setup)) this.#timers.checkEnd();
    if (this.#violations.length === 0 && !this.#hasIntervention)
      this.#violations.push(
        ...boundViolations(this.setup, this.#application, this.#actions.byKind, this.#measured),
      );
    this.#recorder?.end(verdictText(this.#violations));
    return false;
  }

  get #measured(): Measures | null {
    return this.#measures?.result(this.#hasIntervention ? [] : measureBoundsOf(this.setup)) ?? null;
  }

  /** Returns the result so far. It is final once {@link Simulation.advance} has returned false. */
  result(): Run {
    const world = this.#world as () => World<unknown, Message>;
    const totals = { violations: this.#violations, time: this.#time[0]!, events: this.#events, world };
    return resultOf(this.setup, this.#application, this.#actions.byKind, totals, this.#measured);
  }
}
