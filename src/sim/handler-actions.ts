import type { Address, Message, Pid } from '../core/algorithm.ts';
import { Random } from '../core/random.ts';
import { isSection } from '../core/shared-algorithm.ts';
import type { Machine, RegisterAccess, Sink } from '../machine/index.ts';
import type { Violation } from '../problems/monitor.ts';
import type { LivelockDetector } from './events/livelock-detector.ts';
import type { SimulationParts } from './intervene.ts';
import type { RunMeasures } from './measures/run-measures.ts';
import type { MessageSender } from './network/network-model.ts';
import type { TraceRecorder } from './trace-recorder.ts';

/** The parts of a simulation that actions use. */
interface ActionParts extends SimulationParts {
  readonly machine: Machine;
  readonly sender: MessageSender;
  readonly sendsDirectly: boolean; // every message arrives exactly once, and nothing watches it
  readonly recorder: TraceRecorder | null;
  readonly measures: RunMeasures | null;
  readonly livelock: LivelockDetector | null; // on shared memory only
  readonly violations: Violation[];
}

/** Carries out what handlers do in a simulation: it schedules, counts, records, and informs the application. */
export class HandlerActions implements Sink {
  readonly counts: number[]; // messages or register accesses, by kind
  continues = false; // the process is at a line, and has scheduled its next step
  readonly #parts: ActionParts;
  readonly #machine: Machine;
  readonly #application: ActionParts['application'];
  readonly #network: ActionParts['network'];
  readonly #wheel: ActionParts['wheel'];
  readonly #request: number; // the code of request messages
  readonly #notice: number; // the code of reports of a crash
  readonly #sendsDirectly: boolean;
  readonly #recorder: TraceRecorder | null;
  readonly #measures: RunMeasures | null;
  readonly #coins: Random;

  constructor(parts: ActionParts) {
    this.#parts = parts;
    this.#machine = parts.machine;
    this.counts = parts.machine.counted.map(() => 0);
    this.#application = parts.application;
    this.#network = parts.network;
    this.#wheel = parts.wheel;
    this.#request = parts.codes.request;
    this.#notice = parts.codes.notice;
    this.#sendsDirectly = parts.sendsDirectly;
    this.#recorder = parts.recorder;
    this.#measures = parts.measures;
    this.#coins = new Random(parts.setup.seed, 'coins');
  }

  /** The number of messages or accesses of each kind. */
  get byKind(): Record<string, number> {
    const counted = this.#machine.counted.map((kind, k): [string, number] => [kind, this.counts[k]!]);
    return Object.fromEntries(counted.filter((_, k) => k !== this.#notice));
  }

  send(to: Pid, arrivesAs: Address, message: Message, kind: number, link: number): void {
    const from = this.#machine.turn;
    if (kind === this.#notice) {
      this.#notify(from, to, arrivesAs, message, link);
      return;
    }
    this.counts[kind]! += 1;
    if (kind === this.#request) this.#application.requestSent(message, from);
    const time = this.#network.arrival(this.#wheel.now, from, link, to, message);
    const chain = this.#measures === null ? 0 : this.#measures.sent(from, kind, message);
    if (this.#sendsDirectly) {
      const slot = this.#wheel.add(time, to, kind, arrivesAs, message);
      if (this.#measures !== null) this.#wheel.chain[slot] = chain;
    } else this.#parts.sender.send(time, { from, link, to, kind, arrivesAs, message, chain });
  }

  /** Reports a crash. The report is not a message that is counted: no algorithm sends it. */
  #notify(from: Pid, to: Pid, arrivesAs: Address, message: Message, link: number): void {
    const time = this.#network.noticeArrival(this.#wheel.now, from, link, to);
    this.#parts.sender.send(time, { from, link, to, kind: this.#notice, arrivesAs, message, chain: 0 });
  }

  emit(event: Message): void {
    this.#recorder?.emit(event);
    const violation = this.#application.emitted(this.#machine.turn, event);
    if (violation !== null) this.#parts.violations.push(violation);
  }

  after(ticks: number, message: Message, timer: number): void {
    this.#recorder?.after(ticks, message);
    this.#parts.timers.arm(this.#machine.turn, ticks, timer, { kind: 'timer', message });
  }

  cancel(type: string, timer: number): void {
    this.#recorder?.cancel(type);
    this.#parts.timers.cancel(this.#machine.turn, timer);
  }

  choose(options: number): number {
    const value = this.#coins.below(options);
    this.#recorder?.coin(value, options);
    return value;
  }

  clock(): number {
    const time = this.#application.clock(this.#machine.turn);
    this.#recorder?.clock(time);
    return time;
  }

  access(accessed: RegisterAccess): void {
    this.#recorder?.access(accessed);
    if (accessed.kind !== 'reset') this.counts[accessed.kind === 'read' ? 0 : 1]! += 1;
    if (accessed.kind === 'write') this.#parts.livelock!.changed();
  }

  continueAt(line: string): void {
    const process = this.#machine.turn;
    this.continues = !isSection(line);
    this.#parts.timers.arm(process, this.#network.duration(process), 0, { kind: 'step', line });
    this.#parts.livelock!.steps += 1;
  }
}
