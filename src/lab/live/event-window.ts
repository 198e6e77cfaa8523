import type { Pid } from '../../core/algorithm.ts';
import type { TraceEvent } from '../../core/trace.ts';
import {
  type ProcessPhase,
  SpaceTimeLayout,
  type Spacing,
  type TracedMessage,
  TraceIndex,
} from '../../diagram/index.ts';

const msPerUnit = 50;
const step = 5000; // milliseconds; the window starts at a multiple, so that the time axis keeps round numbers
const maxEvents = 4000; // beyond this, the first half is dropped
const initialKinds = ['request', 'page', 'want', 'stop', 'stopped', 'start', 'view']; // their colours never change

/** A layout whose present advances with real time, also between events. */
class LiveSpaceTime extends SpaceTimeLayout {
  currentUnits = 0; // the present

  override get width(): number {
    return Math.max(super.width, this.currentUnits);
  }

  override present(position: number): number {
    return Math.max(
      super.present(position),
      position >= this.traceIndex.events.length ? this.currentUnits : 0,
    );
  }
}

/** The latest events of real processes, indexed for the space-time diagram. */
export class EventWindow {
  traceIndex = new TraceIndex(0);
  spaceTime = new LiveSpaceTime(this.traceIndex, 'time');
  readonly kinds: string[] = [...initialKinds];
  #events: TraceEvent[] = []; // with times in units
  #initialEvents: readonly TraceEvent[] = []; // restore the phases of the processes before the first event
  #baseTime = 0; // of unit 0, in milliseconds

  get spacing(): Spacing {
    return this.spaceTime.spacing;
  }

  setSpacing(spacing: Spacing): void {
    const { currentUnits } = this.spaceTime;
    this.spaceTime = new LiveSpaceTime(this.traceIndex, spacing);
    this.spaceTime.currentUnits = spacing === 'time' ? currentUnits : 0;
  }

  /** Moves the present to a time in milliseconds. */
  advanceTo(now: number): void {
    if (this.spacing === 'time') this.spaceTime.currentUnits = this.units(now);
  }

  units(milliseconds: number): number {
    return (milliseconds - this.#baseTime) / msPerUnit;
  }

  seconds(units: number): string {
    return `${Math.round((units * msPerUnit + this.#baseTime) / 100) / 10} s`;
  }

  add(events: readonly TraceEvent[], n: number): void {
    if (this.#events.length === 0) this.#baseTime = Math.floor((events[0]?.time ?? 0) / step) * step;
    const scaled = events.map((event) => ({ ...event, time: this.units(event.time) }));
    this.#events.push(...scaled);
    if (n !== this.traceIndex.n || this.#events.length > maxEvents) this.#rebuild(n);
    else for (const event of scaled) this.traceIndex.add(event);
    this.spaceTime.extend();
    for (const kind of this.traceIndex.sendsOfKind.keys())
      if (!this.kinds.includes(kind)) this.kinds.push(kind);
  }

  #rebuild(n: number): void {
    if (this.#events.length > maxEvents) this.#dropOldest();
    this.traceIndex = new TraceIndex(n);
    for (const event of [...this.#initialEvents, ...this.#events]) this.traceIndex.add(event);
    this.setSpacing(this.spacing);
  }

  #dropOldest(): void {
    const { traceIndex } = this;
    const [cut, first] = [this.#initialEvents.length + maxEvents / 2, this.#events[maxEvents / 2]!.time];
    this.#initialEvents = Array.from({ length: traceIndex.n }, (_, process) =>
      eventsLeadingTo(process, traceIndex.phaseAt(process, cut), traceIndex.isPausedAt(process, cut)),
    ).flat();
    const shift = Math.floor((first * msPerUnit) / step) * (step / msPerUnit);
    this.#baseTime += shift * msPerUnit;
    this.#events = this.#events.slice(maxEvents / 2).map((event) => ({ ...event, time: event.time - shift }));
  }

  /** Returns the messages sent since a time, latest first. */
  sentSince(units: number): TracedMessage[] {
    const { events, messages } = this.traceIndex;
    const found: TracedMessage[] = [];
    for (let k = events.length - 1; k >= 0 && events[k]!.time >= units; k -= 1)
      for (const output of events[k]!.outputs)
        if (output.kind === 'send') found.push(messages.get(output.serial)!);
    return found;
  }
}

/** Returns events that bring a process into this phase. */
function eventsLeadingTo(process: Pid, phase: ProcessPhase, isPaused: boolean): TraceEvent[] {
  const event = (input: TraceEvent['input'], outputs: TraceEvent['outputs'] = []) => ({
    time: 0,
    process,
    input,
    outputs,
  });
  const events: TraceEvent[] = [];
  if (phase === 'crashed') events.push(event({ kind: 'crash' }));
  if (phase === 'waiting') events.push(event({ kind: 'call', name: 'request' }));
  if (phase === 'inside')
    events.push(event({ kind: 'call', name: 'request' }, [{ kind: 'emit', event: { type: 'entered' } }]));
  if (isPaused) events.push(event({ kind: 'pause' }));
  return events;
}
