import { brokenBound, type Limits, limitsOf, totalOf } from '../core/bounds.ts';
import type { Violation } from '../problems/monitor.ts';
import type { Application } from './application.ts';
import { circumstancesOf, keepsAssumptions, type Setup } from './scenario.ts';

export interface Run {
  readonly algorithm: string;
  readonly n: number;
  readonly seed: number;
  readonly ok: boolean;
  readonly violations: readonly Violation[];
  readonly messages: { readonly total: number; readonly byType: Readonly<Record<string, number>> };
  readonly entries: number;
  readonly leader: number | null; // the id all agree on, or a position where processes have no ids
  readonly leaders: readonly (number | null)[]; // what each process believes
  readonly time: number;
  readonly events: number;
  readonly bounds: { readonly atLeast: number; readonly atMost: number }; // of all messages of this run
  readonly withinBounds: boolean; // of each group of kinds that the paper counts
}

/** What a run has come to. */
export function summarise(
  setup: Pick<Setup, 'n' | 'seed'> & { readonly algorithm: { readonly name: string } },
  limits: readonly Limits[],
  application: Application,
  byType: Readonly<Record<string, number>>,
  moment: { readonly violations: readonly Violation[]; readonly time: number; readonly events: number },
): Run {
  return {
    algorithm: setup.algorithm.name,
    n: setup.n,
    seed: setup.seed,
    ok: moment.violations.length === 0,
    violations: moment.violations,
    messages: { total: Object.values(byType).reduce((a, b) => a + b, 0), byType },
    entries: application.entries,
    leader: application.leader,
    leaders: application.leaders,
    time: moment.time,
    events: moment.events,
    bounds: totalOf(limits, Object.keys(byType)),
    withinBounds: brokenBound(limits, byType) === null,
  };
}

export const limitsAfter = (setup: Setup, application: Application): Limits[] =>
  limitsOf(setup.algorithm, circumstancesOf(setup), application.times);

/** The bound that was broken, where every assumption was kept. */
export function outOfBounds(
  setup: Setup,
  application: Application,
  byType: Readonly<Record<string, number>>,
): Violation[] {
  const why = keepsAssumptions(setup) ? brokenBound(limitsAfter(setup, application), byType) : null;
  return why === null ? [] : [{ property: 'the message bound', why }];
}
