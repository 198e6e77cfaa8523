import type { TraceEvent } from '../../core/trace.ts';
import type { ProcessPhase } from '../../diagram/index.ts';
import type { DemoActionName, Demonstration, DemoProcess, GroupsNow } from '../../live/index.ts';
import { type DisconnectReason, postDemoAction, streamEvents } from './connection.ts';
import { EventWindow } from './event-window.ts';

const displayDelay = 90; // milliseconds; the picture lags, because reports may come late

/** The state of the live view: groups and demonstration. Views subscribe to its changes. */
export class LiveSession {
  status: 'connecting' | 'open' | DisconnectReason = 'connecting';
  groups: GroupsNow | null = null;
  demo: Demonstration | null = null;
  eventWindow = new EventWindow();
  isFrozen = false;
  isBusy = false; // a start or end is pending
  problem: string | null = null;
  readonly #listeners = new Set<() => void>();
  #bufferedEvents: Demonstration['events'] = []; // while the picture is frozen
  #clockOffset = -Infinity; // the demonstration's clock minus ours

  subscribe(listener: () => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  notify(): void {
    for (const listener of this.#listeners) listener();
  }

  /** Receives updates until the signal aborts or the stream ends. */
  async connect(signal: AbortSignal): Promise<void> {
    this.status = 'connecting';
    this.notify();
    const reason = await streamEvents(signal, (event, data) => {
      this.status = 'open';
      if (event === 'groups') this.groups = data as GroupsNow;
      if (event === 'demo') this.#applyUpdate(data as Demonstration);
      this.notify();
    });
    if (signal.aborted) return;
    this.status = reason;
    this.notify();
  }

  #applyUpdate(update: Demonstration): void {
    this.demo = update;
    if (update.isFresh) {
      const { spacing } = this.eventWindow;
      this.eventWindow = new EventWindow();
      this.eventWindow.setSpacing(spacing);
      this.isFrozen = false;
      this.#bufferedEvents = [];
      this.#clockOffset = -Infinity;
    }
    this.#clockOffset = Math.max(this.#clockOffset, update.now - performance.now());
    this.#bufferedEvents = [
      ...this.#bufferedEvents,
      ...(update.isFresh ? earlierCrashes(update) : []),
      ...update.events,
    ];
    if (!this.isFrozen) this.#flush();
  }

  #flush(): void {
    this.eventWindow.add(this.#bufferedEvents, this.demo!.seats.length);
    this.#bufferedEvents = [];
    this.eventWindow.advanceTo(this.now);
  }

  /** The time on display, in milliseconds since the demonstration began. */
  get now(): number {
    return performance.now() + this.#clockOffset - displayDelay;
  }

  toggleFrozen(): void {
    this.isFrozen = !this.isFrozen;
    if (!this.isFrozen) this.#flush();
    this.notify();
  }

  async act(
    action: DemoActionName,
    parameters?: { readonly process?: number; readonly algorithm?: string },
  ): Promise<void> {
    this.isBusy = action === 'start' || action === 'end';
    this.problem = null;
    this.notify();
    this.problem = await postDemoAction(action, parameters);
    this.isBusy = false;
    this.notify();
  }
}

/** Returns crash events for processes that died before the first buffered event. */
const earlierCrashes = ({ seats, events }: Demonstration): TraceEvent[] =>
  seats.flatMap(({ state }, process) =>
    state !== 'dead' || events.some((event) => event.process === process && event.input.kind === 'crash')
      ? []
      : [{ time: events[0]?.time ?? 0, process, input: { kind: 'crash' }, outputs: [] }],
  );

/** Returns the phase of a process as the run view draws it. */
export const livePhaseOf = ({ state, phase }: DemoProcess): ProcessPhase =>
  state === 'dead' ? 'crashed' : phase;
