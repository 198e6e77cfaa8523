import type { Pid } from '../core/algorithm.ts';
import { type Limits, limitsOf } from '../core/bounds.ts';
import type { TraceEvent } from '../core/trace.ts';
import { beginsSynchronisation } from '../problems/clock-monitor.ts';
import { ElectionCount } from '../problems/election-count.ts';
import { circumstancesOf, type Setup } from '../sim/index.ts';

/** How many messages of these kinds the papers allow. */
export interface AllowedRange {
  readonly counts: readonly string[];
  readonly atLeast: number;
  readonly atMost: number;
  readonly formula: string | null; // of the upper bound
  readonly says: string; // the formula and its source
}

/** How many requests were made and granted, and how many messages that allows. Plain data. */
export interface BoundsStatus {
  readonly from: number; // the position from which this holds
  readonly asked: number;
  readonly granted: number;
  readonly allowed: readonly AllowedRange[];
}

/** Tracks the bounds of a run, event by event. */
export class BoundsTracker {
  readonly setup: Setup;
  readonly #initiators: Set<Pid>;
  #events = 0;
  #asked = 0;
  #granted = 0;
  readonly #elections: ElectionCount;

  constructor(setup: Setup) {
    this.setup = setup;
    this.#elections = new ElectionCount(setup.n, setup.algorithm.electsAgain);
    const { count, of } = setup.starts;
    const starting = Array.from({ length: count }, (_, k) => of(k).process);
    this.#initiators = new Set(starting.filter((process) => setup.topology.includes(process)));
  }

  /** Adds an event. Returns the new status, or null if it has not changed. */
  add({ process, input, outputs }: TraceEvent): BoundsStatus | null {
    const before = this.#asked + this.#granted;
    this.#events += 1;
    if (input.kind === 'call' && this.#asks(process, input.name)) {
      this.#asked += 1;
      this.#initiators.add(process);
      if (input.name === 'start') this.#elections.started(process);
    }
    for (const output of outputs) {
      if (output.kind !== 'emit') continue;
      if (output.event.type === 'entered') this.#granted += 1;
      else if (output.event.type === 'elected') this.#elections.learned(process);
    }
    return this.#asked + this.#granted > before ? this.status(false) : null;
  }

  /** Whether a call counts as a request that the bounds are about. */
  #asks(process: Pid, call: string): boolean {
    if (call !== 'synchronise') return call === 'request' || call === 'start';
    const { algorithm, root } = this.setup;
    return beginsSynchronisation(algorithm.synchronises!, process, root);
  }

  /** All starts of one election count as one. Elections and synchronisations count as granted only when the run is over. */
  status(isOver: boolean): BoundsStatus {
    const { problem } = this.setup.algorithm;
    const asked = problem === 'election' ? Math.max(1, this.#elections.count) : this.#asked;
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

/** The bounds of a run with this many initiators, requests and granted requests. */
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
