import type { AnyAlgorithm, Circumstances } from '../core/algorithm.ts';
import { InputError } from '../core/assert.ts';
import { type AnySharedAlgorithm, isShared } from '../core/shared.ts';
import type { Workload } from './application.ts';
import { checkFaults, type Fault } from './faults.ts';
import { faultFields, given, startText } from './fields.ts';
import { type Latency, parseLatency } from './latency.ts';
import { whole } from './numbers.ts';
import { crowdOf, defaultSize, limitOf, prepare, type Scenario, type Setup, startsOf } from './scenario.ts';

/** A scenario of an algorithm on shared memory, with everything decided and checked. */
export interface SharedSetup extends Workload {
  readonly algorithm: AnySharedAlgorithm;
  readonly latency: Latency; // of a step
  readonly faults: readonly Fault[];
  readonly limit: number;
}

const strikes: readonly Fault['type'][] = ['crash', 'restart', 'pause'];
const largest = 4000; // every process has a program of its own

export function prepareShared(algorithm: AnySharedAlgorithm, scenario: Scenario): SharedSetup {
  refuseNetwork(algorithm, scenario);
  const n = sizeOf(algorithm, scenario);
  const latency = parseLatency(scenario.latency ?? 'uniform:1:10', 'latency');
  if (latency.max === 0) {
    throw new InputError(
      `who waits reads again and again: with latency 0 time would stand still; use fixed:1`,
    );
  }
  return {
    algorithm,
    n,
    ids: [],
    latency,
    faults: checkFaults((scenario.faults ?? []) as readonly Fault[], n),
    starts: startsOf(algorithm, scenario, n),
    entries: whole(scenario.entries ?? 1, 'entries', 0, 2 ** 31 - 1),
    think: parseLatency(scenario.think ?? 'uniform:0:10', 'think'),
    hold: parseLatency(scenario.hold ?? 'uniform:1:5', 'hold'),
    seed: whole(scenario.seed ?? 0, 'seed', Number.MIN_SAFE_INTEGER),
    limit: limitOf(scenario),
  };
}

/** What concerns channels, names or local clocks is a mistake here, not a wish. */
function refuseNetwork({ name }: AnySharedAlgorithm, scenario: Scenario): void {
  const options = [
    'ids',
    'topology',
    'root',
    'channels',
    'slow',
    'loss',
    'duplication',
    'clocks',
    'snapshot',
  ] as const;
  const wrong =
    options.find((option) => scenario[option] !== undefined) ??
    scenario.faults?.find(({ type }) => !strikes.includes(type))?.type;
  if (wrong !== undefined) {
    throw new InputError(`the processes of ${name} share memory: ${wrong} means nothing to them`);
  }
}

function sizeOf({ name, processes }: AnySharedAlgorithm, scenario: Scenario): number {
  const { min = 1, max = largest } = processes ?? {};
  const n = whole(scenario.n ?? Math.min(Math.max(defaultSize, min), max), 'n', 1, largest);
  if (n >= min && n <= max) return n;
  const range = min === max ? `${min}` : max < largest ? `${min} to ${max}` : `${min} or more`;
  throw new InputError(`${name} is for ${range} processes, not ${n}`);
}

/** Decides and checks everything that a scenario leaves open, whether processes share memory or not. */
export const setupOf = (
  algorithm: AnyAlgorithm | AnySharedAlgorithm,
  scenario: Scenario,
): Setup | SharedSetup =>
  isShared(algorithm) ? prepareShared(algorithm, scenario) : prepare(algorithm, scenario);

/** The fields that reproduce a setup, in a fixed order; those that change nothing are left out. */
export function describeShared(setup: SharedSetup): Record<string, string> {
  return given({
    algorithm: setup.algorithm.name,
    n: `${setup.n}`,
    latency: setup.latency.text,
    ...faultFields(setup.faults),
    start: startText(setup.starts),
    entries: `${setup.entries}`,
    think: setup.think.text,
    hold: setup.hold.text,
    seed: `${setup.seed}`,
    limit: setup.limit < Infinity && `${setup.limit}`,
  });
}

/** Whether the run keeps all that the algorithm assumes, so that its promises bind. */
export function keepsSharedAssumptions({ algorithm, faults }: SharedSetup): boolean {
  const isPaused = faults.some((fault) => fault.type === 'pause' && fault.until === Infinity);
  const crashes = faults.some(({ type }) => type === 'crash');
  return !isPaused && (algorithm.assumes.failures === 'crash' || !crashes);
}

export const sharedCircumstances = (setup: SharedSetup): Circumstances => ({
  n: setup.n,
  ...crowdOf(setup),
  topology: 'shared memory',
  edges: 0,
  diameter: 0,
  channels: 'unordered',
  clockRatio: 1,
});
