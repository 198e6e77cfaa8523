import type { Message, World } from '../core/algorithm.ts';
import { brokenBound, bypassLimits, type Limits, limitsOf, totalOf } from '../core/bounds.ts';
import type { Trace } from '../core/trace.ts';
import { countedIn } from '../machine/index.ts';
import type { BypassCounts, BypassLimit } from '../problems/bypass-counter.ts';
import type { ClockErrorReport } from '../problems/clock-monitor.ts';
import type { Violation } from '../problems/monitor.ts';
import type { Application } from './processes/application.ts';
import type { Fault } from './scenario/faults.ts';
import { circumstancesOf, keepsAssumptions } from './scenario/kept-assumptions.ts';
import type { Setup } from './scenario/setup.ts';

export type Snapshot = Pick<World<unknown, Message>, 'states' | 'inFlight'>;

export interface Run {
  readonly algorithm: string;
  readonly n: number;
  readonly seed: number;
  readonly ok: boolean;
  readonly violations: readonly Violation[];
  readonly messages: { readonly total: number; readonly byType: Readonly<Record<string, number>> };
  readonly entries: number;
  readonly times: number; // what bounds are counted per: entries, elections or synchronisations
  readonly bypass: Readonly<BypassCounts> | null; // most entries of others while a process waited; null unless a lock
  readonly bypassAtMost: Readonly<BypassCounts> | null; // what the algorithm promises
  readonly leader: number | null; // the id all agree on, or a position if processes have no ids
  readonly leaders: readonly (number | null)[]; // what each process believes
  readonly clocks: readonly ClockErrorReport[] | null; // by position; null unless clocks are synchronised
  readonly time: number;
  readonly events: number;
  readonly bounds: { readonly atLeast: number; readonly atMost: number }; // of the total number of messages
  readonly withinBounds: boolean; // for each group of kinds that the paper counts
  readonly snapshot?: Snapshot; // the recorded global state, if any
  readonly trace?: Trace; // with `events: true`
}

interface RunTotals {
  readonly violations: readonly Violation[];
  readonly time: number;
  readonly events: number;
  readonly snapshot?: World<unknown, Message> | null;
}

/** The result of a run. */
export function resultOf(
  setup: Setup,
  application: Application,
  byType: Readonly<Record<string, number>>,
  totals: RunTotals,
): Run {
  const limits = limitsOfRun(setup, application);
  return {
    algorithm: setup.algorithm.name,
    n: setup.n,
    seed: setup.seed,
    ok: totals.violations.length === 0,
    violations: totals.violations,
    messages: { total: Object.values(byType).reduce((a, b) => a + b, 0), byType },
    entries: application.entries,
    times: application.times,
    bypass: application.bypassed,
    bypassAtMost: application.bypassed && mostOf(promisedBypassLimits(setup)),
    leader: application.leader,
    leaders: application.leaders,
    clocks: application.clocks,
    time: totals.time,
    events: totals.events,
    bounds: totalOf(limits, Object.keys(byType)),
    withinBounds: brokenBound(limits, byType) === null,
    ...(totals.snapshot && { snapshot: withoutAddressing(totals.snapshot) }),
  };
}

const withoutAddressing = ({ states, inFlight }: Snapshot): Snapshot => ({ states, inFlight });

function mostOf(limits: readonly BypassLimit[]): BypassCounts {
  const bypassed = { request: Infinity, heard: Infinity, quiet: Infinity };
  for (const { from, most } of limits) bypassed[from] = most;
  return bypassed;
}

const promisedBypassLimits = (setup: Setup): BypassLimit[] =>
  bypassLimits(setup.algorithm, circumstancesOf(setup));

const disturbances: readonly Fault['type'][] = ['corrupt', 'cut', 'link'];

/** The bypass limits that this run must keep. There are none if it drops an assumption, or if a fault makes waiters start over. */
export const enforcedBypassLimits = (setup: Setup): BypassLimit[] =>
  keepsAssumptions(setup) && !setup.faults.some(({ type }) => disturbances.includes(type))
    ? promisedBypassLimits(setup)
    : [];

const limitsOfRun = (setup: Setup, application: Application): Limits[] =>
  limitsOf(setup.algorithm, circumstancesOf(setup), application.times);

/** The broken bound, if the run keeps every assumption. */
export function boundViolations(
  setup: Setup,
  application: Application,
  byType: Readonly<Record<string, number>>,
): Violation[] {
  if (!keepsAssumptions(setup)) return [];
  const { one, many } = countedIn(setup.algorithm);
  const why = brokenBound(limitsOfRun(setup, application), byType, many);
  return why === null ? [] : [{ property: `the ${one} bound`, why }];
}

/** The verdict at the end of a trace. */
export const verdictText = ([first]: readonly Violation[]): string =>
  first ? `${first.property} is violated: ${first.why}` : 'ok';
