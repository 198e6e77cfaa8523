import { about } from '../../catalogue/index.ts';
import type { Pid } from '../../core/algorithm.ts';
import { countBelow } from '../../core/rising.ts';
import { type TraceEvent, traceText } from '../../core/trace.ts';
import { Chronicle, type Cut, cutAt } from '../../diagram/index.ts';
import type { Setup } from '../../sim/index.ts';
import {
  type Account,
  ClockHistory,
  type Intervention,
  Remembered,
  type Show,
  traceFrom,
} from '../../stage/index.ts';
import { longestInAddress, pack } from '../packed.ts';
import type { Beginning, Part } from './protocol.ts';

/** A run as far as the page knows it; it comes about elsewhere. */
export class Run implements Omit<Show, 'reach'> {
  readonly id: number;
  readonly setup: Setup;
  readonly head: Readonly<Record<string, string>>;
  readonly chronicle: Chronicle;
  readonly clocks: ClockHistory | null; // where they are to be synchronised
  readonly isRecorded: boolean; // nobody can interfere
  readonly interventions: readonly Intervention[];
  readonly refused = new Map<Intervention, string>(); // those that could not be done, and why
  verdict: string | null = null;
  overAt: number | null = null; // in virtual time, if it is over and that is known
  packed: string | null = null; // the trace of a recorded run, unless it is too long for an address
  isLost = false; // what it came about in has ended: no more will be known
  #cut: { readonly events: number; readonly cut: Cut | null } = { events: 0, cut: null };
  #packing: Promise<void> | null = null;
  readonly #states: Remembered;
  readonly #accounts: Account[] = [];
  readonly #accountsFrom: number[] = []; // their positions

  constructor(id: number, setup: Setup, beginning: Beginning) {
    const { head, interventions, states, memory, part } = beginning;
    this.id = id;
    this.setup = setup;
    this.head = head;
    this.isRecorded = interventions === null;
    this.interventions = interventions ?? [];
    this.chronicle = new Chronicle(setup.n, head.ids?.split(',') ?? null, memory);
    this.clocks = setup.clockwork ? new ClockHistory(setup) : null;
    this.#states = new Remembered(states);
    this.take(part);
  }

  get events(): readonly TraceEvent[] {
    return this.chronicle.events;
  }

  /** Of its snapshot, through all that is known. */
  get cut(): Cut | null {
    const events = this.events.length;
    if (about(this.setup.algorithm).snapshots && this.#cut.events !== events)
      this.#cut = { events, cut: cutAt(this.chronicle) };
    return this.#cut.cut;
  }

  get isOver(): boolean {
    return this.verdict !== null;
  }

  /** Why something that was to be done to it was not; null if it was, or may still be. */
  whyNotDone(intervention: Intervention): string | null {
    const isTooLate = this.isOver && intervention.at > this.events.length;
    return this.refused.get(intervention) ?? (isTooLate ? 'the run is over before' : null);
  }

  take({ events, changes, accounts, refused, verdict, overAt }: Part): void {
    events.forEach((event, k) => {
      const { process } = event;
      const before = this.#states.at(process, Infinity);
      this.#states.happened(this.events.length, process);
      if (changes[k]) this.#states.became(process, withChange(before, changes[k]));
      this.chronicle.add(event);
      this.clocks?.add(event);
    });
    for (const account of accounts) {
      this.#accounts.push(account);
      this.#accountsFrom.push(account.from);
    }
    for (const [k, why] of refused) this.refused.set(this.interventions[k]!, why);
    this.verdict = verdict;
    this.overAt = overAt;
  }

  pack(): Promise<void> {
    this.#packing ??= pack(traceText(traceFrom(this))).then((packed) => {
      if (packed.length <= longestInAddress) this.packed = packed;
    });
    return this.#packing;
  }

  stateAt(process: Pid, position: number): Readonly<Record<string, unknown>> {
    return this.#states.at(process, position);
  }

  /** What was asked, granted and is allowed when so many events have happened. */
  accountAt(position: number): Account {
    return this.#accounts[countBelow(this.#accountsFrom, position + 1) - 1]!;
  }
}

type Fields = Readonly<Record<string, unknown>>;

function withChange(before: Fields, change: Fields): Fields {
  const all = Object.entries({ ...before, ...change });
  return Object.fromEntries(all.filter(([, value]) => value !== undefined));
}
