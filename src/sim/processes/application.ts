import { type Message, type Pid, type Problems, tick, type World } from '../../core/algorithm.ts';
import { Random } from '../../core/random.ts';
import type { TraceEvent } from '../../core/trace.ts';
import type { BypassCounts, BypassLimit } from '../../problems/bypass-counter.ts';
import { type ClockErrorReport, ClockMonitor } from '../../problems/clock-monitor.ts';
import { ElectionCount } from '../../problems/election-count.ts';
import { ElectionMonitor, electionSpecOf } from '../../problems/election-monitor.ts';
import { LeaderStability } from '../../problems/leader-stability.ts';
import type { Violation } from '../../problems/monitor.ts';
import { MutexMonitor, type MutexPhase } from '../../problems/mutex-monitor.ts';
import { SnapshotMonitor } from '../../problems/snapshot-monitor.ts';
import { StabilisationMonitor } from '../../problems/stabilisation-monitor.ts';
import type { TimingWheel } from '../events/timing-wheel.ts';
import type { RunMeasures } from '../measures/run-measures.ts';
import type { Fault } from '../scenario/faults.ts';
import { lastDisturbance, longestDelay, type Setup } from '../scenario/setup.ts';
import { SimulatedClocks } from './simulated-clocks.ts';

/** Faults that change the state of a process from outside. */
const disturbances: readonly Fault['type'][] = ['corrupt', 'restart'];

export const anyIncarnation = -1; // a call at a time the user gave: an earlier crash does not void it

const startScheduled = 1; // the first call, at a time the user gave, is still to come
const started = 2; // the process has started its election

const snapshotCall = 2; // offset from the code of the first call

function snapshotOf({ algorithm, snapshots, topology, n }: Setup): SnapshotMonitor | null {
  if (algorithm.snapshots === undefined || snapshots.length === 0) return null;
  let channels = 0;
  for (let i = 0; i < n; i += 1) channels += topology.degree(i);
  return new SnapshotMonitor(n, channels, algorithm.snapshots.marker);
}

/**
 * The application that calls the algorithm: it requests and releases the lock, starts an election, or synchronises its clock. It also
 * checks the properties of the problem.
 */
export class Application {
  readonly #setup: Setup;
  readonly #wheel: TimingWheel;
  readonly #firstCode: number; // of its calls: request, start or synchronise; then release or settle; then snapshot
  readonly #random: Random;
  readonly #callsLeft: Int32Array; // of each process, not yet made
  #openCalls = 0; // not yet made, or not yet ended
  readonly #incarnation: Int32Array; // crashes of each process; a call planned in an earlier incarnation is void
  readonly #startState: Uint8Array; // of each process: 0, `startScheduled` or `started`
  readonly #writtenOff = new Set<Pid>(); // crashed processes that will not restart
  readonly #measures: RunMeasures | null;
  readonly #mutex: MutexMonitor | null;
  readonly #election: ElectionMonitor | null;
  readonly #elections: ElectionCount;
  readonly #stability: LeaderStability | null; // of a perpetual election
  readonly #clocks: SimulatedClocks | null;
  readonly #clockMonitor: ClockMonitor | null;
  readonly #stabilisation: StabilisationMonitor | null; // only in a run with a `corrupt` fault
  readonly #snapshot: SnapshotMonitor | null; // only in a run that takes one
  isSettled: boolean; // no disturbance is to come, and the global state is legitimate

  constructor(
    setup: Setup,
    wheel: TimingWheel,
    firstCode: number,
    bypass: readonly BypassLimit[] = [],
    measures: RunMeasures | null = null,
  ) {
    const { algorithm, n, ids, topology, seed, faults } = setup;
    this.#setup = setup;
    this.#wheel = wheel;
    this.#measures = measures;
    this.#firstCode = firstCode;
    this.#random = new Random(seed, 'workload');
    this.#callsLeft = new Int32Array(n);
    this.#incarnation = new Int32Array(n);
    this.#startState = new Uint8Array(n);
    const { problem } = algorithm;
    const isMember = (process: Pid) => topology.includes(process);
    this.#mutex = problem === 'mutex' ? new MutexMonitor(n, bypass) : null;
    this.#election =
      problem === 'election' ? new ElectionMonitor(electionSpecOf(algorithm, ids, isMember)) : null;
    this.#stability =
      this.#election && algorithm.perpetual
        ? new LeaderStability(longestDelay(setup), lastDisturbance(setup))
        : null;
    this.#elections = new ElectionCount(n, algorithm.electsAgain);
    this.#clocks = setup.clockConfig ? new SimulatedClocks(setup.clockConfig) : null;
    this.#clockMonitor = this.#clocks && this.#createClockMonitor(this.#clocks);
    const isCorrupted = faults.some(({ type }) => type === 'corrupt');
    const count = faults.filter(({ type }) => disturbances.includes(type)).length;
    this.#stabilisation = isCorrupted ? new StabilisationMonitor(count) : null;
    this.isSettled = !isCorrupted;
    this.#snapshot = snapshotOf(setup);
  }

  /** Events of the algorithm for applications so far, without those of a snapshot. */
  outcomes = 0;

  get entries(): number {
    return this.#mutex?.entries ?? 0;
  }

  get bypassed(): BypassCounts | null {
    return this.#mutex && { ...this.#mutex.bypassed };
  }

  get leader(): number | null {
    return this.#election?.leader ?? null;
  }

  get leaders(): (number | null)[] {
    return this.#election?.leaders ?? [];
  }

  /** The time from which all living processes have followed the same living leader of a perpetual election; null if they do not. */
  get stableSince(): number | null {
    return this.#stability?.since ?? null;
  }

  /** Whether the run ends by itself, at the latest after a while without faults. */
  get hasDeadline(): boolean {
    return this.#stability !== null;
  }

  /** How far each clock is off; null unless the problem is clock synchronisation. */
  get clocks(): ClockErrorReport[] | null {
    return this.#clockMonitor?.report ?? null;
  }

  /** What bounds are counted per: entries, elections or synchronisations. */
  get times(): number {
    if (this.#stability !== null) return this.#election!.elections;
    return this.#mutex?.entries ?? this.#clockMonitor?.begun ?? this.#elections.count;
  }

  #createClockMonitor(clocks: SimulatedClocks): ClockMonitor {
    const { n, root, algorithm, drift, faults, maxDelay } = this.#setup;
    const lies = (process: Pid) => faults.some((fault) => fault.type === 'lie' && fault.process === process);
    const [synchronises, longestDelay] = [algorithm.synchronises!, maxDelay(0) * tick];
    return new ClockMonitor(
      { n, root, synchronises, drift: drift!, longestDelay, lies },
      {
        read: (process) => clocks.read(process, this.#wheel.now),
        adjust: (process, adjustment) => {
          const settled = clocks.adjust(process, this.#wheel.now, adjustment);
          this.#plan(settled, process, this.#firstCode + 1);
        },
      },
    );
  }

  /** What a process reads on its clock. A `lie` fault shifts every later reading. */
  clock(process: Pid): number {
    const { now } = this.#wheel;
    const lies = this.#setup.faults.map((fault) =>
      fault.type === 'lie' && fault.process === process && fault.at <= now ? fault.by * tick : 0,
    );
    return lies.reduce((sum, lie) => sum + lie, this.#clocks!.hardware(process, now));
  }

  /** Checks a clock whose correction may be complete now. */
  settled(process: Pid): Violation[] {
    const violation = this.#clockMonitor!.settled(process);
    return violation === null ? [] : [violation];
  }

  begin(): void {
    const { starts, entries, think, clockConfig, snapshots } = this.#setup;
    for (const { process, at } of snapshots)
      this.#wheel.add(at, process, this.#firstCode + snapshotCall, anyIncarnation, null);
    for (let k = 0; k < starts.count; k += 1) {
      const { process, at } = starts.of(k);
      if (this.#clockMonitor?.begins(process) === false) continue;
      this.#callsLeft[process] = this.#mutex ? entries : (clockConfig?.rounds ?? 1);
      this.#openCalls += this.#callsLeft[process]!;
      if (this.#callsLeft[process] === 0) continue;
      if (at === null) this.#plan(think.sample(this.#random, process, process), process, this.#firstCode);
      else {
        this.#startState[process] = startScheduled;
        this.#wheel.add(at, process, this.#firstCode, anyIncarnation, null);
      }
    }
  }

  /** The call that an event with this code makes. */
  callOfCode(code: number): 'request' | 'release' | 'start' | 'synchronise' | 'settle' | 'snapshot' {
    if (code === this.#firstCode + snapshotCall) return 'snapshot';
    if (this.#election) return 'start';
    if (this.#clocks) return code === this.#firstCode ? 'synchronise' : 'settle';
    return code === this.#firstCode ? 'request' : 'release';
  }

  callBegins(process: Pid, call: string): void {
    if (call === 'snapshot') return;
    if (call !== 'release') this.#callsLeft[process]! -= 1;
    this.#startState[process] = call === 'start' ? started : 0;
    if (call === 'start') this.#elections.started(process);
    this.#monitor.called(process, call);
    this.#measureCall(process, call);
  }

  #measureCall(process: Pid, call: string): void {
    const { now } = this.#wheel;
    if (call === 'request') this.#measures?.mutex?.requested(process, now);
    else if (call === 'release') this.#measures?.mutex?.released(process, now);
    else if (call === 'start') this.#measures?.started(now);
  }

  callEnds(process: Pid, call: string): void {
    if (call === 'request' || call === 'snapshot') return;
    this.#openCalls -= 1;
    if (call === 'release' || (call === 'synchronise' && !this.#clockMonitor!.isAdjusted(process)))
      this.#callAgain(process);
  }

  /** Whether all calls have ended, the global state is legitimate again, the snapshot is complete, and a perpetual election has settled, or failed to. */
  get isDone(): boolean {
    const isOver = this.#openCalls === 0 && this.isSettled && this.#snapshot?.isOver !== false;
    return isOver && (this.#stability === null || this.#stability.isOver(this.#wheel.now));
  }

  /** Passes an event to the snapshot monitor. */
  observe(event: TraceEvent): void {
    this.#snapshot?.observe(event);
  }

  /** The first violation by the snapshot so far. */
  snapshotViolation(recorded: () => World<unknown, Message> | null): Violation | null {
    this.#snapshot?.compare(recorded);
    return this.#snapshot?.violation ?? null;
  }

  emitted(process: Pid, event: Message): Violation | null {
    if (event.type === 'recorded' || event.type === 'complete' || event.type === 'suspects') return null;
    this.outcomes += 1;
    if (this.#election) {
      const violation = this.#election.emitted(process, event as Parameters<ElectionMonitor['emitted']>[1]);
      this.#followLeader();
      this.#electionEvent(process, event as Problems['election']['event']);
      return violation;
    }
    if (this.#clockMonitor) {
      this.#callAgain(process);
      return this.#clockMonitor.emitted(process, event as Parameters<ClockMonitor['emitted']>[1]);
    }
    const violation = this.#mutex!.emitted(process);
    if (violation === null) this.#measures?.mutex?.entered(process, this.#wheel.now);
    const stay = this.#setup.hold.sample(this.#random, process, process);
    if (violation === null) this.#plan(this.#wheel.now + stay, process, this.#firstCode + 1);
    return violation;
  }

  #followLeader(): void {
    this.#stability?.follow(this.#election!.livingLeader, this.#wheel.now);
  }

  #electionEvent(process: Pid, event: Problems['election']['event']): void {
    const { now } = this.#wheel;
    if (event.type === 'electing') this.#measures?.tookPart(now, event.round);
    else {
      this.#elections.learned(process);
      const leader = this.#election!.leaderOf(process);
      this.#measures?.learned(process, now, leader, this.#election!.leads(process), event.round);
    }
  }

  messageReceived(process: Pid): void {
    this.#monitor.messageReceived(process);
  }

  /** This process sends a request message. The request belongs to `origin` if the message has one, else to the sender. */
  requestSent(message: Message & { readonly origin?: Pid }, process: Pid): void {
    this.#mutex!.requestSent(message.origin ?? process);
  }

  requestReceived(message: Message & { readonly origin?: Pid }, process: Pid): void {
    this.#mutex!.requestReceived(message.origin ?? process);
  }

  /** Whether a call planned with this detail is not void. */
  isCurrent(process: Pid, detail: number): boolean {
    return detail === this.#incarnation[process] || detail === anyIncarnation;
  }

  /** A user has intervened in this run: bypass bounds no longer apply. */
  intervened(): void {
    this.#stability?.disturbed(this.#wheel.now);
    this.#mutex?.dropBypassLimits();
  }

  phase(process: Pid): MutexPhase {
    return this.#mutex!.phase(process);
  }

  /** Why a process cannot request or start now, or null. */
  whyNotAsk(process: Pid): string | null {
    if (this.#election) {
      const mayStart = this.#setup.algorithm.electsAgain || this.#startState[process] !== started;
      return mayStart ? null : 'it has started already';
    }
    if (this.#clocks) return null;
    const phase = this.#mutex!.phase(process);
    return phase === 'idle' ? null : `it is ${phase}`;
  }

  /** Adds a call that the scenario does not have. */
  addCall(process: Pid): void {
    this.#callsLeft[process]! += 1;
    this.#openCalls += 1;
  }

  crashed(process: Pid): void {
    this.#incarnation[process]! += 1;
    if (this.#mutex && ['waiting', 'inside'].includes(this.#mutex.phase(process))) this.#openCalls -= 1;
    if (!this.#willRestart(process)) {
      this.#openCalls -= this.#callsLeft[process]!;
      this.#writtenOff.add(process);
    }
    this.#monitor.crashed(process);
    this.#followLeader();
    this.#measures?.mutex?.crashed(process);
  }

  /** A call is due at a crashed process. */
  callMissed(process: Pid, code: number): void {
    if (code !== this.#firstCode + snapshotCall) this.#startState[process] = 0;
  }

  #willRestart(process: Pid): boolean {
    const { faults } = this.#setup;
    return faults.some(
      (fault) => fault.type === 'restart' && fault.process === process && fault.at >= this.#wheel.now,
    );
  }

  restarted(process: Pid): void {
    this.#monitor.restarted(process);
    this.#followLeader();
    this.#clocks?.reset(process);
    if (this.#writtenOff.delete(process)) this.#openCalls += this.#callsLeft[process]!;
    if (!this.#election && this.#startState[process] !== startScheduled) this.#callAgain(process);
    if (this.#election && this.#setup.algorithm.recover) {
      this.#elections.started(process);
      this.#election.called(process);
    }
  }

  faultBegins({ type }: Fault): void {
    if (this.#stabilisation === null || !disturbances.includes(type)) return;
    this.#stabilisation.disturbed();
    if (this.#mutex) this.#mutex.isSafetySuspended = true;
  }

  /** Whether a monitor must see the global state after every event. */
  get needsGlobalState(): boolean {
    return this.#stabilisation !== null || this.#snapshot !== null;
  }

  get isDisturbed(): boolean {
    return this.#stabilisation !== null;
  }

  /** Checks closure and exclusion, given whether the global state is legitimate now. */
  observeLegitimacy(legitimate: boolean): Violation | null {
    const violation = this.#stabilisation!.observe(legitimate);
    this.isSettled = this.#stabilisation!.isOver;
    if (this.#mutex) this.#mutex.isSafetySuspended = !legitimate;
    return violation ?? this.#mutex?.exclusionViolation() ?? null;
  }

  /** The violations when no event is left. `help` names what waiters would need, for the message. */
  whenQuiescent(help?: string): Violation[] {
    const ends = this.#mutex ? this.#mutex.whenQuiescent(help) : this.#monitor.whenQuiescent();
    return [
      ...ends,
      ...(this.#stabilisation?.whenQuiescent(help) ?? []),
      ...(this.#snapshot?.whenQuiescent() ?? []),
    ];
  }

  get #monitor(): MutexMonitor | ElectionMonitor | ClockMonitor {
    return (this.#mutex ?? this.#election ?? this.#clockMonitor)!;
  }

  #plan(time: number, process: Pid, code: number): void {
    this.#wheel.add(time, process, code, this.#incarnation[process]!, null);
  }

  #callAgain(process: Pid): void {
    if (this.#callsLeft[process]! <= 0) return;
    const pause = this.#setup.think.sample(this.#random, process, process);
    this.#plan(this.#wheel.now + pause, process, this.#firstCode);
  }
}
