import type { Pid } from '../core/algorithm.ts';
import { type Limits, limitsOf } from '../core/bounds.ts';
import type { TraceEvent } from '../core/trace.ts';
import { beginsSynchronisation } from '../problems/clock-monitor.ts';
import { circumstancesOf, type Setup } from '../sim/index.ts';

/** What the papers allow for messages of these kinds. */
export interface AllowedRange {
  readonly counts: readonly string[];
  readonly atLeast: number;
  readonly atMost: number;
  readonly formula: string | null; // of the upper bound
  readonly says: string; // a formula, and whose it is
}

/** How often it was asked for and granted, and what that allows. Plain data. */
export interface BoundsStatus {
  readonly from: number; // events that have happened
  readonly asked: number;
  readonly granted: number;
  readonly allowed: readonly AllowedRange[];
}

/** Keeps account of a run, event by event. */
export class BoundsTracker {
  readonly setup: Setup;
  readonly #initiators: Set<Pid>;
  #events = 0;
  #asked = 0;
  #granted = 0;

  constructor(setup: Setup) {
    this.setup = setup;
    const { count, of } = setup.starts;
    this.#initiators = new Set(Array.from({ length: count }, (_, k) => of(k).process));
  }

  /** An event; gives the account if that is another now. */
  add({ process, input, outputs }: TraceEvent): BoundsStatus | null {
    const before = this.#asked + this.#granted;
    this.#events += 1;
    if (input.kind === 'call' && this.#asks(process, input.name)) {
      this.#asked += 1;
      this.#initiators.add(process);
    }
    for (const output of outputs)
      if (output.kind === 'emit' && output.event.type === 'entered') this.#granted += 1;
    return this.#asked + this.#granted > before ? this.status(false) : null;
  }

  /** Whether a call is for what the bounds are of. */
  #asks(process: Pid, call: string): boolean {
    if (call !== 'synchronise') return call === 'request' || call === 'start';
    const { algorithm, root } = this.setup;
    return beginsSynchronisation(algorithm.synchronises!, process, root);
  }

  /** An election is one; it, or synchronisations, are granted when all is over. */
  status(isOver: boolean): BoundsStatus {
    const { problem } = this.setup.algorithm;
    const asked = problem === 'election' ? 1 : this.#asked;
    const granted = problem === 'mutex' ? this.#granted : isOver ? asked : 0;
    const limits = limitsAfter(this, this.#initiators.size, asked, granted);
    const allowed = limits.map(({ counts, atLeast, atMost, upper, lower }) => {
      const bound = upper ?? lower;
      const says = bound ? `${bound.formula}: ${bound.source}` : '';
      return { counts, atLeast, atMost, formula: upper?.formula ?? null, says };
    });
    return { from: this.#events, asked, granted, allowed };
  }
}

/** The bounds that hold for a run in which so many asked, so often, and so many times it was granted. */
export function limitsAfter(
  { setup }: { readonly setup: Setup },
  initiators: number,
  asked: number,
  granted: number,
): Limits[] {
  const all = circumstancesOf(setup);
  const above = limitsOf(setup.algorithm, { ...all, initiators }, asked);
  const below = limitsOf(setup.algorithm, { ...all, initiators }, granted);
  return above.map((limits, i) => ({ ...limits, atLeast: below[i]!.atLeast, lower: below[i]!.lower }));
}
