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
  readonly times: number; // that bounds are counted per: entries, elections, or synchronisations
  readonly bypass: Readonly<BypassCounts> | null; // the most entries of others while one waited; null in an election
  readonly bypassAtMost: Readonly<BypassCounts> | null; // as promised
  readonly leader: number | null; // the id all agree on, or a position where processes have no ids
  readonly leaders: readonly (number | null)[]; // what each process believes
  readonly clocks: readonly ClockErrorReport[] | null; // by position, where clocks are synchronised
  readonly time: number;
  readonly events: number;
  readonly bounds: { readonly atLeast: number; readonly atMost: number }; // of all messages of this run
  readonly withinBounds: boolean; // of each group of kinds that the paper counts
  readonly snapshot?: Snapshot; // the global state that was recorded, if one was
  readonly trace?: Trace; // with its events, if they were asked for
}

interface RunTotals {
  readonly violations: readonly Violation[];
  readonly time: number;
  readonly events: number;
  readonly snapshot?: World<unknown, Message> | null;
}

/** What a run has come to. */
export function resultOf(
  setup: Setup,
  application: Application,
  byType: Readonly<Record<string, number>>,
  moment: RunTotals,
): Run {
  const limits = limitsAfter(setup, application);
  return {
    algorithm: setup.algorithm.name,
    n: setup.n,
    seed: setup.seed,
    ok: moment.violations.length === 0,
    violations: moment.violations,
    messages: { total: Object.values(byType).reduce((a, b) => a + b, 0), byType },
    entries: application.entries,
    times: application.times,
    bypass: application.bypassed,
    bypassAtMost: application.bypassed && mostOf(promisedBypassLimits(setup)),
    leader: application.leader,
    leaders: application.leaders,
    clocks: application.clocks,
    time: moment.time,
    events: moment.events,
    bounds: totalOf(limits, Object.keys(byType)),
    withinBounds: brokenBound(limits, byType) === null,
    ...(moment.snapshot && { snapshot: withoutAddressing(moment.snapshot) }),
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

/** What others are held to: nothing where an assumption is dropped, or where a disturbance makes those who wait begin anew. */
export const enforcedBypassLimits = (setup: Setup): BypassLimit[] =>
  keepsAssumptions(setup) && !setup.faults.some(({ type }) => disturbances.includes(type))
    ? promisedBypassLimits(setup)
    : [];

const limitsAfter = (setup: Setup, application: Application): Limits[] =>
  limitsOf(setup.algorithm, circumstancesOf(setup), application.times);

/** The bound that was broken, where every assumption was kept. */
export function boundViolations(
  setup: Setup,
  application: Application,
  byType: Readonly<Record<string, number>>,
): Violation[] {
  if (!keepsAssumptions(setup)) return [];
  const { one, many } = countedIn(setup.algorithm);
  const why = brokenBound(limitsAfter(setup, application), byType, many);
  return why === null ? [] : [{ property: `the ${one} bound`, why }];
}

/** As a trace ends. */
export const verdictText = ([first]: readonly Violation[]): string =>
  first ? `${first.property} is violated: ${first.why}` : 'ok';
