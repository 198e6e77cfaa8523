import type { Pid, Problems, Synchronisation } from '../core/algorithm.ts';
import type { Monitor, Violation } from './monitor.ts';
import { pidList } from './mutex-monitor.ts';

/** What an algorithm tells the application about its clock: the fields of the event `adjust`, in nanoseconds. */
export type Adjustment = Omit<Problems['clocks']['event'], 'type'>;

/** Whether a call at a process begins a synchronisation. */
export const beginsSynchronisation = (synchronises: Synchronisation, process: Pid, root: Pid): boolean =>
  synchronises.begins === 'all' || (synchronises.begins === 'root') === (process === root);

/** The reading of a clock, in nanoseconds. */
export interface ClockReading {
  /** What the hardware clock shows. */
  readonly hardware: number;
  /** What the application shows: the hardware clock plus the part of the correction in effect. */
  readonly shown: number;
  /** Whether the last correction is complete. True if there was none. */
  readonly isSettled: boolean;
  /** The last adjustment, and its time in ticks; null if there was none. */
  readonly last: (Adjustment & { readonly at: number }) | null;
}

/** The error of one clock: its true offset, the estimate, and the promised bound. All are in nanoseconds. */
export interface ClockErrorReport {
  /** The offset of the source from the hardware clock. Without a source, the clock with the tightest promise takes its place. */
  readonly trueOffset: number;
  /** The offset of the last adjustment; null if the clock was never adjusted. */
  readonly estimatedOffset: number | null;
  /** How far the shown clock is ahead of the source. */
  readonly error: number;
  /** The promised bound on the error, now; null if the clock was never adjusted. */
  readonly promised: number | null;
}

export interface ClockMonitorOptions {
  readonly n: number;
  readonly root: Pid;
  readonly synchronises: Synchronisation;
  readonly drift: number;
  readonly longestDelay: number; // clocks of one round are read at most this far apart
  readonly lies: (process: Pid) => boolean; // a process that lies is not checked
}

/** The host's clocks, at the current time. */
export interface HostClocks {
  read(process: Pid): ClockReading;
  adjust(process: Pid, adjustment: Adjustment): void;
}

/**
 * Clock synchronisation. (1) After a correction the clock is within its promised error, which grows only with drift. (2) No clock runs
 * backwards. (3) Without a source, a round moves no clock beyond the range of the truthful clocks. Between two corrections everything is
 * linear in time, so it suffices to check both ends.
 */
export class ClockMonitor implements Monitor<Problems['clocks']['event']> {
  readonly #options: ClockMonitorOptions;
  readonly #clocks: HostClocks;
  readonly #adjustedAt: Float64Array; // by its hardware clock
  readonly #dead = new Set<Pid>();
  readonly #offsetBeforeRestart = new Map<Pid, number>(); // offsets before a restart: a round may have read that clock
  readonly #waiting = new Set<Pid>();
  /** The range of the clocks before a round, relative to the hardware clock of the first process adjusted. */
  #range: {
    readonly round: string;
    readonly first: Pid;
    readonly least: number;
    readonly most: number;
  } | null = null;
  begun = 0; // number of synchronisations

  constructor(options: ClockMonitorOptions, clocks: HostClocks) {
    this.#options = options;
    this.#clocks = clocks;
    this.#adjustedAt = new Float64Array(options.n);
  }

  /** Whether a call at this process begins a synchronisation. */
  begins(process: Pid): boolean {
    const { synchronises, root } = this.#options;
    return beginsSynchronisation(synchronises, process, root);
  }

  /** Whether a synchronisation adjusts the clock of this process. */
  isAdjusted(process: Pid): boolean {
    const { synchronises, root } = this.#options;
    return synchronises.to === 'each other' || process !== root;
  }

  called(process: Pid): void {
    const { synchronises, n } = this.#options;
    if (!this.begins(process)) return;
    this.begun += 1;
    if (synchronises.begins !== 'root') this.#waiting.add(process);
    else for (let i = 0; i < n; i += 1) if (!this.#dead.has(i) && this.isAdjusted(i)) this.#waiting.add(i);
  }

  messageReceived(): void {}

  emitted(process: Pid, { offset, within, round }: Problems['clocks']['event']): Violation | null {
    const before = this.#clocks.read(process);
    const broken = this.settled(process) ?? this.#rangeViolation(process, offset, round);
    this.#clocks.adjust(process, { offset, within, ...(round !== undefined && { round }) });
    this.#adjustedAt[process] = before.hardware;
    this.#waiting.delete(process);
    return broken ?? (this.#clocks.read(process).shown < before.shown ? clockRanBackwards(process) : null);
  }

  /** Checks that a clock is within its promised error, unless a correction is in progress. */
  settled(process: Pid): Violation | null {
    const reading = this.#clocks.read(process);
    if (!this.#isBound(process, reading)) return null;
    const { synchronises, root, n } = this.#options;
    if (synchronises.to === 'root') {
      const distance = Math.abs(reading.shown - this.#clocks.read(root).shown);
      const most = this.#promised(process, reading);
      return distance <= most ? null : clocksTooFarApart(process, root, distance, most);
    }
    for (let j = 0; j < n; j += 1) {
      const other = this.#clocks.read(j);
      if (j === process || !this.#isBound(j, other) || other.last!.round !== reading.last!.round) continue;
      const distance = Math.abs(reading.shown - other.shown);
      const most = this.#promised(process, reading) + this.#promised(j, other);
      if (distance > most) return clocksTooFarApart(process, j, distance, most);
    }
    return null;
  }

  /** Whether the promised error must hold for this clock now. */
  #isBound(process: Pid, { last, isSettled }: ClockReading): boolean {
    return last !== null && isSettled && !this.#dead.has(process) && !this.#options.lies(process);
  }

  #promised(process: Pid, { last, hardware }: ClockReading): number {
    return last!.within + this.#options.drift * (hardware - this.#adjustedAt[process]!);
  }

  /** The violation if an adjustment leads outside the range of the truthful clocks, by more than a reading can be wrong. */
  #rangeViolation(process: Pid, offset: number, round: string | undefined): Violation | null {
    const { synchronises, longestDelay, lies, n } = this.#options;
    if (synchronises.to === 'root' || round === undefined || lies(process)) return null;
    const { hardware } = this.#clocks.read(process);
    if (this.#range?.round !== round) {
      const truthful = Array.from({ length: n }, (_, i) => i).filter((i) => !lies(i));
      const targets = truthful.flatMap((i) => {
        const reading = this.#clocks.read(i);
        const now = reading.last?.offset ?? 0;
        return [now, this.#offsetBeforeRestart.get(i) ?? now].map((one) => reading.hardware + one - hardware);
      });
      const least = targets.reduce((a, b) => Math.min(a, b));
      const most = targets.reduce((a, b) => Math.max(a, b));
      this.#range = { round, first: process, least, most };
    }
    const { first, least, most } = this.#range;
    const target = hardware + offset - this.#clocks.read(first).hardware;
    const beyond = Math.max(target - most, least - target) - longestDelay;
    return beyond <= 0 ? null : outsideClockRange(process, beyond);
  }

  crashed(process: Pid): void {
    this.#dead.add(process);
    this.#waiting.delete(process);
    const { synchronises, root } = this.#options;
    if (synchronises.begins === 'root' && process === root) this.#waiting.clear();
  }

  restarted(process: Pid): void {
    this.#offsetBeforeRestart.set(process, this.#clocks.read(process).last?.offset ?? 0);
    this.#dead.delete(process);
  }

  whenQuiescent(): Violation[] {
    if (this.#waiting.size > 0) return [notSynchronised([...this.#waiting])];
    for (let i = 0; i < this.#options.n; i += 1) {
      const broken = this.settled(i);
      if (broken !== null) return [broken];
    }
    return [];
  }

  get report(): ClockErrorReport[] {
    const { n, synchronises, root } = this.#options;
    const readings = Array.from({ length: n }, (_, i) => {
      const reading = this.#clocks.read(i);
      return {
        reading,
        promised: reading.last && this.#promised(i, reading),
        isBinding: this.#isBound(i, reading),
      };
    });
    return clockErrorReports(readings, synchronises, root);
  }
}

/** A reading, its promised error, and whether that bound must hold now. */
export interface BoundedReading {
  readonly reading: ClockReading;
  readonly promised: number | null;
  readonly isBinding: boolean;
}

/** Reports by position. Without a source, the clock with the tightest promise counts as the truth. */
export function clockErrorReports(
  readings: readonly BoundedReading[],
  { to }: Synchronisation,
  root: Pid,
): ClockErrorReport[] {
  const tightest = readings.reduce<ClockReading | null>(
    (a, { reading, isBinding }) =>
      isBinding && (a === null || reading.last!.within < a.last!.within) ? reading : a,
    null,
  );
  const source = (to === 'root' ? null : tightest) ?? readings[root]!.reading;
  return readings.map(({ reading, promised }) => ({
    trueOffset: source.shown - reading.hardware,
    estimatedOffset: reading.last?.offset ?? null,
    error: reading.shown - source.shown,
    promised,
  }));
}

// The violations of each property. Times are in nanoseconds.

export const clocksTooFarApart = (process: Pid, from: Pid, distance: number, most: number): Violation => ({
  property: 'clocks are as near as was promised',
  why: `those of ${process} and ${from} are ${nanoseconds(distance)} ns apart, but at most ${nanoseconds(most)} was promised`,
});

export const clockRanBackwards = (process: Pid): Violation => ({
  property: 'no clock runs backwards',
  why: `that of process ${process} was set back`,
});

export const outsideClockRange = (process: Pid, beyond: number): Violation => ({
  property: 'the time agreed on lies between the clocks',
  why: `process ${process} is sent ${nanoseconds(beyond)} ns beyond all clocks that tell the truth`,
});

export const notSynchronised = (waiting: readonly Pid[]): Violation => ({
  property: 'who is to be synchronised is',
  why: `nothing is left that could tell process ${pidList(waiting)} the time`,
});

const nanoseconds = (value: number): string => `${Math.round(value * 1000) / 1000}`;
