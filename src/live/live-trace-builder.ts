import type { Message, Pid } from '../core/algorithm.ts';
import type { TraceEvent, TraceInput, TraceOutput } from '../core/trace.ts';
import type { DemoProcess, Takeover } from './lab-protocol.ts';

/** How members know each other; a process that was out of the group comes back under another. */
type Id = string;

/** What a process tells of itself; `at` is by the clock that all processes of this machine share. */
export type ProcessReport = { readonly at: number } & (
  | { readonly kind: 'named'; readonly id: Id }
  | { readonly kind: 'view'; readonly epoch: number; readonly members: readonly Id[] }
  | { readonly kind: 'out' }
  | HandledReport
);

/** Something happened to it, and what it did then. */
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

const lately = 5000; // milliseconds

/**
 * The events of a run of real processes, from what each tells of itself. Reports come late and each by a way of its own, so they wait until
 * they are settled in the order of their times; a message is known again by who sent it to whom, in which order.
 */
export class LiveTraceBuilder {
  epoch = 0;
  takeover: Takeover | null = null;
  readonly #seats: MutableDemoProcess[] = [];
  readonly #seatOf = new Map<Id, Pid>();
  readonly #pending = new Map<string, PendingMessage[]>(); // `from>to`
  #events: TraceEvent[] = [];
  #time = 0; // of the last
  #unordered: { readonly at: number; readonly happen: () => void }[] = [];
  #serial = 0;
  #handovers: number[] = []; // when, of late
  #last: Pid | null = null; // who entered
  #interruptedHolder: { readonly at: number; readonly by: Pid; readonly why: Takeover['why'] } | null = null;

  get seats(): readonly DemoProcess[] {
    return this.#seats.map(({ id, ...seat }) => seat);
  }

  addReport(by: Pid, report: ProcessReport): void {
    this.#unordered.push({ at: report.at, happen: () => this.#applyReport(by, report) });
  }

  /** The process in this seat begins, ends, stops or goes on. */
  addLifecycleEvent(who: Pid, fate: LifecycleEvent, at: number, pid = 0): void {
    this.#unordered.push({ at, happen: () => this.#applyLifecycleEvent(who, fate, at, pid) });
  }

  /** Everything up to then has been told. */
  settle(until: number): void {
    const due = this.#unordered.filter(({ at }) => at <= until).sort((a, b) => a.at - b.at);
    this.#unordered = this.#unordered.filter(({ at }) => at > until);
    for (const { happen } of due) happen();
  }

  /** What has been settled since this was last asked. */
  takeEvents(): readonly TraceEvent[] {
    const events = this.#events;
    this.#events = [];
    return events;
  }

  /** Handovers of late. */
  perSecond(now: number): number {
    this.#handovers = this.#handovers.filter((at) => at > now - lately);
    return (this.#handovers.length * 1000) / Math.max(1000, Math.min(now, lately));
  }

  #applyLifecycleEvent(who: Pid, fate: LifecycleEvent, at: number, pid: number): void {
    const seat = this.#seats[who];
    if (fate === 'born') {
      this.#seats[who] = { pid, state: 'alive', phase: 'idle', isMember: false, id: null };
      if (seat) this.#add(at, who, { kind: 'restart' });
      return;
    }
    if (!seat || seat.state === 'dead' || seat.state === stateAfter[fate]) return;
    if (fate === 'continued') {
      if (this.#interruptedHolder?.by === who && seat.phase === 'inside') this.#interruptedHolder = null; // not too late
      seat.state = 'alive';
      this.#add(at, who, { kind: 'resume' });
      return;
    }
    if (seat.phase === 'inside')
      this.#interruptedHolder = { at, by: who, why: fate === 'died' ? 'killed' : 'stopped' };
    seat.state = stateAfter[fate];
    this.#add(at, who, { kind: fate === 'died' ? 'crash' : 'pause' });
    if (fate === 'died') this.#leave(who, at);
  }

  /** Out of the group: nothing reaches it any more under that name. */
  #leave(who: Pid, at: number): void {
    const seat = this.#seats[who]!;
    const { id } = seat;
    seat.phase = 'idle';
    seat.isMember = false;
    seat.id = null;
    if (id === null) return;
    for (const [way, pending] of this.#pending) {
      if (!way.endsWith(`>${id}`)) continue;
      this.#pending.delete(way);
      for (const { serial } of pending) this.#add(at, who, { kind: 'lose', serial });
    }
  }

  #applyReport(by: Pid, report: ProcessReport): void {
    const seat = this.#seats[by];
    if (!seat || seat.state === 'dead') return;
    switch (report.kind) {
      case 'named':
        seat.id = report.id;
        this.#seatOf.set(report.id, by);
        return;
      case 'view':
        this.#viewed(report.epoch, report.members, report.at);
        return;
      case 'out':
        if (seat.id !== null) this.#leaveGroup(by, report.at);
        return;
      default:
        this.#handled(by, report, report.at);
    }
  }

  /** Who hangs learns last that it is out. */
  #viewed(epoch: number, members: readonly Id[], at: number): void {
    if (epoch <= this.epoch) return;
    this.epoch = epoch;
    this.#seats.forEach(({ id, isMember }, who) => {
      const isIn = id !== null && members.includes(id);
      if (isMember && !isIn && id !== null) this.#leaveGroup(who, at);
      this.#seats[who]!.isMember = isIn;
    });
  }

  #leaveGroup(who: Pid, at: number): void {
    this.#add(at, who, { kind: 'restart' });
    this.#leave(who, at);
  }

  #handled(by: Pid, { input, sends, entered }: HandledReport, at: number): void {
    const seat = this.#seats[by]!;
    const outputs: TraceOutput[] = [];
    const lost: { readonly to: Pid; readonly serial: number }[] = [];
    const known = this.#inputOf(input, seat.id, by, at);
    for (const { to, message } of sends) {
      const receiver = this.#seatOf.get(to);
      if (receiver === undefined) continue; // not of the demonstration
      const serial = this.#serial++;
      outputs.push({ kind: 'send', serial, to: receiver, link: null, message });
      if (this.#seats[receiver]!.id !== to) lost.push({ to: receiver, serial });
      else this.#channel(`${seat.id}>${to}`).push({ serial, type: message.type });
    }
    if (entered) outputs.push({ kind: 'emit', event: { type: 'entered' } });
    this.#add(at, by, known, outputs);
    for (const { to, serial } of lost) this.#add(at, to, { kind: 'lose', serial });
    if (input.kind === 'call') seat.phase = input.name === 'release' ? 'idle' : 'waiting';
    if (entered) this.#entered(by, at);
  }

  /** What was sent before it on the same way and has not come will not. */
  #inputOf(input: HandledReport['input'], id: Id | null, by: Pid, at: number): TraceInput {
    if (input.kind !== 'recv') return input;
    const { from, message } = input;
    const way = this.#channel(`${from}>${id}`);
    const found = way.findIndex(({ type }) => type === message.type);
    for (const { serial } of way.splice(0, Math.max(0, found))) this.#add(at, by, { kind: 'lose', serial });
    const serial = found < 0 ? this.#serial++ : way.shift()!.serial; // who sent it died before it could tell
    return { kind: 'recv', serial, message, from: this.#seatOf.get(from) ?? by };
  }

  #channel(way: string): PendingMessage[] {
    const known = this.#pending.get(way);
    if (known) return known;
    const fresh: PendingMessage[] = [];
    this.#pending.set(way, fresh);
    return fresh;
  }

  #entered(by: Pid, at: number): void {
    this.#seats[by]!.phase = 'inside';
    if (this.#last !== by) this.#handovers.push(at);
    this.#last = by;
    if (this.#interruptedHolder === null || this.#interruptedHolder.by === by) return;
    const { at: since, by: from, why } = this.#interruptedHolder;
    this.takeover = { ms: at - since, why, from, to: by };
    this.#interruptedHolder = null;
  }

  #add(at: number, process: Pid, input: TraceInput, outputs: readonly TraceOutput[] = []): void {
    this.#time = Math.max(at, this.#time);
    this.#events.push({ time: this.#time, process, input, outputs });
  }
}
