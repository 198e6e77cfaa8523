import { algorithmInfo } from '../../catalogue/index.ts';
import type { TraceEvent } from '../../core/trace.ts';
import {
  type BoundsStatus,
  BoundsTracker,
  type ReplayedTimeline,
  SimulatedTimeline,
  type StateFields,
} from '../../timeline/index.ts';
import type { RunChunk, RunStart, StateChange } from './run-protocol.ts';

const maxChunkSize = 2000; // of a part, in messages or so: whoever takes it is not kept long

/** A run, told part by part. */
export class RunStream {
  readonly run: SimulatedTimeline | ReplayedTimeline;
  readonly #boundsTracker: BoundsTracker;
  #sentEvents = 0; // events,
  #sentRefusals = 0; // and refusals

  constructor(show: SimulatedTimeline | ReplayedTimeline) {
    this.run = show;
    this.#boundsTracker = new BoundsTracker(show.setup);
  }

  begin(position: number | null, upTo: number): RunStart {
    const { run } = this;
    const { n, algorithm } = run.setup;
    const first = this.#boundsTracker.status(false);
    const part = this.nextChunk(upTo);
    return {
      head: run.head,
      interventions: run instanceof SimulatedTimeline ? run.interventions : null,
      states: Array.from({ length: n }, (_, process) => run.stateAt(process, 0)),
      memory: algorithmInfo(algorithm).registers(n),
      position,
      chunk: { ...part, boundsStatuses: [first, ...part.boundsStatuses] },
    };
  }

  /** The next events, up to so many altogether, unless they are too many for once. */
  nextChunk(upTo: number): RunChunk {
    const { run } = this;
    const events: TraceEvent[] = [];
    const changes: StateChange[] = [];
    const accounts: BoundsStatus[] = [];
    let size = 0;
    while (
      size < maxChunkSize &&
      this.#sentEvents < Math.max(upTo, run.events.length) &&
      run.advanceTo(this.#sentEvents + 1)
    ) {
      const event = run.events[this.#sentEvents]!;
      const { process } = event;
      const change = changed(
        run.stateAt(process, this.#sentEvents),
        run.stateAt(process, this.#sentEvents + 1),
      );
      const account = this.#boundsTracker.add(event);
      this.#sentEvents += 1;
      events.push(event);
      changes.push(change);
      if (account) accounts.push(account);
      size += 1 + event.outputs.length + sizeOf(change);
    }
    const isAll = run.isOver && this.#sentEvents === run.events.length;
    if (isAll) accounts.push(this.#boundsTracker.status(true));
    const verdict = isAll ? run.verdict : null;
    const overAt = isAll && run instanceof SimulatedTimeline ? run.now : null;
    return { events, changes, boundsStatuses: accounts, refused: this.#refusals(), verdict, endTime: overAt };
  }

  #refusals(): RunChunk['refused'] {
    const { run } = this;
    if (!(run instanceof SimulatedTimeline)) return [];
    const all = [...run.refused].map(([one, why]) => [run.interventions.indexOf(one), why] as const);
    const fresh = all.slice(this.#sentRefusals);
    this.#sentRefusals = all.length;
    return fresh;
  }
}

/** What an event left as it was is the same object. */
function changed(before: StateFields, now: StateFields): StateChange {
  if (before === now) return null;
  const fields = new Set([...Object.keys(before), ...Object.keys(now)]);
  return Object.fromEntries(
    [...fields].filter((field) => before[field] !== now[field]).map((field) => [field, now[field]]),
  );
}

/** Values in a list are little beside an event. */
const sizeOf = (change: StateChange): number =>
  Object.values(change ?? {}).reduce<number>(
    (sum, value) => sum + (Array.isArray(value) ? 1 + value.length / 20 : 1),
    0,
  );
