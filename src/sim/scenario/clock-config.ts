import { tick } from '../../core/algorithm.ts';
import { InputError } from '../../core/assert.ts';
import { Random } from '../../core/random.ts';
import type { DeclaredAlgorithm } from '../../machine/declarations.ts';
import { beginsSynchronisation } from '../../problems/clock-monitor.ts';
import type { Scenario } from './scenario.ts';

/** The clocks of a run that synchronises them. */
export interface ClockConfig {
  /** The offsets of the hardware clocks at the start, in ticks. */
  readonly offsets: readonly number[];
  /** The millionths by which each hardware clock runs fast. */
  readonly drifts: readonly number[];
  /** The largest drift that processes assume, in millionths. */
  readonly drift: number;
  /** The millionths by which a clock under correction runs faster or slower; Infinity sets it at once. */
  readonly slew: number;
  /** The synchronisations that each application begins. */
  readonly rounds: number;
}

const clockFields = ['offsets', 'drifts', 'drift', 'slew', 'rounds'] as const;
const spread = 1000; // largest default offset, in ticks
const clockDefaults = { drift: 100, slew: 100_000, rounds: 1 };

/** The clocks of a setup, and what processes know of time. `shortest` is the shortest delay, in ticks. */
export function clockSetupOf(algorithm: DeclaredAlgorithm, scenario: Scenario, n: number, shortest: number) {
  const clockConfig = clockConfigOf(algorithm, scenario, n);
  return {
    clockConfig,
    minDelay: shortest * tick,
    drift: clockConfig === null ? 0 : relativeDriftOf(clockConfig),
  };
}

function clockConfigOf(algorithm: DeclaredAlgorithm, scenario: Scenario, n: number): ClockConfig | null {
  const { name, problem } = algorithm;
  const given = clockFields.find((field) => scenario[field] !== undefined);
  if (problem !== 'clocks') {
    if (given === undefined) return null;
    throw new InputError(`${given} is for algorithms that synchronise clocks; ${name} does not`);
  }
  if (scenario.clocks !== undefined)
    throw new InputError(
      `clocks sets the timers of other problems; those of ${name} have offsets and drifts`,
    );
  refuseIdle(algorithm, scenario);
  const drift = inRange(scenario.drift ?? clockDefaults.drift, 'drift', 0, tick / 10);
  const random = new Random(scenario.seed ?? 0, 'clocks');
  const draw = (max: number) => Array.from({ length: n }, () => random.below(2 * max + 1) - max);
  const [offsets, drifts] = [draw(spread), draw(drift)];
  const slew = scenario.slew ?? clockDefaults.slew;
  return {
    offsets: listOf(scenario.offsets ?? offsets, 'offsets', n, 10 ** 9),
    drifts: listOf(scenario.drifts ?? drifts, 'drifts', n, tick / 10),
    drift,
    slew: slew === 'step' ? Infinity : inRange(slew, 'slew', 1, tick - 1),
    rounds: inRange(scenario.rounds ?? clockDefaults.rounds, 'rounds', 0, 2 ** 31 - 1),
  };
}

function refuseIdle({ name, synchronises }: DeclaredAlgorithm, { start = 'all', root = 0 }: Scenario): void {
  const idle =
    start === 'all'
      ? undefined
      : start.find(({ process }) => !beginsSynchronisation(synchronises!, process, root));
  if (idle === undefined) return;
  const reason = synchronises!.begins === 'root' ? `it is the root, ${root}, that begins` : 'it is the root';
  throw new InputError(`start: a call of process ${idle.process} begins nothing in ${name}: ${reason}`);
}

/**
 * The largest drift between two clocks, per unit of either. Their rates differ by at most the factor (1+r)/(1-r) = 1+d; the second d
 * corrects for measuring by a drifting clock.
 */
function relativeDriftOf({ drift }: ClockConfig): number {
  const r = drift / tick;
  const d = (2 * r) / (1 - r);
  return d * (1 + d);
}

/** Whether no clock drifts more than processes assume, and none is set at once. */
export const keepClockBounds = ({ drifts, drift, slew }: ClockConfig): boolean =>
  slew < Infinity && drifts.every((value) => Math.abs(value) <= drift);

function listOf(values: readonly number[], what: string, n: number, most: number): readonly number[] {
  if (values.length === n) return values.map((value) => inRange(value, what, -most, most));
  throw new InputError(`${what} needs ${n} whole numbers, one for each clock, not ${values.length}`);
}

function inRange(value: number, what: string, min: number, max: number): number {
  if (Number.isSafeInteger(value) && value >= min && value <= max) return value;
  throw new InputError(`${what} must be whole, from ${min} to ${max}, not ${value}`);
}
