import { type Pid, type Problems, tick } from '../core/algorithm.ts';
import { countBelow } from '../core/binary-search.ts';
import type { TraceEvent } from '../core/trace.ts';
import { clockErrorReports } from '../problems/clock-monitor.ts';
import {
  type Adjustment,
  type ClockErrorReport,
  type ClockReading,
  type Correction,
  clockReadingAt,
  correctionAt,
  correctionDoneAt,
  hardwareAt,
  type Setup,
} from '../sim/index.ts';

/** A point from which the offset of a clock changes linearly. */
export interface OffsetPoint {
  readonly time: number;
  readonly ahead: number; // of the source, or of real time if there is none
  readonly promised: number | null; // the promised error bound; null before the first one and during a correction
}

/** The changes of one clock. */
interface ClockChanges {
  readonly events: number[]; // that changed its correction
  readonly corrections: (Correction | null)[]; // after each of them; null after a restart
  readonly ups: number[]; // crashes and restarts; the process begins up
}

/** The clocks of a run that synchronises them, at any position. Events are added as they become known. */
export class ClockHistory {
  readonly #setup: Setup;
  readonly #changes: readonly ClockChanges[];
  readonly #times: number[] = []; // of all events

  constructor(setup: Setup) {
    this.#setup = setup;
    this.#changes = Array.from({ length: setup.n }, () => ({ events: [], corrections: [], ups: [] }));
  }

  add(event: TraceEvent): void {
    const index = this.#times.length;
    const { process, input, time } = event;
    const { events, corrections, ups } = this.#changes[process]!;
    this.#times.push(time);
    if (input.kind === 'crash' || input.kind === 'restart') ups.push(index);
    if (input.kind === 'restart') {
      events.push(index);
      corrections.push(null);
    }
    for (const adjustment of adjustmentsIn(event)) {
      const before = corrections.at(-1) ?? null;
      events.push(index);
      corrections.push(correctionAt(this.#setup.clockConfig!, process, before, time, adjustment));
    }
  }

  /** The virtual time at a position. A fraction lies between two events. */
  timeAt(position: number): number {
    const whole = Math.floor(position);
    const [before, next] = [this.#times[whole - 1] ?? 0, this.#times[whole]];
    return next === undefined ? before : before + (position - whole) * (next - before);
  }

  /** The reading of each clock at a position, or at a later time before the next event. */
  readings(position: number, time = this.timeAt(position)): ClockReading[] {
    return this.#changes.map((_, i) => this.#reading(i, position, time));
  }

  #reading(i: Pid, position: number, time: number): ClockReading {
    const { events, corrections } = this.#changes[i]!;
    const last = corrections[countBelow(events, Math.floor(position)) - 1] ?? null;
    return clockReadingAt(this.#setup.clockConfig!, i, last, time);
  }

  /** The error of each clock, and its promised bound. */
  report(position: number, time = this.timeAt(position)): ClockErrorReport[] {
    const { algorithm, root, faults } = this.#setup;
    const readings = this.readings(position, time).map((reading, i) => {
      const isUp = countBelow(this.#changes[i]!.ups, Math.floor(position)) % 2 === 0;
      const lies = faults.some((fault) => fault.type === 'lie' && fault.process === i);
      const isBinding = reading.last !== null && reading.isSettled && isUp && !lies;
      return { reading, promised: this.#promised(i, reading), isBinding };
    });
    return clockErrorReports(readings, algorithm.synchronises!, root);
  }

  /** The promised error bound; it grows with the drift between clocks. */
  #promised(i: Pid, { last, hardware }: ClockReading): number | null {
    if (last === null) return null;
    const { clockConfig, drift } = this.#setup;
    return last.within + drift! * (hardware - hardwareAt(clockConfig!, i, last.at));
  }

  /** The offset of a clock over the run: it is linear between two of these points. */
  offsetPoints(i: Pid): OffsetPoint[] {
    const { clockConfig, algorithm, root } = this.#setup;
    const hasSource = algorithm.synchronises!.to === 'root';
    const { events, corrections } = this.#changes[i]!;
    const end = this.#times.at(-1) ?? 0;
    const points: OffsetPoint[] = [];
    const add = (correction: Correction | null, time: number) => {
      const reading = clockReadingAt(clockConfig!, i, correction, time);
      const truth = hasSource ? hardwareAt(clockConfig!, root, time) : time * tick;
      points.push({
        time,
        ahead: reading.shown - truth,
        promised: reading.isSettled ? this.#promised(i, reading) : null,
      });
    };
    add(null, 0);
    corrections.forEach((correction, k) => {
      const time = this.#times[events[k]!]!;
      add(corrections[k - 1] ?? null, time);
      add(correction, time);
      const done = correction && correctionDoneAt(clockConfig!, i, correction);
      if (done !== null && done < (this.#times[events[k + 1]!] ?? end)) add(correction, done);
    });
    add(corrections.at(-1) ?? null, end);
    return points;
  }
}

function adjustmentsIn({ outputs }: TraceEvent): Adjustment[] {
  return outputs.flatMap((output) => {
    if (output.kind !== 'emit' || output.event.type !== 'adjust') return [];
    const { type: _, ...adjustment } = output.event as Problems['clocks']['event'];
    return [adjustment];
  });
}
