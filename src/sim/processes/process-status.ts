import type { Pid } from '../../core/algorithm.ts';
import type { Fault } from '../scenario/faults.ts';
import type { Setup } from '../scenario/setup.ts';

const up = 0;
const paused = 1;
const crashed = 2;

export type StatusChange = 'pause' | 'resume' | 'crash' | 'restart' | 'corrupt';

/** Which processes are up, paused or crashed. */
export class ProcessStatus {
  readonly #status: Uint8Array;
  readonly #pausedUntil = new Map<Pid, number>();

  constructor({ n }: Pick<Setup, 'n'>) {
    this.#status = new Uint8Array(n);
  }

  isPaused(process: Pid): boolean {
    return this.#status[process] === paused;
  }

  isCrashed(process: Pid): boolean {
    return this.#status[process] === crashed;
  }

  /**
   * Applies a fault, or the end of a pause. Returns the change, or null if there is none. A crashed process ignores everything but a
   * restart. Overlapping pauses end with the last one.
   */
  apply(process: Pid, fault: Fault, begins: boolean, now: number): StatusChange | null {
    const status = this.#status[process]!;
    switch (fault.type) {
      case 'pause':
        if (status === crashed) return null;
        return begins ? this.#pause(process, fault.until) : this.#resume(process, now);
      case 'crash':
        if (status === crashed) return null;
        this.#status[process] = crashed;
        this.#pausedUntil.delete(process);
        return 'crash';
      case 'restart':
        if (status !== crashed) return null;
        this.#status[process] = up;
        return 'restart';
      case 'corrupt':
        return status === crashed ? null : 'corrupt';
      default:
        return null; // a fault of the network
    }
  }

  #pause(process: Pid, until: number): StatusChange | null {
    this.#pausedUntil.set(process, Math.max(this.#pausedUntil.get(process) ?? 0, until));
    if (this.#status[process] === paused) return null;
    this.#status[process] = paused;
    return 'pause';
  }

  #resume(process: Pid, now: number): StatusChange | null {
    if (this.#status[process] !== paused || now < (this.#pausedUntil.get(process) ?? 0)) return null;
    this.#status[process] = up;
    return 'resume';
  }
}
