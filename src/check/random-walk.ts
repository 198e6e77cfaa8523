// For systems too large to be searched: runs whose every event is drawn from all that are enabled.
import { InputError } from '../core/assert.ts';
import { Random } from '../core/random.ts';
import { type Trace, traceText } from '../core/trace.ts';
import type { EitherAlgorithm } from '../machine/index.ts';
import type { Violation } from '../problems/monitor.ts';
import { verdictText } from '../sim/run-result.ts';
import { checkWhole } from '../sim/scenario/number-checks.ts';
import { buildModel } from './build-model.ts';
import type { CheckReport } from './check.ts';
import {
  type CheckConfig,
  type CheckOptions,
  checkOptionNames,
  refuseUnknownFields,
  type Space,
} from './config.ts';
import type { StepId } from './liveness/fair-cycles.ts';
import type { Model, Prologue } from './model/model.ts';
import { stepMark } from './model/successors.ts';
import { notChecked, propertiesOf } from './properties/property-names.ts';

/** What random runs check, and how many there are. */
export interface RandomWalkOptions extends Omit<CheckOptions, 'reduction' | 'maxStates'> {
  /** The most runs. A violation ends them early. Defaults to 1000. */
  readonly runs?: number;
  /** The number of events after which a run is cut off. Defaults to 10,000. */
  readonly maxDepth?: number;
}

const walkOptions = [
  ...checkOptionNames.filter((name) => name !== 'reduction' && name !== 'maxStates'),
  'runs',
];

/** The result of random runs. The trace of a violation is the random run itself: it need not be short. */
export interface RandomWalkReport
  extends Pick<
    CheckReport,
    | 'algorithm'
    | 'n'
    | 'verdict'
    | 'ok'
    | 'violation'
    | 'properties'
    | 'notChecked'
    | 'sometimes'
    | 'unused'
    | 'executions'
    | 'bytes'
  > {
  /** Random runs never cover everything. */
  readonly complete: false;
  /** What was not covered, as text. */
  readonly leftOut: string;
  /** The number of runs. */
  readonly runs: number;
  /** The number of events of all runs. */
  readonly events: number;
  /** The number of events of the longest run. */
  readonly longest: number;
  /** The number of runs that did not end by themselves. */
  readonly cutOff: number;
}

const defaults = { runs: 1000, maxDepth: 10_000, maxBytes: 4 * 2 ** 30 };

/**
 * Random runs in progress, for hosts that advance them in slices. The same seed gives the same runs. {@link randomWalk} runs them to
 * their end.
 * @example
 * import { ricartAgrawala } from 'batonjs/algorithms';
 * import { RandomWalk } from 'batonjs-lab/check';
 *
 * const walk = new RandomWalk(ricartAgrawala, { n: 6, seed: 3 }, { runs: 10 });
 * while (walk.advance(100)) console.log(walk.runs, walk.events);
 * walk.report().verdict; // → 'incomplete'
 * walk.example().verdict; // → 'ok'
 * walk.sample().startsWith('baton trace 1'); // → true
 */
export class RandomWalk {
  /** The options, with every default filled in. */
  readonly config: CheckConfig;
  /** The number of runs begun so far. */
  runs = 0;
  /** The number of events of all runs so far. */
  events = 0;
  readonly #model: Model;
  readonly #checksWorlds: boolean; // for lemmas and bounds
  readonly #random: Random;
  readonly #options: { readonly runs: number; readonly maxDepth: number; readonly maxBytes: number };
  readonly #world: Int32Array;
  #prologue: Prologue<unknown>; // of the current run
  #steps: StepId[] = []; // since then
  #isOver = false; // the current run
  #violation: Violation | null = null;
  #witnessed = 0; // a bit for each witness
  #longest = 0;
  #cutOff = 0;

  /** @throws {InputError} if the algorithm is incomplete, or an option does not apply to it. */
  constructor(algorithm: EitherAlgorithm, space: Space = {}, options: RandomWalkOptions = {}) {
    refuseUnknownFields('randomWalk', space, options, walkOptions);
    if (options.corrupted)
      throw new InputError(
        'that a system stabilises shows in all runs together, not in random ones: leave corrupted out',
      );
    const { config, model, search } = buildModel(algorithm, space, { ...options, reduction: false });
    this.config = config;
    this.#model = model;
    this.#checksWorlds = search.lemmas;
    this.#options = { ...defaults, ...options, runs: checkWhole(options.runs ?? defaults.runs, 'walk', 1) };
    this.#random = new Random(config.setup.seed, 'walk');
    this.#world = new Int32Array(model.width);
    this.#prologue = this.#begin();
  }

  /** The memory in use. */
  get bytes(): number {
    return this.#model.bytes;
  }

  /** Runs up to `events` more events. Returns false when all runs are over, or a property is violated. */
  advance(events: number): boolean {
    for (let left = events; left > 0; left -= 1) {
      if (this.#violation !== null) return false;
      if (this.#isOver) {
        if (this.runs === this.#options.runs || this.bytes > this.#options.maxBytes) return false;
        this.#prologue = this.#begin();
      } else this.#step();
    }
    return true;
  }

  #begin(): Prologue<unknown> {
    const [begun] = this.#model.initial((all) => [all[this.#random.below(all.length)]!]) as [
      Prologue<unknown>,
    ];
    this.runs += 1;
    this.#steps = [];
    this.#isOver = false;
    this.#world.set(begun.world);
    this.#violation = begun.violation;
    this.#check(stepMark.emitted);
    return begun;
  }

  #step(): void {
    const { successors, width } = this.#model;
    this.#model.expandAsIs(this.#world, 0);
    if (!successors.mustContinue) this.#violation ??= this.#model.brokenWhenQuiescent(this.#world, 0);
    const depth = this.#steps.length;
    const isCut = successors.count > 0 && depth >= this.#options.maxDepth;
    if (this.#violation !== null || successors.count === 0 || isCut) {
      this.#isOver = true;
      if (isCut) this.#cutOff += 1;
      return;
    }
    const k = this.#random.below(successors.count);
    const [process, effect] = [successors.processAt(k), successors.effectAt(k)];
    this.#steps.push({ process, effect });
    this.events += 1;
    this.#longest = Math.max(this.#longest, depth + 1);
    for (let j = 0; j < width; j += 1) this.#world[j] = successors.next[k * width + j]!;
    if (successors.marks[k] === stepMark.broken) this.#violation = this.#model.brokenBy(process, effect);
    else this.#check(successors.marks[k]!);
  }

  #check(mark: number): void {
    const model = this.#model;
    if (mark === stepMark.emitted) this.#violation ??= model.broken(this.#world, 0);
    if (mark !== stepMark.none) this.#witnessed |= model.witnessed(this.#world, 0);
    if (this.#checksWorlds) this.#violation ??= model.brokenLemma(this.#world, 0);
  }

  /** Returns the result so far. It is final once {@link RandomWalk.advance} has returned false. */
  report(): RandomWalkReport {
    const { setup } = this.config;
    const violation = this.#violation;
    const { maxDepth, maxBytes } = this.#options;
    const cut = this.#cutOff === 0 ? '' : `, ${this.#cutOff} of them cut off after ${maxDepth} events`;
    const full = this.bytes > maxBytes ? `, for lack of more than ${maxBytes} bytes` : '';
    return {
      algorithm: setup.algorithm.name,
      n: setup.n,
      verdict: violation === null ? 'incomplete' : 'violated',
      ok: false, // random runs do not cover everything
      complete: false,
      runs: this.runs,
      events: this.events,
      longest: this.#longest,
      cutOff: this.#cutOff,
      leftOut: `everything but ${this.runs} random run${this.runs === 1 ? '' : 's'}${cut}${full}`,
      violation: violation && { ...violation, trace: traceText(this.example()) },
      properties: propertiesOf(this.config, { lemmas: this.config.lemmaReads !== null, progress: false }),
      notChecked: notChecked(this.config),
      sometimes: this.#model.witnesses.map((what, k) => ({ what, seen: (this.#witnessed & (1 << k)) !== 0 })),
      unused: this.#model.states.unused,
      executions: this.#model.states.executions,
      bytes: this.bytes,
    };
  }

  /** Returns the trace of the last run, as text. */
  sample(): string {
    return traceText(this.#trace('ok'));
  }

  /** Returns the counterexample, or the last run if nothing is violated. */
  example(): Trace {
    return this.#trace(verdictText(this.#violation ? [this.#violation] : []));
  }

  #trace(verdict: string): Trace {
    const rest = this.#steps.map(({ process, effect }) => this.#model.stepOf(process, effect));
    return this.#model.medium.traceOf([...this.#prologue.steps, ...rest], verdict);
  }
}

/**
 * Runs an algorithm at random, many times, and checks every run: for systems too large for {@link check}.
 * @throws {InputError} if the algorithm is incomplete, an option does not apply to it, or it synchronises clocks.
 * @example
 * import { lamport } from 'batonjs/algorithms';
 * import { randomWalk } from 'batonjs-lab/check';
 *
 * randomWalk(lamport, { n: 6 }, { runs: 10 }).verdict; // → 'incomplete'
 * const { violation } = randomWalk(lamport, { n: 6, channels: 'unordered' });
 * violation?.property; // → 'every request enters'
 */
export function randomWalk(
  algorithm: EitherAlgorithm,
  space: Space = {},
  options: RandomWalkOptions = {},
): RandomWalkReport {
  const runs = new RandomWalk(algorithm, space, options);
  while (runs.advance(1_000_000));
  return runs.report();
}
