import type { Pid } from '../core/algorithm.ts';

/** A stretch in which a process was inside together with another process. */
export interface Overlap {
  /** The process. */
  readonly process: Pid;
  /** The event with which it began. */
  readonly from: number;
  /** The event that ended it; -1 while it lasts. */
  to: number;
}

/** Finds the overlaps in a growing run. */
export class OverlapFinder {
  readonly found: Overlap[] = [];
  readonly #inside = new Map<Pid, Overlap | null>(); // the processes inside, with the overlap that lasts

  enters(process: Pid, event: number): void {
    if (this.#inside.has(process)) return;
    this.#inside.set(process, null);
    if (this.#inside.size === 1) return;
    for (const [one, lasting] of this.#inside) {
      if (lasting) continue;
      const overlap = { process: one, from: event, to: -1 };
      this.#inside.set(one, overlap);
      this.found.push(overlap);
    }
  }

  leaves(process: Pid, event: number): void {
    this.#end(process, event);
    this.#inside.delete(process);
    if (this.#inside.size !== 1) return;
    for (const last of this.#inside.keys()) {
      this.#end(last, event);
      this.#inside.set(last, null);
    }
  }

  #end(process: Pid, event: number): void {
    const lasting = this.#inside.get(process);
    if (lasting) lasting.to = event;
  }
}
