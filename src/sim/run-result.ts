import type { Message, World } from '../core/algorithm.ts';
import { brokenBound, bypassLimits, type Limits, limitsOf, totalOf } from '../core/bounds.ts';
import type { Trace } from '../core/trace.ts';
import { type Finding, findingsIn } from '../core/world-queries.ts';
import { countedIn } from '../machine/index.ts';
import type { BypassCounts, BypassLimit } from '../problems/bypass-counter.ts';
import type { ClockErrorReport } from '../problems/clock-monitor.ts';
import type { Violation } from '../problems/monitor.ts';
import { measureViolations } from './measures/judged-bounds.ts';
import type { Measures } from './measures/measures.ts';
import type { Application } from './processes/application.ts';
import type { Fault } from './scenario/faults.ts';
import { circumstancesOf, keepsAssumptions } from './scenario/kept-assumptions.ts';
import type { Setup } from './scenario/setup.ts';

/** A global state that a run recorded: local states by position, and messages in flight. */
export type Snapshot = Pick<World<unknown, Message>, 'states' | 'inFlight'>;

/** The result of a run. */
export interface Run {
  /** The name of the algorithm. */
  readonly algorithm: string;
  /** The number of processes. */
  readonly n: number;
  /** The seed of the scenario. */
  readonly seed: number;
  /** Whether no property was violated. */
  readonly ok: boolean;
  /** The properties that were violated. A run stops at its first violation. */
  readonly violations: readonly Violation[];
  /** The messages sent, in all and by type. On shared memory: the accesses, by `read` and `write`. */
  readonly messages: { readonly total: number; readonly byType: Readonly<Record<string, number>> };
  /** How often a process entered the critical section; 0 unless the algorithm is a lock. */
  readonly entries: number;
  /** How many entries, elections or synchronisations there were. Bounds are counted per each of them. */
  readonly times: number;
  /** The most entries of others while a process waited; null unless the algorithm is a lock. */
  readonly bypass: Readonly<BypassCounts> | null;
  /** The most that the algorithm promises; Infinity where it promises nothing; null unless it is a lock. */
  readonly bypassAtMost: Readonly<BypassCounts> | null;
  /** The id that all living processes agree on, or a position if processes have no ids; null if they do not agree. */
  readonly leader: number | null;
  /** The leader that each process believes in; null if it is crashed or has not learned of one. Empty unless the algorithm elects. */
  readonly leaders: readonly (number | null)[];
  /** The time from which all living processes follow the same living leader of a perpetual election; null if they do not, or for other algorithms. */
  readonly stableSince: number | null;
  /** How far each clock is off, by position; null unless clocks are synchronised. */
  readonly clocks: readonly ClockErrorReport[] | null;
  /** The time of the last event, in ticks. */
  readonly time: number;
  /** The number of events. */
  readonly events: number;
  /** The bounds of the paper on the total number of messages. */
  readonly bounds: { readonly atLeast: number; readonly atMost: number };
  /** Whether each group of kinds that the paper counts is within its bounds. */
  readonly withinBounds: boolean;
  /** Times, chains, sizes and load; null with `measures: false`. */
  readonly measures: Measures | null;
  /** The numbers that processes have found. Absent unless the algorithm declares that it `finds` some. */
  readonly found?: readonly Finding[];
  /** The recorded global state. Absent unless the algorithm takes snapshots and one was completed. */
  readonly snapshot?: Snapshot;
  /** Every event. Absent unless the scenario has `events: true`. */
  readonly trace?: Trace;
}

interface RunTotals {
  readonly violations: readonly Violation[];
  readonly time: number;
  readonly events: number;
  readonly world: () => World<unknown, Message>;
}

/** Returns the result of a run. */
export function resultOf(
  setup: Setup,
  application: Application,
  byType: Readonly<Record<string, number>>,
  totals: RunTotals,
  measures: Measures | null,
): Run {
  const limits = limitsOfRun(setup, application);
  const { finds, snapshots } = setup.algorithm;
  const snapshot = snapshots?.recorded(totals.world()) ?? null;
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
    stableSince: application.stableSince,
    clocks: application.clocks,
    time: totals.time,
    events: totals.events,
    bounds: totalOf(limits, Object.keys(byType)),
    withinBounds: brokenBound(limits, byType) === null,
    measures,
    ...(finds && { found: findingsIn(finds, totals.world().states) }),
    ...(snapshot && { snapshot: withoutAddressing(snapshot) }),
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
  measures: Measures | null,
): Violation[] {
  if (!keepsAssumptions(setup)) return [];
  const { one, many } = countedIn(setup.algorithm);
  const why = brokenBound(limitsOfRun(setup, application), byType, many);
  return why === null ? measureViolations(measures) : [{ property: `the ${one} bound`, why }];
}

/**
 * Returns the verdict at the end of a trace: `ok`, or the first violation.
 * @example
 * import { verdictText } from 'batonjs-lab/sim';
 *
 * verdictText([]); // → 'ok'
 * verdictText([{ property: 'mutual exclusion', why: '0 and 1 are inside' }]); // → 'mutual exclusion is violated: 0 and 1 are inside'
 */
export const verdictText = ([first]: readonly Violation[]): string =>
  first ? `${first.property} is violated: ${first.why}` : 'ok';
