import { algorithmInfo } from '../../catalogue/index.ts';
import type { Pid } from '../../core/algorithm.ts';
import { countBelow } from '../../core/binary-search.ts';
import { type TraceEvent, traceText } from '../../core/trace.ts';
import { messageTimeIn } from '../../diagram/delays.ts';
import { type Cut, snapshotCutAt, TraceIndex } from '../../diagram/index.ts';
import type { Setup } from '../../sim/index.ts';
import {
  type BoundsStatus,
  ClockHistory,
  MeasureHistory,
  type ScheduledIntervention,
  type StateFields,
  StateHistory,
  StateText,
  type Timeline,
  traceOfTimeline,
} from '../../timeline/index.ts';
import { maxPermalinkLength, pack } from '../state/packed-text.ts';
import type { RunChunk, RunStart } from './run-protocol.ts';

/** The page's copy of a run in the worker, as far as it is known. */
export class RunReplica implements Omit<Timeline, 'advanceTo'> {
  readonly id: number;
  readonly setup: Setup;
  readonly head: Readonly<Record<string, string>>;
  readonly traceIndex: TraceIndex;
  readonly stateText: StateText; // with processes in place of addresses
  readonly clocks: ClockHistory | null; // if the algorithm synchronises clocks
  readonly measures: MeasureHistory;
  readonly isRecorded: boolean; // it cannot be changed
  readonly interventions: readonly ScheduledIntervention[];
  readonly refused = new Map<ScheduledIntervention, string>(); // interventions that were not possible, and why
  verdict: string | null = null;
  endTime: number | null = null; // in virtual time; null while it continues, or if unknown
  packed: string | null = null; // the trace of a recorded run, unless too long for a link
  isLost = false; // its worker has ended: no more events will come
  #cut: { readonly events: number; readonly cut: Cut | null } = { events: 0, cut: null };
  #packing: Promise<void> | null = null;
  readonly #states: StateHistory;
  readonly #boundsStatuses: BoundsStatus[] = [];
  readonly #boundsPositions: number[] = []; // from which each status holds

  constructor(id: number, setup: Setup, start: RunStart) {
    const { head, interventions, states, memory, measuring, chunk } = start;
    this.id = id;
    this.setup = setup;
    this.head = head;
    this.isRecorded = interventions === null;
    this.interventions = interventions ?? [];
    this.stateText = new StateText(setup);
    const ids = head.ids?.split(',') ?? null;
    this.traceIndex = new TraceIndex(setup.n, ids, memory, this.stateText.message);
    this.clocks = setup.clockConfig ? new ClockHistory(setup) : null;
    this.measures = new MeasureHistory(measuring);
    this.#states = new StateHistory(states);
    this.append(chunk);
  }

  get events(): readonly TraceEvent[] {
    return this.traceIndex.events;
  }

  /** The cut of its snapshot, through all known events. */
  get cut(): Cut | null {
    const events = this.events.length;
    if (algorithmInfo(this.setup.algorithm).snapshots && this.#cut.events !== events)
      this.#cut = { events, cut: snapshotCutAt(this.traceIndex) };
    return this.#cut.cut;
  }

  /** The time T that every message takes; null if they take different times, or that is unknown. */
  get messageTime(): number | null {
    return this.isRecorded ? null : messageTimeIn(this.head);
  }

  get isOver(): boolean {
    return this.verdict !== null;
  }

  /** Returns why an intervention was not possible; null if it happened, or still may. */
  refusalReason(intervention: ScheduledIntervention): string | null {
    const isTooLate = this.isOver && intervention.at > this.events.length;
    return this.refused.get(intervention) ?? (isTooLate ? 'the run is over before' : null);
  }

  append({ events, changes, boundsStatuses, refused, verdict, endTime }: RunChunk): void {
    events.forEach((event, k) => {
      const { process } = event;
      const before = this.#states.at(process, Infinity);
      this.#states.addEvent(this.events.length, process);
      if (changes[k]) this.#states.setState(process, withChange(before, changes[k]));
      this.traceIndex.add(event);
      this.clocks?.add(event);
      this.measures.add(event);
    });
    for (const boundsStatus of boundsStatuses) {
      this.#boundsStatuses.push(boundsStatus);
      this.#boundsPositions.push(boundsStatus.from);
    }
    for (const [k, why] of refused) this.refused.set(this.interventions[k]!, why);
    this.verdict = verdict;
    this.endTime = endTime;
  }

  pack(): Promise<void> {
    this.#packing ??= pack(traceText(traceOfTimeline(this))).then((packed) => {
      if (packed.length <= maxPermalinkLength) this.packed = packed;
    });
    return this.#packing;
  }

  stateAt(process: Pid, position: number): StateFields {
    return this.#states.at(process, position);
  }

  /** Returns the counts and limits after the first `position` events. */
  boundsStatusAt(position: number): BoundsStatus {
    return this.#boundsStatuses[countBelow(this.#boundsPositions, position + 1) - 1]!;
  }
}

function withChange(before: StateFields, change: StateFields): StateFields {
  const all = Object.entries({ ...before, ...change });
  return Object.fromEntries(all.filter(([, value]) => value !== undefined));
}
