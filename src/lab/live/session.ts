import type { TraceEvent } from '../../core/trace.ts';
import type { ActionName, Demonstration, GroupsNow } from '../../live/index.ts';
import { act, type Ending, listen } from './connection.ts';
import { Strip } from './strip.ts';

const late = 90; // milliseconds by which reports may come late; the picture is as old

/** What is known of the processes of this machine; who draws it is told when that has changed. */
export class Session {
  status: 'connecting' | 'open' | Ending = 'connecting';
  groups: GroupsNow | null = null;
  demo: Demonstration | null = null;
  strip = new Strip();
  isFrozen = false;
  isBusy = false; // something was asked of the demonstration
  problem: string | null = null;
  readonly #listeners = new Set<() => void>();
  #unseen: Demonstration['events'] = []; // while the picture is frozen
  #ahead = -Infinity; // of our clock, the demonstration's

  subscribe(listener: () => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  changed(): void {
    for (const listener of this.#listeners) listener();
  }

  /** Until it is aborted. */
  async connect(signal: AbortSignal): Promise<void> {
    this.status = 'connecting';
    this.changed();
    const ending = await listen(signal, (event, data) => {
      this.status = 'open';
      if (event === 'groups') this.groups = data as GroupsNow;
      if (event === 'demo') this.#take(data as Demonstration);
      this.changed();
    });
    if (signal.aborted) return;
    this.status = ending;
    this.changed();
  }

  #take(update: Demonstration): void {
    this.demo = update;
    if (update.isFresh) {
      const { spacing } = this.strip;
      this.strip = new Strip();
      this.strip.arrange(spacing);
      this.isFrozen = false;
      this.#unseen = [];
      this.#ahead = -Infinity;
    }
    this.#ahead = Math.max(this.#ahead, update.now - performance.now());
    this.#unseen = [...this.#unseen, ...(update.isFresh ? longDead(update) : []), ...update.events];
    if (!this.isFrozen) this.#show();
  }

  #show(): void {
    this.strip.add(this.#unseen, this.demo!.seats.length);
    this.#unseen = [];
    this.strip.goOn(this.now);
  }

  /** The moment that is shown, in milliseconds since the demonstration began. */
  get now(): number {
    return performance.now() + this.#ahead - late;
  }

  freeze(): void {
    this.isFrozen = !this.isFrozen;
    if (!this.isFrozen) this.#show();
    this.changed();
  }

  async act(action: ActionName, process?: number): Promise<void> {
    this.isBusy = action === 'start' || action === 'end';
    this.problem = null;
    this.changed();
    this.problem = await act(action, process);
    this.isBusy = false;
    this.changed();
  }
}

/** Who died before what is remembered. */
const longDead = ({ seats, events }: Demonstration): TraceEvent[] =>
  seats.flatMap(({ state }, process) =>
    state !== 'dead' || events.some((event) => event.process === process && event.input.kind === 'crash')
      ? []
      : [{ time: events[0]?.time ?? 0, process, input: { kind: 'crash' }, outputs: [] }],
  );
