import type { Message, Pid } from '../core/algorithm.ts';
import type { TraceEvent, TraceInput, TraceOutput } from '../core/trace.ts';
import type { DemoProcess, Takeover } from './lab-protocol.ts';

/** The id of a member; a process that leaves the group returns with another id. */
type Id = string;

/** A report of a process about itself. `at` is by the clock that all processes of this machine share. */
export type ProcessReport = { readonly at: number } & (
  | { readonly kind: 'named'; readonly id: Id }
  | { readonly kind: 'view'; readonly epoch: number; readonly members: readonly Id[] }
  | { readonly kind: 'out' }
  | HandledReport
);

/** An input of a process, and what it did in response. */
export interface HandledReport {
  readonly kind: 'handled';
  readonly input:
    | { readonly kind: 'call'; readonly name: string }
    | { readonly kind: 'recv'; readonly from: Id; readonly message: Message }
    | { readonly kind: 'timer'; readonly message: Message };
  readonly sends: readonly { readonly to: Id; readonly message: Message }[];
  readonly entered: boolean;
}

type LifecycleEvent = 'born' | 'died' | 'stopped' | 'continued';

const stateAfter = { born: 'alive', died: 'dead', stopped: 'stopped', continued: 'alive' } as const;

type MutableDemoProcess = { -readonly [K in keyof DemoProcess]: DemoProcess[K] } & { id: Id | null };

interface PendingMessage {
  readonly serial: number;
  readonly type: string; // of the message
}

const windowMs = 5000;

/**
 * Builds the trace of a run of real processes from their reports. Reports arrive late and out of order, so each waits until `settle`
 * applies them in the order of their times. Sender, receiver and order identify a message.
 */
export class LiveTraceBuilder {
  epoch = 0;
  takeover: Takeover | null = null;
  readonly #processes: MutableDemoProcess[] = [];
  readonly #positionOf = new Map<Id, Pid>();
  readonly #pending = new Map<string, PendingMessage[]>(); // `from>to`
  #events: TraceEvent[] = [];
  #time = 0; // of the last event
  #unordered: { readonly at: number; readonly happen: () => void }[] = [];
  #serial = 0;
  #handovers: number[] = []; // times of recent ones
  #lastEntered: Pid | null = null;
  #interruptedHolder: { readonly at: number; readonly by: Pid; readonly why: Takeover['why'] } | null = null;

  get seats(): readonly DemoProcess[] {
    return this.#processes.map(({ id, ...process }) => process);
  }

  addReport(position: Pid, report: ProcessReport): void {
    this.#unordered.push({ at: report.at, happen: () => this.#applyReport(position, report) });
  }

  /** The process at this position starts, dies, stops or continues. */
  addLifecycleEvent(position: Pid, event: LifecycleEvent, at: number, pid = 0): void {
    this.#unordered.push({ at, happen: () => this.#applyLifecycleEvent(position, event, at, pid) });
  }

  /** Applies all reports up to this time. No earlier report may follow. */
  settle(until: number): void {
    const due = this.#unordered.filter(({ at }) => at <= until).sort((a, b) => a.at - b.at);
    this.#unordered = this.#unordered.filter(({ at }) => at > until);
    for (const { happen } of due) happen();
  }

  /** The events settled since the last call. */
  takeEvents(): readonly TraceEvent[] {
    const events = this.#events;
    this.#events = [];
    return events;
  }

  /** Recent handovers per second. */
  perSecond(now: number): number {
    this.#handovers = this.#handovers.filter((at) => at > now - windowMs);
    return (this.#handovers.length * 1000) / Math.max(1000, Math.min(now, windowMs));
  }

  #applyLifecycleEvent(position: Pid, event: LifecycleEvent, at: number, pid: number): void {
    const process = this.#processes[position];
    if (event === 'born') {
      this.#processes[position] = { pid, state: 'alive', phase: 'idle', isMember: false, id: null };
      if (process) this.#add(at, position, { kind: 'restart' });
      return;
    }
    if (!process || process.state === 'dead' || process.state === stateAfter[event]) return;
    if (event === 'continued') {
      if (this.#interruptedHolder?.by === position && process.phase === 'inside')
        this.#interruptedHolder = null; // it still holds the lock
      process.state = 'alive';
      this.#add(at, position, { kind: 'resume' });
      return;
    }
    if (process.phase === 'inside')
      this.#interruptedHolder = { at, by: position, why: event === 'died' ? 'killed' : 'stopped' };
    process.state = stateAfter[event];
    this.#add(at, position, { kind: event === 'died' ? 'crash' : 'pause' });
    if (event === 'died') this.#leave(position, at);
  }

  /** The process leaves the group: messages in flight to its id are lost. */
  #leave(position: Pid, at: number): void {
    const process = this.#processes[position]!;
    const { id } = process;
    process.phase = 'idle';
    process.isMember = false;
    process.id = null;
    if (id === null) return;
    for (const [channel, pending] of this.#pending) {
      if (!channel.endsWith(`>${id}`)) continue;
      this.#pending.delete(channel);
      for (const { serial } of pending) this.#add(at, position, { kind: 'lose', serial });
    }
  }

  #applyReport(position: Pid, report: ProcessReport): void {
    const process = this.#processes[position];
    if (!process || process.state === 'dead') return;
    switch (report.kind) {
      case 'named':
        process.id = report.id;
        this.#positionOf.set(report.id, position);
        return;
      case 'view':
        this.#viewed(report.epoch, report.members, report.at);
        return;
      case 'out':
        if (process.id !== null) this.#leaveGroup(position, report.at);
        return;
      default:
        this.#handled(position, report, report.at);
    }
  }

  /** A stopped process is the last to learn that it left the view, so the others' view counts. */
  #viewed(epoch: number, members: readonly Id[], at: number): void {
    if (epoch <= this.epoch) return;
    this.epoch = epoch;
    this.#processes.forEach(({ id, isMember }, position) => {
      const isIn = id !== null && members.includes(id);
      if (isMember && !isIn && id !== null) this.#leaveGroup(position, at);
      this.#processes[position]!.isMember = isIn;
    });
  }

  #leaveGroup(position: Pid, at: number): void {
    this.#add(at, position, { kind: 'restart' });
    this.#leave(position, at);
  }

  #handled(position: Pid, { input, sends, entered }: HandledReport, at: number): void {
    const process = this.#processes[position]!;
    const outputs: TraceOutput[] = [];
    const lost: { readonly to: Pid; readonly serial: number }[] = [];
    const traced = this.#inputOf(input, process.id, position, at);
    for (const { to, message } of sends) {
      const receiver = this.#positionOf.get(to);
      if (receiver === undefined) continue; // not in the demonstration
      const serial = this.#serial++;
      outputs.push({ kind: 'send', serial, to: receiver, link: null, message });
      if (this.#processes[receiver]!.id !== to) lost.push({ to: receiver, serial });
      else this.#channel(`${process.id}>${to}`).push({ serial, type: message.type });
    }
    if (entered) outputs.push({ kind: 'emit', event: { type: 'entered' } });
    this.#add(at, position, traced, outputs);
    for (const { to, serial } of lost) this.#add(at, to, { kind: 'lose', serial });
    if (input.kind === 'call') process.phase = input.name === 'release' ? 'idle' : 'waiting';
    if (entered) this.#entered(position, at);
  }

  /** The input as a trace has it. Earlier messages on the same channel that have not arrived are lost. */
  #inputOf(input: HandledReport['input'], id: Id | null, position: Pid, at: number): TraceInput {
    if (input.kind !== 'recv') return input;
    const { from, message } = input;
    const channel = this.#channel(`${from}>${id}`);
    const found = channel.findIndex(({ type }) => type === message.type);
    for (const { serial } of channel.splice(0, Math.max(0, found)))
      this.#add(at, position, { kind: 'lose', serial });
    const serial = found < 0 ? this.#serial++ : channel.shift()!.serial; // -1: the sender died before it could report
    return { kind: 'recv', serial, message, from: this.#positionOf.get(from) ?? position };
  }

  #channel(key: string): PendingMessage[] {
    const known = this.#pending.get(key);
    if (known) return known;
    const fresh: PendingMessage[] = [];
    this.#pending.set(key, fresh);
    return fresh;
  }

  #entered(position: Pid, at: number): void {
    this.#processes[position]!.phase = 'inside';
    if (this.#lastEntered !== position) this.#handovers.push(at);
    this.#lastEntered = position;
    if (this.#interruptedHolder === null || this.#interruptedHolder.by === position) return;
    const { at: since, by: from, why } = this.#interruptedHolder;
    this.takeover = { ms: at - since, why, from, to: position };
    this.#interruptedHolder = null;
  }

  #add(at: number, process: Pid, input: TraceInput, outputs: readonly TraceOutput[] = []): void {
    this.#time = Math.max(at, this.#time);
    this.#events.push({ time: this.#time, process, input, outputs });
  }
}
