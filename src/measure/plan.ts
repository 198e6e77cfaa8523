import type { AnyAlgorithm } from '../core/algorithm.ts';
import { simulate } from '../sim/index.ts';
import { largestComplete } from '../sim/scenario/setup.ts';
import { type Case, casesOf } from './cases.ts';
import { takeSample } from './run-sample.ts';

export interface SweepOptions {
  readonly sizes: readonly number[];
  readonly runs: number; // the most at each size of each case
  readonly budget: number; // events for all runs at one size of one case
  readonly measuresBudget?: number | undefined; // the same for points with all measures; larger ones count messages only. Defaults to the budget
}

/** One size of one case of one algorithm. */
export interface SweepPoint {
  readonly algorithm: AnyAlgorithm;
  readonly case: Case;
  readonly n: number;
  readonly runs: number;
  readonly work: number; // estimated events of a run
  readonly isMeasured: boolean; // whether all measures are taken, or messages counted only
}

export interface Plan {
  readonly points: readonly SweepPoint[];
  readonly leftOut: readonly Omit<SweepPoint, 'runs' | 'isMeasured'>[]; // they exceed the budget, or the largest network
}

const few = 3; // least runs for a mean
const fewer = 5; // a case with little randomness needs fewer runs, by this factor
const part = 4; // more than the least runs use a quarter of the budget

/** Plans a sweep. `trying` is called before each algorithm, because the estimates take a while. */
export function planOf(
  algorithms: readonly AnyAlgorithm[],
  options: SweepOptions,
  trying: (algorithm: AnyAlgorithm, index: number) => void = () => {},
): Plan {
  const points: SweepPoint[] = [];
  const leftOut: Omit<SweepPoint, 'runs' | 'isMeasured'>[] = [];
  for (const [index, algorithm] of algorithms.entries()) {
    trying(algorithm, index);
    for (const which of casesOf(algorithm)) {
      const work = estimate(algorithm, which, options);
      for (const n of options.sizes) {
        const point = { algorithm, case: which, n, work: work(n) };
        const runs = runsOf(which, point.work, options);
        const isMeasured = runs * point.work <= (options.measuresBudget ?? Infinity);
        if (runs > 0 && fits(algorithm, n)) points.push({ ...point, runs, isMeasured });
        else leftOut.push(point);
      }
    }
  }
  return { points, leftOut };
}

/** The number of runs: the least may use the whole budget, further ones only a part of it. */
function runsOf({ typical }: Case, work: number, { runs, budget }: SweepOptions): number {
  const wanted = typical ? runs : Math.ceil(runs / fewer);
  const least = Math.min(typical ? few : 1, wanted);
  if (least * work > budget) return 0;
  return Math.max(least, Math.min(wanted, Math.floor(budget / part / work)));
}

const fits = ({ assumes }: AnyAlgorithm, n: number): boolean =>
  assumes.topology !== 'complete' || n <= largestComplete;

const probes = 4; // runs at each probed size
const firstProbe = 16;
const cheap = 5000; // up to this work a larger size is probed
const long = 400; // characters of a trace that cost as much as an event
const growing = 1.2; // factor when n doubles; slower growth comes only from longer numbers

/** Estimates the work of a run of size n: it extrapolates events and their length from small sizes, and adds the size of states. */
function estimate(
  algorithm: AnyAlgorithm,
  which: Case,
  { sizes, budget }: SweepOptions,
): (n: number) => number {
  const largest = sizes.reduce((a, b) => Math.max(a, b));
  const probed: { readonly n: number; readonly events: number }[] = [];
  const first = Math.min(firstProbe, largest);
  for (let n = first; ; n *= 4) {
    probed.push({ n, events: probe(algorithm, which, n, budget) });
    const isEnough = n > first && workOf(algorithm, probed.at(-1)!.events, n) > cheap;
    if (n >= largest || isEnough || !fits(algorithm, 4 * n)) break;
  }
  const last = probed.at(-1)!;
  const growth = Math.max(1, Math.sqrt(last.events / (probed.at(-2) ?? last).events)); // factor when n doubles
  const length = lengthOf(algorithm, which, budget, largest);
  return (n) => {
    let { events } = probed.find((one) => one.n >= n) ?? last;
    for (let size = last.n; size < n; size *= 2) events *= growth;
    return workOf(algorithm, events * (1 + length(n) / long), n);
  };
}

function probe(algorithm: AnyAlgorithm, which: Case, n: number, limit: number): number {
  let events = 0;
  for (let seed = 1; seed <= probes; seed += 1)
    events += takeSample(algorithm, which, n, seed, limit, false).events;
  return events / probes;
}

/** The mean length of an event in a trace. Lists that grow with n are copied in every event. */
function lengthOf(
  algorithm: AnyAlgorithm,
  which: Case,
  limit: number,
  largest: number,
): (n: number) => number {
  const at = (size: number) => {
    const n = Math.min(size, largest);
    let characters = 0;
    const trace = (line: string) => {
      characters += line.length;
    };
    const scenario = { n, seed: 1, limit, ...which.scenario(algorithm, n, 1) };
    const { events } = simulate(algorithm, scenario, { trace });
    return characters / events;
  };
  const [small, middle] = [at(firstProbe), at(4 * firstProbe)];
  if (middle / small < growing ** 2) return () => middle;
  const large = at(16 * firstProbe); // where the list dominates
  const growth = Math.sqrt(large / middle); // factor when n doubles
  return (n) => {
    let length = large;
    for (let size = 16 * firstProbe; size < n; size *= 2) length *= growth;
    return length;
  };
}

/** The work in units of an ordinary event. */
function workOf({ assumes, knows }: AnyAlgorithm, events: number, n: number): number {
  const isWide = assumes.topology === 'complete' && (knows.includes('n') || knows.includes('neighbours'));
  const states = isWide ? (n * n) / 3 : n; // a process that knows all others may store data for each
  const perEvent = assumes.channels === 'causal' ? 1 + n / 8 : 1; // vectors are compared
  return events * perEvent + states;
}
