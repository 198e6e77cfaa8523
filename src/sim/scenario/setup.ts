import type { ChannelKind, Pid } from '../../core/algorithm.ts';
import { InputError } from '../../core/assert.ts';
import { optionNames, refuseUnknownOptions, suggest } from '../../core/did-you-mean.ts';
import { buildTopology, checkFit, defaultShape, fromEdges } from '../../core/network-shapes.ts';
import { beginsByItself } from '../../core/perpetual-election.ts';
import { Random } from '../../core/random.ts';
import { Topology } from '../../core/topology.ts';
import {
  type DeclaredAlgorithm,
  declared,
  type EitherAlgorithm,
  isCeaseless,
  mediumOf,
  mostProcesses,
  refuseMeaningless,
} from '../../machine/declarations.ts';
import type { Setting } from '../../machine/facts.ts';
import { type ClockConfig, clockSetupOf } from './clock-config.ts';
import { type FailureDetector, parseDetector } from './failure-detector.ts';
import { checkFaults, type Fault } from './faults.ts';
import { type Latency, parseLatency } from './latency.ts';
import { checkPosition, checkWhole } from './number-checks.ts';
import { channelKinds, type Scenario, type SlowLink } from './scenario.ts';

/** A scenario with all defaults filled in and everything checked. */
export interface Setup extends Setting {
  /** The algorithm, with its declarations complete. */
  readonly algorithm: DeclaredAlgorithm;
  /** The number of processes. */
  readonly n: number;
  /** The order of messages. */
  readonly channels: ChannelKind;
  /** The delay of messages, or the duration of steps on shared memory. */
  readonly latency: Latency;
  /** The delays of slow links, in ticks, by `from * n + to`. */
  readonly slow: ReadonlyMap<number, number>;
  /** The probability that a message is lost. */
  readonly loss: number;
  /** The probability that a message arrives twice. */
  readonly duplication: number;
  /** The faults, in the order in which they take effect. */
  readonly faults: readonly Fault[];
  /** How processes notice a crash; null if the algorithm declares no `crashNotice`. */
  readonly detector: FailureDetector | null;
  /** The ticks per unit of each local clock; null if all have 1. */
  readonly clocks: readonly number[] | null;
  /** The clocks to synchronise; null unless that is the problem. */
  readonly clockConfig: ClockConfig | null;
  /** The processes that begin, and when. */
  readonly starts: Starts;
  /** The processes that begin a snapshot, and when. */
  readonly snapshots: readonly { readonly process: Pid; readonly at: number }[];
  /** How often each process requests the lock. */
  readonly entries: number;
  /** The time between a release and the next request. */
  readonly think: Latency;
  /** The time in the critical section. */
  readonly hold: Latency;
  /** The seed of everything random. */
  readonly seed: number;
  /** The number of events after which the run is stopped; Infinity if there is none. */
  readonly limit: number;
}

/** Which processes begin, and when; `null` means after a first think time. */
export interface Starts {
  /** Whether every process begins. */
  readonly all: boolean;
  /** The number of processes that begin. */
  readonly count: number;
  /** The time they share; null if they do not, or think for some time first. */
  readonly at: number | null;
  /** Returns the k-th process that begins. */
  readonly of: (k: number) => { readonly process: Pid; readonly at: number | null };
}

const defaultSize = 5;
export const largestComplete = 4000;

/** Every field of a scenario: the compiler keeps it complete. */
const fields: Readonly<Record<keyof Scenario, true>> = {
  n: true,
  ids: true,
  topology: true,
  root: true,
  channels: true,
  latency: true,
  slow: true,
  loss: true,
  duplication: true,
  faults: true,
  detector: true,
  clocks: true,
  start: true,
  entries: true,
  snapshot: true,
  think: true,
  hold: true,
  offsets: true,
  drifts: true,
  drift: true,
  slew: true,
  rounds: true,
  seed: true,
  limit: true,
};

function refuseUnknown(scenario: Scenario): void {
  const names = Object.keys(fields);
  for (const name of Object.keys(scenario))
    if (!names.includes(name))
      throw new InputError(`a scenario has no field '${name}'${suggest(name, names)}`);
}

/**
 * Fills in the defaults of a scenario and checks it.
 * @throws {InputError} if the algorithm is incomplete, or the scenario cannot be run.
 * @example
 * import { raymond } from 'batonjs/algorithms';
 * import { prepare } from 'batonjs-lab/sim';
 *
 * const { n, topology, latency } = prepare(raymond, { n: 7 });
 * [n, topology.name, latency.text]; // → [7, 'tree', 'uniform:1:10']
 */
export function prepare(given: EitherAlgorithm | DeclaredAlgorithm, scenario: Scenario): Setup {
  const algorithm = declared(given);
  const { limit = Infinity } = scenario;
  refuseUnknown(scenario);
  refuseMeaningless(algorithm, { ...scenario });
  const seed = checkWhole(scenario.seed ?? 0, 'seed', Number.MIN_SAFE_INTEGER);
  const whole = topologyOf(algorithm, scenario, seed);
  const n = whole.n;
  const think = parseLatency(scenario.think ?? 'uniform:0:10', 'think');
  const starts = startsOf(algorithm, scenario, n, think);
  const topology = amongTheLiving(algorithm, scenario, whole, starts);
  const clocks = scenario.clocks ?? null;
  if (
    clocks !== null &&
    (clocks.length !== n || clocks.some((unit) => !Number.isSafeInteger(unit) || unit < 1))
  ) {
    throw new InputError(`clocks needs ${n} whole numbers from 1, the ticks per unit of each local clock`);
  }
  const hasMessages = mediumOf(algorithm) === 'messages';
  const latency = parseLatency(scenario.latency ?? 'uniform:1:10', 'latency', hasMessages);
  const slow = slowLinks(scenario, topology);
  if (isCeaseless(algorithm) && (latency.max === 0 || [...slow.values()].includes(0))) {
    throw new InputError(
      `the processes of ${algorithm.name} never rest: with latency 0 time would stand still; use ${latency.max === 0 ? 'fixed:1' : 'slow links of 1'}`,
    );
  }
  const believedMax = longestDelay({ latency, slow, clocks });
  return {
    algorithm,
    n,
    topology,
    ids: idsOf(algorithm, scenario, n, seed),
    root: checkPosition(scenario.root ?? 0, n, 'root'),
    maxDelay: (i) => Math.ceil(believedMax / (clocks?.[i] ?? 1)),
    ...clockSetupOf(algorithm, scenario, n, Math.min(latency.min, ...slow.values())),
    channels: channelKind(scenario.channels ?? algorithm.assumes.channels),
    latency,
    slow,
    loss: probability(scenario.loss ?? 0, 'loss'),
    duplication: probability(scenario.duplication ?? 0, 'duplication'),
    faults: faultsOf(algorithm, scenario, topology),
    detector: detectorOf(algorithm, scenario, believedMax),
    clocks,
    starts,
    snapshots: snapshotsOf(algorithm, scenario, n, seed),
    entries: checkWhole(scenario.entries ?? 1, 'entries', 0, 2 ** 31 - 1),
    think,
    hold: parseLatency(scenario.hold ?? 'uniform:1:5', 'hold'),
    seed,
    limit: limit === Infinity ? limit : checkWhole(limit, 'limit', 1),
  };
}

function topologyOf(algorithm: DeclaredAlgorithm, scenario: Scenario, seed: number): Topology {
  const { ids, topology: shape } = scenario;
  const given = shape instanceof Topology ? shape : null;
  const listed =
    typeof shape === 'string' && shape.startsWith('edges:')
      ? fromEdges('edges', shape.slice(6).split(','))
      : null;
  const { min = 1, max = Infinity } = algorithm.processes ?? {};
  const n = scenario.n ?? ids?.length ?? given?.n ?? listed?.n ?? Math.min(Math.max(defaultSize, min), max);
  checkWhole(n, 'n', 1, mostProcesses(algorithm));
  if (n < min || n > max)
    throw new InputError(`${algorithm.name} is for ${rangeText(min, max)} processes, not ${n}`);
  if (ids !== undefined && ids.length !== n) {
    throw new InputError(`${ids.length} ids for ${n} processes: leave out n, or give ${n} ids`);
  }
  if (given !== null && given.n !== n) {
    throw new InputError(
      `the graph has ${given.n} processes, not ${n}: leave out n and ids, or make them agree`,
    );
  }
  const assumed = algorithm.assumes.topology;
  const topology = given ?? buildTopology((shape as string) ?? defaultShape(assumed), n, assumed, seed);
  checkFit(topology, assumed, algorithm.name);
  if (topology.complete && n > largestComplete) {
    throw new InputError(`a complete network has n^2 links: n can be ${largestComplete} at most, not ${n}`);
  }
  return topology;
}

/**
 * Returns the network of a run. An election that assumes no failures is held among the living: a process that crashes before the first start,
 * and does not restart, is left out.
 */
function amongTheLiving(
  { name, problem, assumes, knows, snapshots }: DeclaredAlgorithm,
  { faults = [] }: Scenario,
  topology: Topology,
  starts: Starts,
): Topology {
  const goesByPosition = knows.includes('me'); // with gaps, positions would not be 0 .. n-1
  if (problem !== 'election' || assumes.failures !== 'none' || goesByPosition || snapshots !== undefined)
    return topology;
  const dead = deadAtStart(faults, starts);
  if (dead.size === 0 || dead.size === topology.n) return topology; // where all are dead, nothing happens
  const left = topology.without(dead);
  if (left.connected) return left;
  const who = [...dead].sort((a, b) => a - b).join(', ');
  throw new InputError(
    `${name} needs a connected network, but without the crashed processes (${who}) some cannot reach others: crash others, or add edges`,
  );
}

/** The processes that crash before a living process first starts, and do not restart. */
function deadAtStart(faults: NonNullable<Scenario['faults']>, starts: Starts): Set<Pid> {
  const crashes = new Map<Pid, number>(); // the first crash of each process
  for (const fault of faults)
    if (fault.type === 'crash')
      crashes.set(fault.process, Math.min(fault.at, crashes.get(fault.process) ?? Infinity));
  for (const fault of faults) if (fault.type === 'restart') crashes.delete(fault.process);
  if (crashes.size === 0) return new Set();
  let first = Infinity;
  for (let k = 0; k < starts.count; k += 1) {
    const { process, at } = starts.of(k);
    if ((crashes.get(process) ?? Infinity) > at!) first = Math.min(first, at!);
  }
  return new Set([...crashes].filter(([, at]) => at <= first).map(([process]) => process));
}

const rangeText = (min: number, max: number): string =>
  min === max ? `${min}` : max < Infinity ? `${min} to ${max}` : `${min} or more`;

function idsOf(algorithm: DeclaredAlgorithm, { ids }: Scenario, n: number, seed: number): ArrayLike<number> {
  if (!algorithm.knows.includes('id')) {
    if (ids === undefined) return Int32Array.from({ length: n }, (_, i) => i);
    const why = algorithm.knows.includes('me') ? 'go by their positions, 0, 1, ..' : 'have no names at all';
    throw new InputError(`the processes of ${algorithm.name} ${why}: leave out ids and give n`);
  }
  if (ids === undefined) return new Random(seed, 'ids').permutation(n);
  const least = algorithm.assumes.timing === 'archimedean' ? 1 : 0; // Vitanyi numbers processes from 1: his code has no word for 0
  const wrong = ids.find((id) => !Number.isSafeInteger(id) || id < least);
  if (wrong !== undefined)
    throw new InputError(`the ids of ${algorithm.name} are whole numbers from ${least}; ${wrong} is not`);
  const twice = repeated(ids);
  if (twice !== undefined) throw new InputError(`id ${twice} is given twice: every process needs its own`);
  return ids;
}

const startFields = ['process', 'at'];
const slowLinkFields = optionNames<SlowLink>({ between: true, ticks: true, oneWay: true });

function startsOf(
  algorithm: Pick<DeclaredAlgorithm, 'problem' | 'perpetual' | 'begin'>,
  { start = beginsByItself(algorithm) ? [] : 'all' }: Scenario,
  n: number,
  think: Latency,
): Starts {
  const first = algorithm.problem === 'mutex' ? null : 0;
  const afterThinking = think.max === 0 ? 0 : null;
  if (start === 'all')
    return { all: true, count: n, at: first ?? afterThinking, of: (process) => ({ process, at: first }) };
  for (const one of start) refuseUnknownOptions('a start', one, startFields);
  const starts = start.map(({ process, at }) => ({
    process: checkPosition(process, n, 'start'),
    at: at === undefined ? first : checkWhole(at, 'start time', 0),
  }));
  const twice = repeated(starts.map(({ process }) => process));
  if (twice !== undefined)
    throw new InputError(`process ${twice} is to start twice: name each position once`);
  const times = new Set(starts.map(({ at }) => at ?? afterThinking));
  const [at] = times;
  return { all: false, count: starts.length, at: times.size === 1 ? at! : null, of: (k) => starts[k]! };
}

function snapshotsOf(
  { name, snapshots }: DeclaredAlgorithm,
  { snapshot }: Scenario,
  n: number,
  seed: number,
): Setup['snapshots'] {
  if (snapshots === undefined) {
    if (snapshot === undefined) return [];
    throw new InputError(`${name} takes no snapshots: use ${name}+chandy-lamport`);
  }
  for (const one of snapshot ?? []) refuseUnknownOptions('a snapshot', one, startFields);
  const random = new Random(seed, 'snapshot');
  const some = () => random.below(10 * n + 10); // about as long as a message needs to reach every process
  return (snapshot ?? [{ process: random.below(n) }]).map(({ process, at }) => ({
    process: checkPosition(process, n, 'snapshot'),
    at: at === undefined ? some() : checkWhole(at, 'snapshot time', 0),
  }));
}

function slowLinks({ slow = [] }: Scenario, topology: Topology): Map<number, number> {
  const links = new Map<number, number>();
  for (const link of slow) {
    refuseUnknownOptions('a slow link', link, slowLinkFields);
    const { between, ticks, oneWay = false } = link;
    if (!Array.isArray(between)) throw new InputError('a slow link needs its two ends, like between: [0, 5]');
    const [a, b] = [
      checkPosition(between[0], topology.n, 'slow'),
      checkPosition(between[1], topology.n, 'slow'),
    ];
    if (topology.link(a, b) < 0 && topology.link(b, a) < 0)
      throw new InputError(`slow: there is no link between ${a} and ${b}`);
    links.set(a * topology.n + b, checkWhole(ticks, 'slow', 0));
    if (!oneWay) links.set(b * topology.n + a, ticks);
  }
  return links;
}

const processFaults: readonly Fault['type'][] = ['crash', 'restart', 'pause', 'corrupt']; // possible with messages and on shared memory

function faultsOf(
  algorithm: DeclaredAlgorithm,
  { faults: given = [], channels = algorithm.assumes.channels }: Scenario,
  topology: Topology,
): readonly Fault[] {
  const { n } = topology;
  if (!algorithm.stabilises && given.some(({ type }) => type === 'corrupt')) {
    throw new InputError(`corrupt: ${algorithm.name} does not stabilise, so it does not say what to corrupt`);
  }
  if (algorithm.problem !== 'clocks' && given.some(({ type }) => type === 'lie')) {
    throw new InputError(`lie: the processes of ${algorithm.name} read no clocks`);
  }
  for (const { type } of given)
    if (!processFaults.includes(type)) refuseMeaningless(algorithm, { [type]: true }, [type]);
  const faults = given.flatMap((fault): readonly Fault[] => {
    if (fault.type !== 'corrupt' || fault.process !== 'all') return [fault as Fault];
    return Array.from({ length: n }, (_, process) => ({ ...fault, process }));
  });
  for (const fault of faults) {
    if (!('between' in fault)) continue;
    const [a, b] = fault.between.map((process) => checkPosition(process, n, fault.type)) as [Pid, Pid];
    if (topology.link(a, b) < 0)
      throw new InputError(`${fault.type}: there is no link between ${a} and ${b}`);
    if (channels === 'causal') {
      throw new InputError(
        `${fault.type}: causal channels have no links of their own to lose; use fifo or unordered`,
      );
    }
  }
  return checkFaults(faults, n);
}

function detectorOf(
  { name, problem, assumes, crashNotice }: DeclaredAlgorithm,
  { detector }: Scenario,
  longestDelay: number,
): FailureDetector | null {
  if (crashNotice !== undefined) return parseDetector(detector, longestDelay);
  if (detector === undefined) return null;
  const isRepeatable = problem === 'election' && assumes.failures === 'none';
  throw new InputError(
    `the processes of ${name} are not told of crashes: leave out detector${isRepeatable ? `, or use ${name}+rounds` : ''}`,
  );
}

function repeated(values: readonly number[]): number | undefined {
  const seen = new Set<number>();
  return values.find((value) => seen.size === seen.add(value).size);
}

function channelKind(kind: ChannelKind): ChannelKind {
  if (channelKinds.includes(kind)) return kind;
  throw new InputError(
    `no channels are called '${kind}'${suggest(kind, channelKinds)}: choose ${channelKinds.join(', ')}`,
  );
}

function probability(value: number, what: string): number {
  if (!(value >= 0 && value <= 1)) throw new InputError(`${what} is a probability from 0 to 1, not ${value}`);
  return value;
}

/** The longest delay that processes assume, including handling, in ticks. */
export const longestDelay = ({ latency, slow, clocks }: Pick<Setup, 'latency' | 'slow' | 'clocks'>): number =>
  Math.max(latency.usualMax, ...slow.values()) + longestUnit(clocks);

/** The time of the last fault, end of a fault, or start of the scenario. */
export function lastDisturbance({ faults, starts }: Pick<Setup, 'faults' | 'starts'>): number {
  const times = faults.flatMap((fault) => [
    ...('at' in fault ? [fault.at] : []),
    ...('until' in fault && fault.until < Infinity ? [fault.until] : []),
  ]);
  for (let k = 0; k < starts.count; k += 1) times.push(starts.of(k).at ?? 0);
  return times.reduce((a, b) => Math.max(a, b), 0);
}

/** The longest unit of a local clock, in ticks. */
export const longestUnit = (clocks: readonly number[] | null): number =>
  clocks?.reduce((a, b) => Math.max(a, b)) ?? 1;
