import type { AnyAlgorithm } from '../core/algorithm.ts';
import { InputError } from '../core/assert.ts';
import { optionNames, refuseUnknownOptions } from '../core/did-you-mean.ts';
import {
  type DeclaredAlgorithm,
  declared,
  type EitherAlgorithm,
  isCeaseless,
  mediumOf,
  refuseMeaningless,
} from '../machine/index.ts';
import type { BypassLimit } from '../problems/bypass-counter.ts';
import { enforcedBypassLimits } from '../sim/run-result.ts';
import { keepsAssumptions } from '../sim/scenario/kept-assumptions.ts';
import { checkWhole } from '../sim/scenario/number-checks.ts';
import type { Scenario } from '../sim/scenario/scenario.ts';
import { prepare, type Setup } from '../sim/scenario/setup.ts';
import { LemmaReads } from './properties/lemma-reads.ts';
import {
  type MeasureLimits,
  measureLimitsOf,
  noMeasureLimits,
  uncheckedBounds,
} from './properties/measure-limits.ts';

const defaultSize = 3;

/** What a search supports where processes send messages, and where they share memory. */
const supported = {
  messages: {
    scenario: { latency: 'uniform:0:1' },
    mostFaults: 15, // each kind has four bits
    mayReduce: true,
    mayAskForever: false,
    keepsCrashed: false, // a crashed process has no variables
  },
  memory: { scenario: {}, mostFaults: Infinity, mayReduce: false, mayAskForever: true, keepsCrashed: true },
} as const;
const largest = 200; // processes; larger worlds are so wide that no search would end

/**
 * The part of a scenario that a search of all interleavings depends on: processes, network and workload, but no times. Here `n` defaults to 3
 * and `latency` to `uniform:0:1`, and any process may begin a snapshot. On shared memory `entries` may be Infinity: every process may ask forever.
 */
export type Space = Pick<
  Scenario,
  | 'n'
  | 'ids'
  | 'topology'
  | 'root'
  | 'channels'
  | 'latency'
  | 'clocks'
  | 'start'
  | 'entries'
  | 'snapshot'
  | 'seed'
>;

/** What a search checks, and how. Faults default to none, properties to what the problem asks for. */
export interface CheckOptions {
  /** Whether every initiator starts before anything else happens, not at any time or never. Defaults to false. */
  readonly together?: boolean;
  /** The most crashes. On shared memory a crashed process may ask again. Defaults to 0. */
  readonly crashes?: number;
  /** The most messages lost. Defaults to 0. */
  readonly losses?: number;
  /** The most messages received twice. Defaults to 0. */
  readonly repeats?: number;
  /** The messages on a channel at which timers that would send on it wait. Defaults to Infinity: no timer waits. See {@link timerCapacity}. */
  readonly capacity?: number;
  /** Whether to check the invariants of the algorithm in every state. Defaults to true, where what the algorithm assumes holds. */
  readonly lemmas?: boolean;
  /** Whether to check its bypass bounds. Defaults to false. */
  readonly bypass?: boolean;
  /** Whether to check its bounds on messages and on the longest chain, in every run that ends, and on the sizes of messages. Defaults to false. */
  readonly bounds?: boolean;
  /** Whether to check runs without end: that no fair one keeps a process waiting, or without a leader, or goes on though it should end. Defaults to true. */
  readonly progress?: boolean;
  /** Whether to start from every value of the variables of a self-stabilising algorithm. Defaults to false. */
  readonly corrupted?: boolean;
  /** Whether to use partial-order and symmetry reduction. Defaults to true. */
  readonly reduction?: boolean;
  /** The most states to visit. Defaults to 100 million. */
  readonly maxStates?: number;
  /** The most memory to use, in bytes. Defaults to 4 GiB. */
  readonly maxBytes?: number;
  /** The most events of a run. Defaults to no limit. */
  readonly maxDepth?: number;
}

export const checkOptionNames = optionNames<CheckOptions>({
  together: true,
  crashes: true,
  losses: true,
  repeats: true,
  capacity: true,
  lemmas: true,
  bypass: true,
  bounds: true,
  progress: true,
  corrupted: true,
  reduction: true,
  maxStates: true,
  maxBytes: true,
  maxDepth: true,
});

const spaceFields = optionNames<Space>({
  n: true,
  ids: true,
  topology: true,
  root: true,
  channels: true,
  latency: true,
  clocks: true,
  start: true,
  entries: true,
  snapshot: true,
  seed: true,
});

/** @throws {InputError} if the space or the options have a field that does not exist, which would have no effect. */
export function refuseUnknownFields(
  call: string,
  space: Space,
  options: object,
  names: readonly string[],
): void {
  refuseUnknownOptions('the space of a search', space, spaceFields);
  refuseUnknownOptions(call, options, names);
}

/** A check with every default filled in. */
export interface CheckConfig {
  /** The scenario. On shared memory, `entries` may be Infinity. */
  readonly setup: Setup;
  readonly together: boolean;
  readonly crashes: number;
  readonly losses: number;
  readonly repeats: number;
  /** Infinity: timers wait for nothing. */
  readonly capacity: number;
  /** The bypass bounds to check. */
  readonly bypass: readonly BypassLimit[];
  /** Whether to check the bounds on the number of messages. */
  readonly bounds: boolean;
  /** The bounds on the longest chain and on the sizes of messages to check. */
  readonly measures: MeasureLimits;
  /** Which bounds are not checked though all were asked for, and why; null if all are. */
  readonly againstBounds: string | null;
  /** What the invariants of the algorithm read, as far as known; null if they are not checked. */
  readonly lemmaReads: LemmaReads | null;
  /** Why its invariants are not checked though nobody said so; null if they are, or if it has none. */
  readonly againstLemmas: string | null;
  readonly corrupted: boolean;
  readonly mayBeAcyclic: boolean; // it is worth looking whether the graph of the search has a cycle at all
  /** Whether to follow one message alone where it may come first, as far as is known. Sleep sets are off then. */
  readonly earlyDelivery: boolean;
  /** The budget of tries for that: see `CommuteClaims`. */
  readonly claimTries: number;
  /** Whether to follow the events of one process alone where they may come first. */
  readonly ampleSets: boolean;
  /** The reduction in use, or why there is none, for readers. */
  readonly reduction: string;
  /** Whether the processes of the ring are interchangeable, so that worlds that are rotations of each other are one. */
  readonly symmetric: boolean;
}

/** What a search does in every world. */
export interface SearchOptions {
  readonly sleepSets: boolean;
  readonly lemmas: boolean; // check lemmas, or bounds
  readonly logSteps?: boolean; // the graph may turn out to have no cycle. Defaults to false.
}

/** The model has time where delays or clocks are bounded. Otherwise a message can take any time, and a timer can fire at any moment. */
export const isTimed = ({ algorithm }: Setup): boolean => algorithm.assumes.timing !== 'asynchronous';

/** Runs that never end cannot show at their end that a process waits forever. */
export const checksProgress = ({ progress = true, corrupted = false }: CheckOptions): boolean =>
  corrupted || progress;

/** What a search can do with reductions. */
export interface ReductionLimits {
  readonly claimTries?: number; // it can handle claims that are withdrawn later, and may try out this many steps for them. Defaults to none.
  readonly keepsAllWorlds?: boolean; // a second search, after a reduced one: it will look for fair cycles, and must leave out no world
  readonly lemmaReads?: LemmaReads; // what lemmas read in an earlier search
}

/**
 * Fills in every default and refuses what makes no sense.
 * @throws {InputError} if an option does not apply to the algorithm, or a value is out of range.
 */
export function configOf(
  given: EitherAlgorithm,
  space: Space,
  options: CheckOptions,
  { claimTries = 0, keepsAllWorlds = false, lemmaReads = new LemmaReads() }: ReductionLimits = {},
): CheckConfig {
  const algorithm = declared(given);
  const may = supported[mediumOf(algorithm)];
  if (algorithm.problem === 'clocks')
    throw new InputError(
      `${algorithm.name} reads clocks, and every reading is another state: baton simulate tries it, seed by seed`,
    );
  refuseMeaningless(algorithm, { ...options }, ['losses', 'repeats', 'capacity', 'bounds']);
  const { ids, topology, entries = 1 } = space;
  const { min = 1, max = Infinity } = algorithm.processes ?? {};
  const least = Math.min(Math.max(defaultSize, min), max);
  const n = space.n ?? ids?.length ?? (typeof topology === 'object' ? topology.n : undefined);
  const isListed = typeof topology === 'string' && topology.startsWith('edges:');
  const size = n === undefined && isListed ? {} : { n: n ?? least };
  refuseTooMany(n);
  const finite = may.mayAskForever && entries === Infinity ? { entries: 1 } : {};
  const prepared = prepare(algorithm, { ...may.scenario, ...space, ...size, ...finite });
  refuseTooMany(prepared.n);
  const setup = {
    ...prepared,
    entries,
    snapshots: space.snapshot ? prepared.snapshots : anyInitiator(prepared),
  };
  if (isTimed(setup) && setup.latency.max === Infinity)
    throw new InputError(`${algorithm.name} counts on a bound for delays: use fixed:D or uniform:A:B`);
  const { crashes = 0, losses = 0, repeats = 0, capacity = Infinity, bypass = false } = options;
  for (const [what, count] of Object.entries({ crashes, losses, repeats }))
    checkWhole(count, what, 0, may.mostFaults);
  if (capacity < Infinity) checkWhole(capacity, 'capacity', 1);
  refuseNonsense(algorithm, options, may.keepsCrashed);
  const mayReduce = options.reduction !== false && may.mayReduce;
  const isCertainToCycle = checksProgress(options) && (options.corrupted === true || isCeaseless(algorithm));
  const keepsAll = keepsAllWorlds || isCertainToCycle;
  const symmetric = mayReduce && !keepsAll && isSymmetric(setup);
  const against = mayReduce && !symmetric ? againstReduction(setup, options, keepsAll) : 'not asked for';
  const early =
    claimTries > 0 && against === null && setup.channels === 'unordered' && options.maxDepth === undefined;
  const ample = against === null && setup.channels === 'fifo' && options.maxDepth === undefined;
  const againstLemmas = whyNoLemmas(setup, options, may.keepsCrashed);
  const checksLemmas = algorithm.invariants !== undefined && (options.lemmas ?? againstLemmas === null);
  const isUnfailing = crashes + losses + repeats === 0 && capacity === Infinity;
  const bounds =
    options.bounds === true && algorithm.perpetual !== true && isUnfailing && keepsAssumptions(setup);
  return {
    setup,
    together: options.together ?? false,
    crashes,
    losses,
    repeats,
    capacity,
    bypass: bypass ? enforcedBypassLimits(setup) : [],
    bounds,
    ...boundsOf(setup, options, bounds),
    mayBeAcyclic: checksProgress(options) && !keepsAll,
    lemmaReads: checksLemmas && !keepsAllWorlds ? lemmaReads : null,
    againstLemmas: options.lemmas === undefined ? againstLemmas : null,
    corrupted: options.corrupted ?? false,
    earlyDelivery: early,
    claimTries,
    ampleSets: ample,
    reduction: early ? earlyDeliveryText : reductionOf(setup, options, symmetric, against),
    symmetric,
  };
}

function refuseTooMany(n = 1): void {
  if (n > largest)
    throw new InputError(
      `n can be ${largest} at most where every interleaving is tried, not ${n}: baton simulate runs more`,
    );
}

/** Every message has a size, also in runs that never end, but a chain and the number of messages grow with the run. */
function boundsOf(
  setup: Setup,
  {
    bounds,
    together = false,
    crashes = 0,
    losses = 0,
    repeats = 0,
    capacity = Infinity,
    corrupted,
  }: CheckOptions,
  countsMessages: boolean,
): Pick<CheckConfig, 'measures' | 'againstBounds'> {
  if (!bounds) return { measures: noMeasureLimits, againstBounds: null };
  const isFaulty = crashes + losses + repeats > 0 || corrupted;
  if (isFaulty || !keepsAssumptions(setup))
    return {
      measures: noMeasureLimits,
      againstBounds: 'its bounds: they need not hold where something fails',
    };
  const measures = measureLimitsOf(setup, together, countsMessages);
  const againstCounts = countsMessages
    ? null
    : capacity < Infinity
      ? 'a timer may send again and again'
      : 'runs need not end';
  return {
    measures,
    againstBounds: uncheckedBounds(setup.algorithm as AnyAlgorithm, measures, againstCounts),
  };
}

/** Any process may begin a snapshot, unless the scenario names one. */
const anyInitiator = ({ algorithm, n }: Setup): Setup['snapshots'] =>
  algorithm.snapshots ? Array.from({ length: n }, (_, process) => ({ process, at: 0 })) : [];

function refuseNonsense(
  { name, problem, stabilises, bypass: promised }: DeclaredAlgorithm,
  { corrupted, crashes = 0, bypass, lemmas }: CheckOptions,
  keepsCrashed: boolean,
): void {
  if (lemmas && crashes > 0 && !keepsCrashed)
    throw new InputError(
      'who has crashed has no state for a lemma to look at: ask about lemmas without crashes',
    );
  if (bypass && problem === 'mutex' && promised === undefined)
    throw new InputError(`${name} promises no bypass bound that could be checked`);
  if (bypass && problem === 'election')
    throw new InputError(`${name} elects: bypass bounds are promised to those who wait for a lock`);
  if (!corrupted) return;
  if (stabilises === undefined)
    throw new InputError(`${name} does not stabilise: corrupted means nothing to it`);
  if (crashes > 0)
    throw new InputError('a corrupted world is judged as a whole: ask about crashes without corrupted');
  if (bypass)
    throw new InputError('bypass bounds hold of what was not corrupted: ask about one or the other');
}

/** Returns why the lemmas of an algorithm need not hold, or cannot be evaluated; null if they must hold. */
function whyNoLemmas(
  setup: Setup,
  { crashes = 0, losses = 0, repeats = 0, corrupted }: CheckOptions,
  keepsCrashed: boolean,
): string | null {
  const { invariants, assumes } = setup.algorithm;
  if (invariants === undefined) return null;
  if (crashes > 0 && !keepsCrashed) return 'a process that has crashed has no state';
  if (corrupted) return 'they need not hold in a corrupted state';
  const isAssumed = repeats === 0 && (losses === 0 || assumes.failures === 'token loss');
  return isAssumed && keepsAssumptions(setup) ? null : 'they need not hold where its assumptions do not';
}

const earlyDeliveryText = 'a message that may as well arrive first does';

/** Returns why partial-order reduction would miss something; null if it would not. */
function againstReduction(setup: Setup, options: CheckOptions, keepsAllWorlds: boolean): string | null {
  const { crashes = 0, losses = 0, repeats = 0, capacity = Infinity, bypass } = options;
  if (setup.algorithm.rounds) return 'rounds are counted from the lowest one';
  if (keepsAllWorlds) return 'a run may go round by way of a world they leave out';
  if (bypass) return 'who enters first matters to all who wait';
  if (crashes + losses + repeats > 0) return 'what goes wrong may come before anything';
  if (isTimed(setup)) return 'time passes for all at once';
  return capacity < Infinity ? againstCapacity : null;
}

const againstCapacity = 'a channel that gets free lets a timer end elsewhere';

/**
 * Returns the `capacity` to check an algorithm with: 1 if its timers can fire at any moment, since they would otherwise send without end.
 * @example
 * import { dijkstraKState, raymond } from 'batonjs/algorithms';
 * import { timerCapacity } from 'batonjs-lab/check';
 *
 * timerCapacity(raymond); // → {}
 * timerCapacity(dijkstraKState); // → { capacity: 1 }
 */
export const timerCapacity = (asked: EitherAlgorithm): Pick<CheckOptions, 'capacity'> => {
  const { timers, assumes } = declared(asked);
  return timers !== undefined && assumes.timing === 'asynchronous' ? { capacity: 1 } : {};
};

/** Says to people how channels are bounded; null if they are not. */
export const boundedBy = ({ capacity }: CheckConfig): string | null =>
  capacity < Infinity
    ? `no timer ends while a channel it would send on holds ${capacity === 1 ? 'a message' : `${capacity} messages`}`
    : null;

function reductionOf(
  setup: Setup,
  { reduction, capacity = Infinity, maxDepth }: CheckOptions,
  symmetric: boolean,
  against: string | null,
): string {
  if (!supported[mediumOf(setup.algorithm)].mayReduce)
    return 'none: two processes may want the same register';
  if (reduction === false) return 'none, as you asked';
  const hasRounds = setup.algorithm.rounds !== undefined;
  if (symmetric && hasRounds)
    return 'rotations of the ring are one world, and rounds count from the lowest one';
  if (symmetric) return 'rotations of the ring are one world';
  if (hasRounds) return 'rounds count from the lowest one';
  if (capacity < Infinity) return `none: ${againstCapacity}`;
  const sleep = setup.n > 32 ? 'none: too many processes' : 'of events that commute one order';
  if (against !== null) return `${sleep}; no ample sets: ${against}`;
  if (maxDepth !== undefined) return `${sleep}; nothing comes first: that can make a run longer`;
  return setup.channels === 'fifo' ? `${sleep}, and what can as well come first does` : sleep;
}

/** Says whether the processes of a ring are interchangeable. */
function isSymmetric({ algorithm, topology, starts, clocks, snapshots, channels, n }: Setup): boolean {
  const marks = ['me', 'id', 'root', 'parent'] as const;
  const isUneven = clocks?.some((unit) => unit !== clocks[0]) ?? false;
  const doAllStart = starts.count === n || starts.count === 0;
  const isEven = doAllStart && !isUneven && snapshots.length === 0;
  if (channels === 'causal') return false; // the causal past names channels
  return topology.isRing && isEven && !marks.some((fact) => algorithm.knows.includes(fact));
}
