import type { Pid, Problems, Synchronisation } from '../core/algorithm.ts';
import type { Monitor, Violation } from './monitor.ts';
import { pidList } from './mutex-monitor.ts';

export type Adjustment = Omit<Problems['clocks']['event'], 'type'>;

/** Whether a call at a process begins a synchronisation. */
export const beginsSynchronisation = (synchronises: Synchronisation, process: Pid, root: Pid): boolean =>
  synchronises.begins === 'all' || (synchronises.begins === 'root') === (process === root);

/** What can be seen of a clock at a moment; in nanoseconds. */
export interface ClockReading {
  readonly hardware: number;
  readonly shown: number; // hardware and correction, as far as that is worked off
  readonly isSettled: boolean; // nothing is left to work off
  readonly last: (Adjustment & { readonly at: number }) | null; // the last adjustment, and when it came, in ticks
}

/** What a run has come to at one process: the truth, what it took for the truth, and what was promised of the difference. */
export interface ClockErrorReport {
  readonly trueOffset: number; // of the source, seen from the hardware clock
  readonly estimatedOffset: number | null; // null: never told
  readonly error: number; // of the clock that is shown
  readonly promised: number | null; // it is at most so much now
}

export interface ClockMonitorOptions {
  readonly n: number;
  readonly root: Pid;
  readonly synchronises: Synchronisation;
  readonly drift: number;
  readonly longestDelay: number; // the clocks of a round are read no further apart
  readonly lies: (process: Pid) => boolean; // who lies is promised nothing
}

/** The host's clocks, now. */
export interface HostClocks {
  read(process: Pid): ClockReading;
  adjust(process: Pid, adjustment: Adjustment): void;
}

/**
 * Clock synchronisation: once a correction is worked off, the clock is as near as was promised, and the promise loses no more than clocks
 * drift; no clock runs backwards; where there is no source, a round takes nobody away from all clocks that tell the truth. Between two
 * corrections everything is linear in time, so that looking at both ends is looking at every moment.
 */
export class ClockMonitor implements Monitor<Problems['clocks']['event']> {
  readonly #options: ClockMonitorOptions;
  readonly #clocks: HostClocks;
  readonly #toldAt: Float64Array; // by its hardware clock
  readonly #dead = new Set<Pid>();
  readonly #former = new Map<Pid, number>(); // offsets before a restart: it may have been asked in its former life
  readonly #waiting = new Set<Pid>();
  /** Where the clocks were before a round, seen from the hardware clock of who was told first. */
  #range: {
    readonly round: string;
    readonly first: Pid;
    readonly least: number;
    readonly most: number;
  } | null = null;
  begun = 0; // synchronisations

  constructor(timekeeping: ClockMonitorOptions, clocks: HostClocks) {
    this.#options = timekeeping;
    this.#clocks = clocks;
    this.#toldAt = new Float64Array(timekeeping.n);
  }

  /** Whether a call here begins a synchronisation. */
  begins(process: Pid): boolean {
    const { synchronises, root } = this.#options;
    return beginsSynchronisation(synchronises, process, root);
  }

  /** Whether it will be told itself. */
  isTold(process: Pid): boolean {
    const { synchronises, root } = this.#options;
    return synchronises.to === 'each other' || process !== root;
  }

  called(process: Pid): void {
    const { synchronises, n } = this.#options;
    if (!this.begins(process)) return;
    this.begun += 1;
    if (synchronises.begins !== 'root') this.#waiting.add(process);
    else for (let i = 0; i < n; i += 1) if (!this.#dead.has(i) && this.isTold(i)) this.#waiting.add(i);
  }

  messageReceived(): void {}

  emitted(process: Pid, { offset, within, round }: Problems['clocks']['event']): Violation | null {
    const before = this.#clocks.read(process);
    const broken = this.settled(process) ?? this.#strayed(process, offset, round);
    this.#clocks.adjust(process, { offset, within, ...(round !== undefined && { round }) });
    this.#toldAt[process] = before.hardware;
    this.#waiting.delete(process);
    return broken ?? (this.#clocks.read(process).shown < before.shown ? clockRanBackwards(process) : null);
  }

  /** Whether a clock is as near as was promised, unless a correction is still being worked off. */
  settled(process: Pid): Violation | null {
    const face = this.#clocks.read(process);
    if (!this.#isBound(process, face)) return null;
    const { synchronises, root, n } = this.#options;
    if (synchronises.to === 'root') {
      const distance = Math.abs(face.shown - this.#clocks.read(root).shown);
      const most = this.#promised(process, face);
      return distance <= most ? null : clocksTooFarApart(process, root, distance, most);
    }
    for (let j = 0; j < n; j += 1) {
      const other = this.#clocks.read(j);
      if (j === process || !this.#isBound(j, other) || other.last!.round !== face.last!.round) continue;
      const distance = Math.abs(face.shown - other.shown);
      const most = this.#promised(process, face) + this.#promised(j, other);
      if (distance > most) return clocksTooFarApart(process, j, distance, most);
    }
    return null;
  }

  #isBound(process: Pid, { last, isSettled }: ClockReading): boolean {
    return last !== null && isSettled && !this.#dead.has(process) && !this.#options.lies(process);
  }

  #promised(process: Pid, { last, hardware }: ClockReading): number {
    return last!.within + this.#options.drift * (hardware - this.#toldAt[process]!);
  }

  /** Where it is sent is, by more than a reading can be wrong, outside of where all truthful clocks were when the round ended. */
  #strayed(process: Pid, offset: number, round: string | undefined): Violation | null {
    const { synchronises, longestDelay, lies, n } = this.#options;
    if (synchronises.to === 'root' || round === undefined || lies(process)) return null;
    const { hardware } = this.#clocks.read(process);
    if (this.#range?.round !== round) {
      const truthful = Array.from({ length: n }, (_, i) => i).filter((i) => !lies(i));
      const meant = truthful.flatMap((i) => {
        const face = this.#clocks.read(i);
        const now = face.last?.offset ?? 0;
        return [now, this.#former.get(i) ?? now].map((one) => face.hardware + one - hardware);
      });
      const least = meant.reduce((a, b) => Math.min(a, b));
      const most = meant.reduce((a, b) => Math.max(a, b));
      this.#range = { round, first: process, least, most };
    }
    const { first, least, most } = this.#range;
    const sentTo = hardware + offset - this.#clocks.read(first).hardware;
    const beyond = Math.max(sentTo - most, least - sentTo) - longestDelay;
    return beyond <= 0 ? null : outsideClockRange(process, beyond);
  }

  crashed(process: Pid): void {
    this.#dead.add(process);
    this.#waiting.delete(process);
    const { synchronises, root } = this.#options;
    if (synchronises.begins === 'root' && process === root) this.#waiting.clear();
  }

  restarted(process: Pid): void {
    this.#former.set(process, this.#clocks.read(process).last?.offset ?? 0);
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

/** A clock, and how far it may be off now; it is sure if it is held to that. */
export interface BoundedReading {
  readonly reading: ClockReading;
  readonly promised: number | null;
  readonly isBinding: boolean;
}

/** By position. Where there is no source, the truth is the clock of whom most is promised. */
export function clockErrorReports(
  readings: readonly BoundedReading[],
  { to }: Synchronisation,
  root: Pid,
): ClockErrorReport[] {
  const surest = readings.reduce<ClockReading | null>(
    (a, { reading, isBinding }) =>
      isBinding && (a === null || reading.last!.within < a.last!.within) ? reading : a,
    null,
  );
  const source = (to === 'root' ? null : surest) ?? readings[root]!.reading;
  return readings.map(({ reading, promised }) => ({
    trueOffset: source.shown - reading.hardware,
    estimatedOffset: reading.last?.offset ?? null,
    error: reading.shown - source.shown,
    promised,
  }));
}

// What each property says when it breaks. Times are in nanoseconds.

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
