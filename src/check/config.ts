import { InputError } from '../core/assert.ts';
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

const defaultSize = 3;

/** What can be asked where processes send messages, and where they share memory. */
const supported = {
  messages: {
    scenario: { latency: 'uniform:0:1' },
    mostFaults: 15, // each kind has four bits
    mayReduce: true,
    mayGoOn: false, // asking again and again
    keepsCrashed: false, // who has crashed has no state
  },
  memory: { scenario: {}, mostFaults: Infinity, mayReduce: false, mayGoOn: true, keepsCrashed: true },
} as const;
const mostProcesses = 200; // processes; the worlds of more are so wide that a search comes to none

/**
 * The part of a scenario that a search of all interleavings asks about: who, where and how much; not when. On shared memory `entries` may
 * be Infinity: everybody may ask again and again.
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

export interface CheckOptions {
  readonly together?: boolean; // who starts or asks does so before anything else; otherwise at any time, or never
  readonly crashes?: number; // up to so many processes crash; on shared memory, so many times, and who crashed may ask again
  readonly losses?: number; // up to so many messages are lost
  readonly repeats?: number; // up to so many messages arrive once more
  readonly capacity?: number; // no timer ends while a channel on which it would send holds so many messages
  readonly lemmas?: boolean; // the algorithm's own, in every world
  readonly bypass?: boolean; // its bypass bounds
  readonly bounds?: boolean; // its message bounds, of every run that comes to an end
  readonly progress?: boolean; // that nobody waits while the run goes round for ever; true if not said where runs never end
  readonly corrupted?: boolean; // from every value of the variables of a self-stabilising algorithm
  readonly reduction?: boolean; // leave out worlds that cannot matter; true if not said
  readonly maxStates?: number;
  readonly maxBytes?: number;
  readonly maxDepth?: number;
}

/** What a search of all interleavings is about, with everything decided. */
export interface CheckConfig {
  readonly setup: Setup; // on shared memory, `entries` may be Infinity
  readonly together: boolean; // all who start do so before anything else
  readonly crashes: number; // the most processes that crash, or on shared memory the most crashes,
  readonly losses: number; // the most messages that are lost,
  readonly repeats: number; // and the most that arrive once more than they should
  readonly capacity: number; // a timer waits while a channel it would send on holds so many messages
  readonly bypass: readonly BypassLimit[]; // the bounds to check
  readonly bounds: boolean; // messages are counted and held to their bounds
  readonly lemmas: boolean; // of the algorithm, in every world
  readonly corrupted: boolean; // from every value of the variables, not from the initial ones
  readonly earlyDelivery: boolean; // what may as well come first, as far as is known, is followed alone; events that commute do not sleep then
  readonly ampleSets: boolean; // of worlds that differ only in the order of events at different processes, not all are looked at
  readonly reduction: string; // what is left out, or why nothing is, for people
  readonly symmetric: boolean; // nothing tells one process of the ring from another, so worlds that are rotations of each other are one
}

/** Time counts where delays or clocks are bounded; otherwise anything can be late, and a timer can end at any moment. */
export const isTimed = ({ algorithm }: Setup): boolean => algorithm.assumes.timing !== 'asynchronous';

/** Where runs never end, they do not show in the end who waits for ever. */
export const checksProgress = (
  algorithm: EitherAlgorithm | DeclaredAlgorithm,
  { progress, corrupted = false }: CheckOptions,
): boolean => corrupted || (progress ?? isCeaseless(algorithm));

/** `mayHurry`: the search can do with what may as well come first as far as is known. */
export function configOf(
  given: EitherAlgorithm,
  space: Space,
  options: CheckOptions,
  mayHurry = false,
): CheckConfig {
  const algorithm = declared(given);
  const may = supported[mediumOf(algorithm)];
  if (algorithm.problem === 'clocks')
    throw new InputError(
      `${algorithm.name} reads clocks, and every reading is another state: baton simulate tries it, seed by seed`,
    );
  refuseMeaningless(algorithm, { ...options }, ['losses', 'repeats', 'capacity', 'corrupted', 'bounds']);
  const { ids, topology, entries = 1 } = space;
  const { min = 1, max = Infinity } = algorithm.processes ?? {};
  const least = Math.min(Math.max(defaultSize, min), max);
  const n = space.n ?? ids?.length ?? (typeof topology === 'object' ? topology.n : undefined);
  const isListed = typeof topology === 'string' && topology.startsWith('edges:');
  const size = n === undefined && isListed ? {} : { n: n ?? least };
  refuseTooMany(n);
  const finite = may.mayGoOn && entries === Infinity ? { entries: 1 } : {};
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
  const symmetric = mayReduce && !options.lemmas && !checksProgress(algorithm, options) && isSymmetric(setup);
  const against = mayReduce && !symmetric ? againstReduction(setup, options) : 'not asked for';
  const early =
    mayHurry && against === null && setup.channels === 'unordered' && options.maxDepth === undefined;
  const ample = against === null && setup.channels === 'fifo' && options.maxDepth === undefined;
  const isUnfailing = crashes + losses + repeats === 0 && capacity === Infinity;
  return {
    setup,
    together: options.together ?? false,
    crashes,
    losses,
    repeats,
    capacity,
    bypass: bypass ? enforcedBypassLimits(setup) : [],
    bounds: options.bounds === true && algorithm.perpetual !== true && isUnfailing && keepsAssumptions(setup),
    lemmas: options.lemmas ?? false,
    corrupted: options.corrupted ?? false,
    earlyDelivery: early,
    ampleSets: ample,
    reduction: early ? earlyDeliveryText : reductionOf(setup, options, symmetric, against),
    symmetric,
  };
}

function refuseTooMany(n = 1): void {
  if (n > mostProcesses)
    throw new InputError(
      `n can be ${mostProcesses} at most where every interleaving is tried, not ${n}: baton simulate runs more`,
    );
}

/** Who may begin a snapshot if nobody says who: anybody. */
const anyInitiator = ({ algorithm, n }: Setup): Setup['snapshots'] =>
  algorithm.snapshots ? Array.from({ length: n }, (_, process) => ({ process, at: 0 })) : [];

function refuseNonsense(
  { name, problem, stabilises, bypass: promised }: DeclaredAlgorithm,
  { corrupted, progress, crashes = 0, bypass, lemmas }: CheckOptions,
  keepsCrashed: boolean,
): void {
  if (lemmas && crashes > 0 && !keepsCrashed)
    throw new InputError(
      'who has crashed has no state for a lemma to look at: ask about lemmas without crashes',
    );
  if (progress && problem === 'election')
    throw new InputError(`${name} elects: progress is asked of those who wait for a lock`);
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

const earlyDeliveryText = 'a message that may as well arrive first does';

/** Why worlds must not be left out; null if they may. */
function againstReduction(setup: Setup, options: CheckOptions): string | null {
  const { crashes = 0, losses = 0, repeats = 0, capacity = Infinity, lemmas, bypass } = options;
  if (checksProgress(setup.algorithm, options)) return 'a run may go round by way of a world they leave out';
  if (lemmas) return 'a lemma may fail in a world they leave out';
  if (bypass) return 'who enters first matters to all who wait';
  if (crashes + losses + repeats > 0) return 'what goes wrong may come before anything';
  if (isTimed(setup)) return 'time passes for all at once';
  return capacity < Infinity ? againstCapacity : null;
}

const againstCapacity = 'a channel that gets free lets a timer end elsewhere';

/** For people who ask about an algorithm: there is no end of what timers can send that may end at any moment, unless they wait for room. */
export const timerCapacity = (asked: EitherAlgorithm): Pick<CheckOptions, 'capacity'> => {
  const { timers, assumes } = declared(asked);
  return timers !== undefined && assumes.timing === 'asynchronous' ? { capacity: 1 } : {};
};

/** What is taken for granted of the channels, for people; null: nothing. */
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
  if (symmetric) return 'rotations of the ring are one world';
  if (capacity < Infinity) return `none: ${againstCapacity}`;
  const sleep = setup.n > 32 ? 'none: too many processes' : 'of events that commute one order';
  if (against !== null) return `${sleep}; no ample sets: ${against}`;
  if (maxDepth !== undefined) return `${sleep}; nothing comes first: that can make a run longer`;
  return setup.channels === 'fifo' ? `${sleep}, and what can as well come first does` : sleep;
}

/** Nothing tells one process of the ring from another. */
function isSymmetric({ algorithm, topology, starts, clocks, snapshots, channels, n }: Setup): boolean {
  const marks = ['me', 'id', 'root', 'parent'] as const;
  const isUneven = clocks?.some((unit) => unit !== clocks[0]) ?? false;
  const doAllStart = starts.count === n || starts.count === 0;
  const isEven = doAllStart && !isUneven && snapshots.length === 0;
  if (channels === 'causal') return false; // what came before is known by the names of channels
  return topology.isRing && isEven && !marks.some((fact) => algorithm.knows.includes(fact));
}
