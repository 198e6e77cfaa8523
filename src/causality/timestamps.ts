import type { Pid } from '../core/algorithm.ts';
import type { LogicalClock } from '../core/logical-clock.ts';
import type { Trace, TraceEvent } from '../core/trace.ts';

/**
 * Stamps the events of a run in order. Messages and register writes carry the stamp of their event to the receiver or reader. Crashes and
 * restarts are events like others; clocks survive them. A step that reads several registers is one event. A value that the
 * process wrote itself brings nothing new.
 */
export class Timestamper<T> {
  readonly #clock: LogicalClock<T>;
  readonly #latest = new Map<Pid, T>();
  readonly #ofMessage = new Map<number, T>();
  readonly #ofRegister = new Map<string, { readonly stamp: T; readonly writer: Pid }>();

  constructor(clock: LogicalClock<T>) {
    this.#clock = clock;
  }

  stamp(event: TraceEvent): T {
    const { process, outputs } = event;
    const before = this.#latest.get(process) ?? this.#clock.initial;
    const received = this.#received(event);
    const [last, ...others] = received;
    const merged = others.reduce((C, t) => this.#merge(C, t, process), before);
    const stamp =
      last === undefined ? this.#clock.tick(before, process) : this.#clock.receive(merged, last, process);
    this.#latest.set(process, stamp);
    for (const output of outputs) {
      if (output.kind === 'send') this.#ofMessage.set(output.serial, stamp);
      if (output.kind === 'write' || output.kind === 'reset')
        this.#ofRegister.set(output.register, { stamp, writer: process });
    }
    return stamp;
  }

  #merge(C: T, t: T, process: Pid): T {
    return this.#clock.merge?.(C, t) ?? this.#clock.receive(C, t, process);
  }

  #received({ process, input, outputs }: TraceEvent): T[] {
    const message = input.kind === 'recv' ? this.#ofMessage.get(input.serial) : undefined;
    const read = outputs.flatMap((output) => {
      const written = output.kind === 'read' ? this.#ofRegister.get(output.register) : undefined;
      return written === undefined || written.writer === process ? [] : [written.stamp];
    });
    return message === undefined ? read : [message, ...read];
  }
}

/**
 * Returns the stamp that a logical clock gives to each event of a trace.
 * @example
 * import { lamportClock, raymond } from 'batonjs-lab/algorithms';
 * import { timestampsOf } from 'batonjs-lab/causality';
 * import { simulate } from 'batonjs-lab/sim';
 *
 * const { trace } = simulate(raymond, { n: 3, topology: 'line', start: [{ process: 2 }], events: true });
 * timestampsOf(trace, lamportClock); // → [1, 2, 3, 4, 5, 6]
 */
export function timestampsOf<T>({ events }: Pick<Trace, 'events'>, clock: LogicalClock<T>): T[] {
  const stamper = new Timestamper(clock);
  return events.map((event) => stamper.stamp(event));
}

/** Returns a function that adds its stamp to each event, in order. */
export function eventTimestamper<T>(clock: LogicalClock<T>): (event: TraceEvent) => TraceEvent {
  const stamper = new Timestamper(clock);
  return (event) => ({ ...event, stamp: clock.text(stamper.stamp(event)) });
}
