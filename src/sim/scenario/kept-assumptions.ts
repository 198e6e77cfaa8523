import type { Circumstances } from '../../core/algorithm.ts';
import { mostBits } from '../../core/bounds.ts';
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
 * import { keepsAssumptions, prepare } from 'batonjs/sim';
 *
 * keepsAssumptions(prepare(lamport, {})); // → true
 * keepsAssumptions(prepare(lamport, { channels: 'unordered' })); // → false
 */
export function keepsAssumptions(setup: Setup): boolean {
  const { algorithm, channels, loss, duplication, faults, topology, clockConfig } = setup;
  const { assumes } = algorithm;
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
    (algorithm.crashNotice === undefined ||
      algorithm.recover !== undefined ||
      !faults.some(({ type }) => type === 'restart')) &&
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

/**
 * Returns what the bounds of a run depend on.
 * @example
 * import { raymond } from 'batonjs/algorithms';
 * import { circumstancesOf, prepare } from 'batonjs/sim';
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
  const { n, topology, channels, clocks, latency, slow, hold, think } = setup;
  const longestDelay = Math.max(longest, ...slow.values());
  const isUniform = latency.min === latency.max && slow.size === 0 && hold.min === hold.max;
  return {
    n,
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
    ids: setup.ids,
    T: longestDelay,
    E: hold.max,
    isUniform,
    isHeavy: think.max === 0,
  };
}

/** Returns the circumstances for bounds on measures; null if the run drops an assumption, or a fault takes time. */
export function timedCircumstancesOf(setup: Setup): TimedCircumstances | null {
  if (!keepsAssumptions(setup) || setup.faults.length > 0) return null;
  const longest = circumstancesOf(setup);
  const T = Math.min(setup.latency.min, ...setup.slow.values());
  const shortest = Object.create(longest, { T: { value: T }, E: { value: setup.hold.min } }) as Circumstances;
  return { longest, shortest };
}

const participationOf = ({ n, starts, faults }: Pick<Setup, 'n' | 'starts' | 'faults'>) => ({
  initiators: starts.count,
  together: starts.at !== null && faults.every((fault) => isOver(fault, starts.at!)),
  living: n - new Set(faults.flatMap((fault) => (fault.type === 'crash' ? [fault.process] : []))).size,
  lost: faults.filter(({ type }) => type === 'lose').length,
});

/** Whether a fault is over at the start: no restart, and no later crash. */
const isOver = (fault: Fault, start: number): boolean =>
  fault.type !== 'restart' && (fault.type !== 'crash' || fault.at <= start);

const shortestUnit = (clocks: readonly number[] | null): number =>
  clocks?.reduce((a, b) => Math.min(a, b)) ?? 1;
