import type { Pid } from '../../core/algorithm.ts';

/** An event taken from the wheel. */
export interface ScheduledEvent {
  code: number;
  readonly detail: number;
  content: unknown;
  readonly serial: number;
  readonly chain: number; // of a message: see `RunMeasures.sent`
}

/** Events that are due but cannot be handled yet: their process is paused, or causal order requires another message first. */
export class DeferredEvents {
  readonly #events = new Map<Pid, ScheduledEvent[]>();
  #isReleasing = false;

  add(process: Pid, event: ScheduledEvent): void {
    const events = this.#events.get(process);
    if (events) events.push(event);
    else this.#events.set(process, [event]);
  }

  /** Handles in order each event that `may` be handled now. Handling one may allow others. */
  release(
    process: Pid,
    may: (event: ScheduledEvent) => boolean,
    handle: (event: ScheduledEvent) => void,
  ): void {
    if (this.#isReleasing) return; // the loop below is running
    this.#isReleasing = true;
    try {
      const events = this.#events.get(process) ?? [];
      for (let index = events.findIndex(may); index >= 0; index = events.findIndex(may)) {
        handle(events.splice(index, 1)[0]!);
      }
      if (events.length === 0) this.#events.delete(process);
    } finally {
      this.#isReleasing = false;
    }
  }

  drop(process: Pid): ScheduledEvent[] {
    const events = this.#events.get(process) ?? [];
    this.#events.delete(process);
    return events;
  }

  *all(): Iterable<[Pid, ScheduledEvent]> {
    for (const [process, events] of this.#events) for (const event of events) yield [process, event];
  }
}
