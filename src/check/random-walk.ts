// For spaces that are too large to be searched: runs of which each event is drawn from all that could come next.
import { InputError } from '../core/assert.ts';
import { Random } from '../core/random.ts';
import { type Trace, traceText } from '../core/trace.ts';
import type { EitherAlgorithm } from '../machine/index.ts';
import type { Violation } from '../problems/monitor.ts';
import { verdictText } from '../sim/run-result.ts';
import { checkWhole } from '../sim/scenario/number-checks.ts';
import { buildModel, propertiesOf } from './build-model.ts';
import type { CheckReport } from './check.ts';
import type { CheckConfig, CheckOptions, Space } from './config.ts';
import type { Model, Prologue } from './model/model.ts';
import { stepMark } from './model/successors.ts';

export interface RandomWalkOptions extends Omit<CheckOptions, 'reduction' | 'maxStates'> {
  readonly runs?: number; // 1000 if not said
  readonly maxDepth?: number; // events after which a run is cut off; 10,000 if not said
}

/** A violation's trace is as the run went: it need not be short. */
export interface RandomWalkReport
  extends Pick<
    CheckReport,
    'algorithm' | 'n' | 'ok' | 'violation' | 'properties' | 'sometimes' | 'unused' | 'executions' | 'bytes'
  > {
  readonly complete: false;
  readonly leftOut: string;
  readonly runs: number;
  readonly events: number; // of all runs
  readonly longest: number; // events of one run
  readonly cutOff: number; // runs that did not come to an end
}

const defaults = { runs: 1000, maxDepth: 10_000, maxBytes: 4 * 2 ** 30 };

/** Random runs in progress, for hosts that advance them in slices. The same seed, that of the space, gives the same runs. */
export class RandomWalk {
  readonly config: CheckConfig;
  runs = 0; // begun
  events = 0;
  readonly #model: Model;
  readonly #random: Random;
  readonly #options: { readonly runs: number; readonly maxDepth: number; readonly maxBytes: number };
  readonly #lemmas: boolean;
  readonly #world: Int32Array;
  #begun: Prologue<unknown>; // how this run began,
  #via: number[] = []; // and what happened since: process and effect, as the model says it
  #isOver = false; // no run is under way
  #violation: Violation | null = null;
  #witnessed = 0; // as bits
  #longest = 0;
  #cutOff = 0;

  constructor(algorithm: EitherAlgorithm, space: Space = {}, options: RandomWalkOptions = {}) {
    if (options.corrupted)
      throw new InputError(
        'that a system stabilises shows in all runs together, not in random ones: leave corrupted out',
      );
    const { config, model } = buildModel(algorithm, space, { ...options, reduction: false });
    this.config = config;
    this.#model = model;
    this.#options = { ...defaults, ...options, runs: checkWhole(options.runs ?? defaults.runs, 'walk', 1) };
    this.#lemmas = options.lemmas ?? false;
    this.#random = new Random(config.setup.seed, 'walk');
    this.#world = new Int32Array(model.width);
    this.#begun = this.#begin();
  }

  get bytes(): number {
    return this.#model.bytes;
  }

  /** So many more events. False when all runs are over, or a property is violated. */
  advance(events: number): boolean {
    for (let left = events; left > 0; left -= 1) {
      if (this.#violation !== null) return false;
      if (this.#isOver) {
        if (this.runs === this.#options.runs || this.bytes > this.#options.maxBytes) return false;
        this.#begun = this.#begin();
      } else this.#step();
    }
    return true;
  }

  #begin(): Prologue<unknown> {
    const [begun] = this.#model.initial((all) => [all[this.#random.below(all.length)]!]) as [
      Prologue<unknown>,
    ];
    this.runs += 1;
    this.#via = [];
    this.#isOver = false;
    this.#world.set(begun.world);
    this.#violation = begun.violation;
    this.#look(stepMark.emitted);
    return begun;
  }

  #step(): void {
    const { successors, width } = this.#model;
    this.#model.expandAsIs(this.#world, 0);
    if (!successors.mustContinue) this.#violation ??= this.#model.brokenWhenQuiescent(this.#world, 0);
    const depth = this.#via.length / 2;
    const isCut = successors.count > 0 && depth >= this.#options.maxDepth;
    if (this.#violation !== null || successors.count === 0 || isCut) {
      this.#isOver = true;
      if (isCut) this.#cutOff += 1;
      return;
    }
    const k = this.#random.below(successors.count);
    const [process, effect] = [successors.via[2 * k]!, successors.via[2 * k + 1]!];
    this.#via.push(process, effect);
    this.events += 1;
    this.#longest = Math.max(this.#longest, depth + 1);
    for (let j = 0; j < width; j += 1) this.#world[j] = successors.next[k * width + j]!;
    if (successors.marks[k] === stepMark.broken) this.#violation = this.#model.brokenBy(process, effect);
    else this.#look(successors.marks[k]!);
  }

  #look(how: number): void {
    const model = this.#model;
    if (how === stepMark.emitted) this.#violation ??= model.broken(this.#world, 0);
    if (how !== stepMark.none) this.#witnessed |= model.witnessed(this.#world, 0);
    if (this.#lemmas) this.#violation ??= model.brokenLemma(this.#world, 0);
  }

  report(): RandomWalkReport {
    const { setup } = this.config;
    const violation = this.#violation;
    const { maxDepth, maxBytes } = this.#options;
    const cut = this.#cutOff === 0 ? '' : `, ${this.#cutOff} of them cut off after ${maxDepth} events`;
    const full = this.bytes > maxBytes ? `, for lack of more than ${maxBytes} bytes` : '';
    return {
      algorithm: setup.algorithm.name,
      n: setup.n,
      ok: violation === null,
      complete: false,
      runs: this.runs,
      events: this.events,
      longest: this.#longest,
      cutOff: this.#cutOff,
      leftOut: `everything but ${this.runs} random run${this.runs === 1 ? '' : 's'}${cut}${full}`,
      violation: violation && { ...violation, trace: traceText(this.example()) },
      properties: propertiesOf(this.config, { lemmas: this.#lemmas, progress: false }),
      sometimes: this.#model.witnesses.map((what, k) => ({ what, seen: (this.#witnessed & (1 << k)) !== 0 })),
      unused: this.#model.states.unused,
      executions: this.#model.states.executions,
      bytes: this.bytes,
    };
  }

  /** The trace of the last run. */
  sample(): string {
    return traceText(this.#trace('ok'));
  }

  /** Returns the counterexample, or the last run if nothing is violated. */
  example(): Trace {
    return this.#trace(verdictText(this.#violation ? [this.#violation] : []));
  }

  #trace(verdict: string): Trace {
    const steps = [...this.#begun.steps];
    for (let k = 0; k < this.#via.length; k += 2)
      steps.push(this.#model.stepOf(this.#via[k]!, this.#via[k + 1]!));
    return this.#model.medium.traceOf(steps, verdict);
  }
}

/** Random runs, to the end. */
export function randomWalk(
  algorithm: EitherAlgorithm,
  space: Space = {},
  options: RandomWalkOptions = {},
): RandomWalkReport {
  const runs = new RandomWalk(algorithm, space, options);
  while (runs.advance(1_000_000));
  return runs.report();
}
