import type { Message, Pid } from '../core/algorithm.ts';
import type { Input, Output, TraceEvent } from '../core/trace.ts';
import type { Seat, Takeover } from './protocol.ts';

/** How members know each other; a process that was out of the group comes back under another. */
type Id = string;

/** What a process tells of itself; `at` is by the clock that all processes of this machine share. */
export type Report = { readonly at: number } & (
  | { readonly kind: 'named'; readonly id: Id }
  | { readonly kind: 'view'; readonly epoch: number; readonly members: readonly Id[] }
  | { readonly kind: 'out' }
  | Handled
);

/** Something happened to it, and what it did then. */
export interface Handled {
  readonly kind: 'handled';
  readonly input:
    | { readonly kind: 'call'; readonly name: string }
    | { readonly kind: 'recv'; readonly from: Id; readonly message: Message }
    | { readonly kind: 'timer'; readonly message: Message };
  readonly sends: readonly { readonly to: Id; readonly message: Message }[];
  readonly entered: boolean;
}

type Fate = 'born' | 'died' | 'stopped' | 'continued';

const after = { born: 'alive', died: 'dead', stopped: 'stopped', continued: 'alive' } as const;

type Sitting = { -readonly [K in keyof Seat]: Seat[K] } & { id: Id | null };

interface Pending {
  readonly serial: number;
  readonly type: string; // of the message
}

const lately = 5000; // milliseconds

/**
 * The events of a run of real processes, from what each tells of itself. Reports come late and each by a way of its own, so they wait until
 * they are settled in the order of their times; a message is known again by who sent it to whom, in which order.
 */
export class Story {
  epoch = 0;
  takeover: Takeover | null = null;
  readonly #seats: Sitting[] = [];
  readonly #seatOf = new Map<Id, Pid>();
  readonly #pending = new Map<string, Pending[]>(); // `from>to`
  #events: TraceEvent[] = [];
  #time = 0; // of the last
  #unsettled: { readonly at: number; readonly happen: () => void }[] = [];
  #serial = 0;
  #handovers: number[] = []; // when, of late
  #last: Pid | null = null; // who entered
  #awaited: { readonly at: number; readonly by: Pid; readonly why: Takeover['why'] } | null = null;

  get seats(): readonly Seat[] {
    return this.#seats.map(({ id, ...seat }) => seat);
  }

  told(by: Pid, report: Report): void {
    this.#unsettled.push({ at: report.at, happen: () => this.#tell(by, report) });
  }

  /** The process in this seat begins, ends, stops or goes on. */
  befell(who: Pid, fate: Fate, at: number, pid = 0): void {
    this.#unsettled.push({ at, happen: () => this.#befall(who, fate, at, pid) });
  }

  /** Everything up to then has been told. */
  settle(until: number): void {
    const due = this.#unsettled.filter(({ at }) => at <= until).sort((a, b) => a.at - b.at);
    this.#unsettled = this.#unsettled.filter(({ at }) => at > until);
    for (const { happen } of due) happen();
  }

  /** What has been settled since this was last asked. */
  take(): readonly TraceEvent[] {
    const events = this.#events;
    this.#events = [];
    return events;
  }

  /** Handovers of late. */
  perSecond(now: number): number {
    this.#handovers = this.#handovers.filter((at) => at > now - lately);
    return (this.#handovers.length * 1000) / Math.max(1000, Math.min(now, lately));
  }

  #befall(who: Pid, fate: Fate, at: number, pid: number): void {
    const seat = this.#seats[who];
    if (fate === 'born') {
      this.#seats[who] = { pid, state: 'alive', phase: 'idle', isMember: false, id: null };
      if (seat) this.#add(at, who, { kind: 'restart' });
      return;
    }
    if (!seat || seat.state === 'dead' || seat.state === after[fate]) return;
    if (fate === 'continued') {
      if (this.#awaited?.by === who && seat.phase === 'inside') this.#awaited = null; // not too late
      seat.state = 'alive';
      this.#add(at, who, { kind: 'resume' });
      return;
    }
    if (seat.phase === 'inside') this.#awaited = { at, by: who, why: fate === 'died' ? 'killed' : 'stopped' };
    seat.state = after[fate];
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

  #tell(by: Pid, report: Report): void {
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
        if (seat.id !== null) this.#expel(by, report.at);
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
      if (isMember && !isIn && id !== null) this.#expel(who, at);
      this.#seats[who]!.isMember = isIn;
    });
  }

  #expel(who: Pid, at: number): void {
    this.#add(at, who, { kind: 'restart' });
    this.#leave(who, at);
  }

  #handled(by: Pid, { input, sends, entered }: Handled, at: number): void {
    const seat = this.#seats[by]!;
    const outputs: Output[] = [];
    const lost: { readonly to: Pid; readonly serial: number }[] = [];
    const known = this.#inputOf(input, seat.id, by, at);
    for (const { to, message } of sends) {
      const receiver = this.#seatOf.get(to);
      if (receiver === undefined) continue; // not of the demonstration
      const serial = this.#serial++;
      outputs.push({ kind: 'send', serial, to: receiver, link: null, message });
      if (this.#seats[receiver]!.id !== to) lost.push({ to: receiver, serial });
      else this.#wayOf(`${seat.id}>${to}`).push({ serial, type: message.type });
    }
    if (entered) outputs.push({ kind: 'emit', event: { type: 'entered' } });
    this.#add(at, by, known, outputs);
    for (const { to, serial } of lost) this.#add(at, to, { kind: 'lose', serial });
    if (input.kind === 'call') seat.phase = input.name === 'release' ? 'idle' : 'waiting';
    if (entered) this.#entered(by, at);
  }

  /** What was sent before it on the same way and has not come will not. */
  #inputOf(input: Handled['input'], id: Id | null, by: Pid, at: number): Input {
    if (input.kind !== 'recv') return input;
    const { from, message } = input;
    const way = this.#wayOf(`${from}>${id}`);
    const found = way.findIndex(({ type }) => type === message.type);
    for (const { serial } of way.splice(0, Math.max(0, found))) this.#add(at, by, { kind: 'lose', serial });
    const serial = found < 0 ? this.#serial++ : way.shift()!.serial; // who sent it died before it could tell
    return { kind: 'recv', serial, message, from: this.#seatOf.get(from) ?? by };
  }

  #wayOf(way: string): Pending[] {
    const known = this.#pending.get(way);
    if (known) return known;
    const fresh: Pending[] = [];
    this.#pending.set(way, fresh);
    return fresh;
  }

  #entered(by: Pid, at: number): void {
    this.#seats[by]!.phase = 'inside';
    if (this.#last !== by) this.#handovers.push(at);
    this.#last = by;
    if (this.#awaited === null || this.#awaited.by === by) return;
    const { at: since, by: from, why } = this.#awaited;
    this.takeover = { ms: at - since, why, from, to: by };
    this.#awaited = null;
  }

  #add(at: number, process: Pid, input: Input, outputs: readonly Output[] = []): void {
    this.#time = Math.max(at, this.#time);
    this.#events.push({ time: this.#time, process, input, outputs });
  }
}
