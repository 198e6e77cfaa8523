import type { Pid } from '../core/algorithm.ts';
import type { TraceEvent } from '../core/trace.ts';

/** A synchronisation delay: from a release, while another process waits, to the next entry by another process. */
export interface DelayInterval {
  /** The event that releases. */
  readonly from: number;
  /** The event that enters. */
  readonly to: number;
  /** The time between them. */
  readonly ticks: number;
}

/** Finds the synchronisation delays of a growing run. `MutexTimes` measures the same in the simulator. */
export class DelayFinder {
  readonly found: DelayInterval[] = [];
  readonly #waiting = new Set<Pid>();
  #release: { readonly event: number; readonly process: Pid; readonly time: number } | null = null; // while another process waited, and none has entered since

  add(index: number, { time, process, input, outputs }: TraceEvent): void {
    if (input.kind === 'crash') this.#waiting.delete(process);
    else if (input.kind === 'call' && input.name === 'request') this.#waiting.add(process);
    else if (input.kind === 'call' && input.name === 'release')
      this.#release = this.#waiting.size > 0 ? { event: index, process, time } : null;
    for (const output of outputs)
      if (output.kind === 'emit' && output.event.type === 'entered') this.#enters(index, process, time);
  }

  #enters(index: number, process: Pid, time: number): void {
    this.#waiting.delete(process);
    const release = this.#release;
    this.#release = null;
    if (release !== null && release.process !== process)
      this.found.push({ from: release.event, to: index, ticks: time - release.time });
  }
}

const uneven = ['slow', 'partition', 'pause', 'hand']; // fields of a scenario that let some messages take longer

/** Returns the time T that every message of a run takes; null if they take different times, or there are none. */
export function messageTimeIn(scenario: Readonly<Record<string, string>>): number | null {
  const [, ticks] = /^fixed:(\d+)$/.exec(scenario.latency ?? '') ?? [];
  if (ticks === undefined || scenario.channels === undefined) return null; // shared memory has no channels
  return uneven.some((field) => field in scenario) || Number(ticks) === 0 ? null : Number(ticks);
}

/** Returns a time in units of T, as in `T`, `2T` or `0.5T`. */
export function timeInT(ticks: number, T: number): string {
  const times = Number((ticks / T).toPrecision(3));
  return times === 0 ? '0' : `${times === 1 ? '' : times}T`;
}

/** Returns the label of a delay: its ticks, and the same in units of T if T is known. */
export const delayText = (ticks: number, T: number | null): string =>
  T === null || ticks === 0 ? `${ticks}` : `${ticks} = ${timeInT(ticks, T)}`;
