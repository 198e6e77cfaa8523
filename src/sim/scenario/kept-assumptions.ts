import type { Circumstances } from '../../core/algorithm.ts';
import { mostBits } from '../../core/bounds.ts';
import type { Topology } from '../../core/topology.ts';
import type { TimedCircumstances } from '../measures/measures.ts';
import { keepClockBounds } from './clock-config.ts';
import { type Fault, isConnectedAfter } from './faults.ts';
import { transmissionTime } from './latency.ts';
import { channelKinds } from './scenario.ts';
import { longestUnit, type Setup } from './setup.ts';

/**
 * Returns whether the run keeps all that the algorithm assumes, so that its properties and bounds must hold.
 * @example
 * import { lamport } from 'batonjs/algorithms';
 * import { keepsAssumptions, prepare } from 'batonjs-lab/sim';
 *
 * keepsAssumptions(prepare(lamport, {})); // → true
 * keepsAssumptions(prepare(lamport, { channels: 'unordered' })); // → false
 */
export function keepsAssumptions(setup: Setup): boolean {
  const { algorithm, channels, loss, duplication, topology, clockConfig } = setup;
  const { assumes } = algorithm;
  const faults = faultsWithin(setup);
  const onTime =
    assumes.timing === 'asynchronous' ||
    (longestLatency(setup) < Infinity &&
      !faults.some(({ type }) => type === 'pause' || type === 'partition'));
  const isInStep = assumes.timing !== 'synchronous' || new Set(setup.clocks ?? []).size <= 1;
  const isHealed = faults.every((fault) => !('until' in fault) || fault.until < Infinity);
  return (
    channelKinds.indexOf(channels) >= channelKinds.indexOf(assumes.channels) &&
    loss === 0 &&
    duplication === 0 &&
    (assumes.failures === 'crash' || !faults.some(({ type }) => type === 'crash' || type === 'restart')) &&
    (mayRestart(algorithm) || !faults.some(({ type }) => type === 'restart')) &&
    (assumes.quorum === undefined || keepsMajority(faults, topology.n)) &&
    (assumes.failures === 'token loss' || !faults.some(({ type }) => type === 'lose')) &&
    (assumes.failures === 'link changes' || !faults.some(({ type }) => type === 'cut' || type === 'link')) &&
    isConnectedAfter(faults, topology) &&
    (clockConfig === null || keepClockBounds(clockConfig)) &&
    (assumes.failures === 'lies' || !faults.some(({ type }) => type === 'lie')) &&
    (assumes.failures === 'corruption' || !faults.some(({ type }) => type === 'corrupt')) &&
    onTime &&
    isInStep &&
    isHealed
  );
}

/** The faults that concern the network of the run: not the crash of a process that was left out because it crashes before the election. */
export const faultsWithin = ({ faults, topology }: Pick<Setup, 'faults' | 'topology'>): readonly Fault[] =>
  faults.filter((fault) => fault.type !== 'crash' || topology.includes(fault.process));

/** A restarted process has forgotten everything. An algorithm that hears of crashes, or has rounds, must say by `recover` what it does then. */
export const mayRestart = ({ crashNotice, rounds, recover }: Setup['algorithm']): boolean =>
  (crashNotice === undefined && rounds === undefined) || recover !== undefined;

/** Whether more than half of the processes are alive at any time. Faults are in the order in which they take effect. */
export function keepsMajority(faults: readonly Fault[], n: number): boolean {
  const crashed = new Set<number>();
  let most = 0;
  for (const fault of faults) {
    if (fault.type === 'crash') crashed.add(fault.process);
    if (fault.type === 'restart') crashed.delete(fault.process);
    most = Math.max(most, crashed.size);
  }
  return 2 * most < n;
}

/**
 * Returns what the bounds of a run depend on. They are those of its network: processes that were left out do not count.
 * @example
 * import { raymond } from 'batonjs/algorithms';
 * import { circumstancesOf, prepare } from 'batonjs-lab/sim';
 *
 * const circumstances = circumstancesOf(prepare(raymond, { n: 7, topology: 'line' }));
 * circumstances.diameter; // → 6
 * raymond.bounds[0]!.value(circumstances); // → 6
 */
export const circumstancesOf = (setup: Setup): Circumstances =>
  circumstancesWith(setup, longestLatency(setup));

/**
 * Returns the longest delay that the latency allows; Infinity if there is none. Where it depends on the length of messages, the bounds on
 * their bits decide: a kind of message without such a bound may take any time.
 */
export function longestLatency(setup: Setup): number {
  const { latency } = setup;
  if (latency.transmission === undefined) return latency.max;
  const { on = {}, timers = [] } = setup.algorithm;
  const circumstances = circumstancesWith(setup, Number.NaN);
  const bits = Object.keys(on).flatMap((kind) =>
    timers.includes(kind) ? [] : [mostBits(setup.algorithm, kind, circumstances)],
  );
  return transmissionTime(latency.transmission, Math.max(...bits));
}

function circumstancesWith(setup: Setup, longest: number): Circumstances {
  const { topology, channels, latency, slow, hold, think } = setup;
  const clocks = setup.clocks && Array.from(ofMembers(topology, setup.clocks));
  const longestDelay = Math.max(longest, ...slow.values());
  const isUniform = latency.min === latency.max && slow.size === 0 && hold.min === hold.max;
  return {
    n: topology.members,
    edges: topology.edges,
    get diameter() {
      return topology.diameter; // computed only for a bound that uses it
    },
    topology: topology.name,
    ...participationOf(setup),
    channels,
    clockRatio: (longestUnit(clocks) + longestDelay) / shortestUnit(clocks),
    longestUnit: longestUnit(clocks) + longestDelay,
    transmission: slow.size === 0 ? (latency.transmission ?? null) : null,
    ids: ofMembers(topology, setup.ids),
    T: longestDelay,
    E: hold.max,
    isUniform,
    isHeavy: think.max === 0,
  };
}

/** Returns the circumstances for bounds on measures; null if the run drops an assumption, or a fault takes time. */
export function timedCircumstancesOf(setup: Setup): TimedCircumstances | null {
  if (!keepsAssumptions(setup) || faultsWithin(setup).length > 0) return null;
  const longest = circumstancesOf(setup);
  const T = Math.min(setup.latency.min, ...setup.slow.values());
  const shortest = Object.create(longest, { T: { value: T }, E: { value: setup.hold.min } }) as Circumstances;
  return { longest, shortest };
}

function participationOf(setup: Setup) {
  const { starts, topology } = setup;
  const faults = faultsWithin(setup);
  const crashed = new Set(faults.flatMap((fault) => (fault.type === 'crash' ? [fault.process] : [])));
  return {
    initiators: initiatorsIn(setup),
    together: starts.at !== null && faults.every((fault) => isOver(fault, starts.at!)),
    living: topology.members - crashed.size,
    lost: faults.filter(({ type }) => type === 'lose').length,
  };
}

function initiatorsIn({ starts, topology }: Pick<Setup, 'starts' | 'topology'>): number {
  if (starts.all) return topology.members;
  if (topology.members === topology.n) return starts.count;
  return Array.from({ length: starts.count }, (_, k) => starts.of(k)).filter(({ process }) =>
    topology.includes(process),
  ).length;
}

/** The values, by position, of the processes that were not left out. */
const ofMembers = (topology: Topology, values: ArrayLike<number>): ArrayLike<number> =>
  topology.members === topology.n ? values : Array.from(values).filter((_, i) => topology.includes(i));

/** Whether a fault is over at the start: no restart, and no later crash. */
const isOver = (fault: Fault, start: number): boolean =>
  fault.type !== 'restart' && (fault.type !== 'crash' || fault.at <= start);

const shortestUnit = (clocks: readonly number[] | null): number =>
  clocks?.reduce((a, b) => Math.min(a, b)) ?? 1;
