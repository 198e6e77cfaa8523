import { type Trace, traceText } from '../core/trace.ts';
import type { EitherAlgorithm } from '../machine/index.ts';
import type { Violation } from '../problems/monitor.ts';
import { verdictText } from '../sim/run-result.ts';
import { buildModel, propertiesOf } from './build-model.ts';
import { boundedBy, type CheckConfig, type CheckOptions, checksProgress, type Space } from './config.ts';
import { FairCycles, type Lasso } from './liveness/fair-cycles.ts';
import type { Model } from './model/model.ts';
import type { HelperThread } from './parallel/coordinator.ts';
import { type Path, pathTo } from './path.ts';
import { type FoundViolation, Search } from './search.ts';

export interface CheckReport {
  readonly algorithm: string;
  readonly n: number;
  readonly ok: boolean; // nothing was found
  readonly complete: boolean; // and nothing was left out
  readonly states: number;
  readonly transitions: number;
  readonly depth: number;
  readonly ends: number; // states in which nothing is bound to happen any more
  readonly leftOut: string | null; // if it is not complete
  readonly violation: (Violation & { readonly trace: string }) | null;
  readonly properties: readonly string[]; // that were checked
  readonly sometimes: readonly { readonly what: string; readonly seen: boolean }[];
  readonly unused: readonly string[]; // kinds of messages that never arrived, or lines that were never reached
  readonly reduction: string; // what need not be looked at, or why everything is
  readonly bounded: string | null; // what is taken for granted, so that there is an end of states
  readonly executions: number; // of handlers or lines
  readonly bytes: number;
}

const mostToShorten = 1_000_000; // worlds that are worth looking at for a shorter run

const defaults = { maxStates: 100_000_000, maxBytes: 4 * 2 ** 30 };

/** A search in progress, for hosts that advance it in slices. */
export class Check {
  config!: CheckConfig;
  readonly #options: CheckOptions;
  #model!: Model;
  #search!: Search;
  readonly #algorithm: EitherAlgorithm;
  readonly #space: Space;
  #shorter: Check | null = null; // looks for a shorter run than was found, since a reduced search need not find the shortest
  readonly #checksProgress: boolean;
  #fairCycles: FairCycles | null = null; // once the search is over

  constructor(algorithm: EitherAlgorithm, space: Space = {}, options: CheckOptions = {}) {
    this.#algorithm = algorithm;
    this.#space = space;
    this.#options = options;
    this.#checksProgress = checksProgress(algorithm, options);
    this.#begin(true);
  }

  #begin(mayHurry: boolean): void {
    const options = this.#options;
    const { config, model, search } = buildModel(this.#algorithm, this.#space, options, mayHurry);
    this.config = config;
    this.#model = model;
    const { maxStates: states = defaults.maxStates, maxBytes: bytes = defaults.maxBytes } = options;
    const limits = { states, bytes, depth: options.maxDepth ?? Infinity };
    this.#search = new Search(this.#model, search, limits);
  }

  get states(): number {
    return this.#search.worlds.size;
  }

  get depth(): number {
    return this.#search.depth;
  }

  get frontier(): number {
    return this.#search.frontier;
  }

  get bytes(): number {
    return this.#search.bytes + this.#model.bytes + (this.#fairCycles?.bytes ?? 0);
  }

  /** It is large, and there is more to look at than to work out: threads that `join` would help. */
  get isWorthHelp(): boolean {
    return this.#search.isWorthHelp;
  }

  /** Has a thread help that an `Assistant` serves. Nothing changes but the time it takes. */
  join(helper: HelperThread, fewest?: number): void {
    this.#search.join(helper, fewest);
  }

  /** Looks at so many more worlds. False when the search is over. */
  advance(worlds: number): boolean {
    if (this.#shorter !== null) return this.#shorter.advance(worlds);
    if (this.#search.advance(worlds)) return true;
    if (this.#search.isReductionFutile && this.#search.found === null) {
      this.#begin(false);
      return true;
    }
    return this.#search.found === null ? this.#lookForFairCycles(worlds) : this.#lookForShorter();
  }

  #lookForFairCycles(worlds: number): boolean {
    if (!this.#checksProgress || this.#search.cutOff !== null) return false;
    this.#fairCycles ??= new FairCycles(
      this.#model,
      this.#search,
      this.#options.maxBytes ?? defaults.maxBytes,
    );
    return this.#fairCycles.advance(worlds);
  }

  #lookForShorter(): boolean {
    const { found, worlds } = this.#search;
    if (found === null) return false;
    const { ampleSets, earlyDelivery } = this.config;
    if (!ampleSets && !earlyDelivery) return false;
    const maxDepth = pathTo(this.#model, this.#search, found).steps.length;
    const limits = earlyDelivery ? {} : { reduction: false, maxStates: mostToShorten + worlds.size }; // without early messages it loses no world
    const options = { ...this.#options, maxDepth, ...limits };
    this.#shorter = new Check(this.#algorithm, this.#space, options);
    return true;
  }

  /** All worlds are known, and it looks for runs that go round for ever. */
  get isCheckingLiveness(): boolean {
    return this.#fairCycles !== null;
  }

  get #found(): FoundViolation | Lasso | null {
    return this.#search.found ?? this.#fairCycles?.found ?? null;
  }

  get #leftOut(): string | null {
    if (this.#found !== null) return this.#search.cutOff;
    if (this.#search.cutOff !== null || this.#search.frontier > 0)
      return this.#search.cutOff ?? 'what comes next';
    if (!this.#checksProgress || this.#fairCycles?.isOver) return this.#fairCycles?.cutOff ?? null;
    return 'runs that go round for ever';
  }

  report(): CheckReport {
    const shorter = this.#shorter?.report();
    if (shorter?.violation) return { ...shorter, reduction: this.config.reduction, leftOut: this.#leftOut };
    const search = this.#search;
    const { setup } = this.config;
    const { lemmas = false } = this.#options;
    const found = this.#found;
    const explained = found && this.#explained(found);
    const leftOut = this.#leftOut;
    return {
      algorithm: setup.algorithm.name,
      n: setup.n,
      ok: found === null,
      complete: found === null && leftOut === null,
      states: search.worlds.size,
      transitions: search.transitions,
      depth: search.longest,
      ends: search.quiescent,
      leftOut,
      violation: explained && { ...explained.violation, trace: traceText(explained.trace) },
      properties: propertiesOf(this.config, { lemmas, progress: this.#checksProgress }),
      sometimes: this.#model.witnesses.map((what, k) => ({ what, seen: search.witnesses[k]! >= 0 })),
      unused: this.#model.states.unused,
      reduction: this.config.reduction,
      bounded: boundedBy(this.config),
      executions: this.#model.states.executions,
      bytes: this.bytes,
    };
  }

  #explained(found: FoundViolation | Lasso): { readonly violation: Violation; readonly trace: Trace } {
    const path = pathTo(this.#model, this.#search, found);
    const violation = this.#violationShown(found, path);
    const { steps } = path;
    const loop = 'loop' in found ? found.loop : [];
    const round = loop.map(({ process, effect }) => this.#model.stepOf(process, effect));
    const loopsFrom = round.length > 0 ? steps.length : undefined;
    const trace = this.#model.medium.traceOf([...steps, ...round], verdictText([violation]), loopsFrom);
    return { violation, trace };
  }

  /** The same violation in the world that is shown, where others are concerned if it is a rotation of the one that was found. */
  #violationShown({ violation, step }: FoundViolation, { world, last }: Path<unknown>): Violation {
    if (!this.config.symmetric) return violation;
    const shown =
      step === null
        ? (this.#model.broken(world, 0) ?? this.#model.brokenWhenQuiescent(world, 0))
        : this.#model.brokenBy(last, step.effect);
    return shown?.property === violation.property ? shown : violation;
  }

  /** Returns the counterexample, or a run that was covered if nothing is violated; null if no run was covered. */
  example(): Trace | null {
    if (this.#shorter !== null && this.#shorter.#found !== null) return this.#shorter.example();
    return this.#found ? this.#explained(this.#found).trace : this.#covered();
  }

  /** The trace of a run that was covered. */
  sample(): string | null {
    const covered = this.#covered();
    return covered && traceText(covered);
  }

  /** A run to one of the worlds furthest away in which nothing is left to happen. */
  #covered(): Trace | null {
    const { lastQuiescent } = this.#search;
    if (lastQuiescent < 0) return null;
    const { steps } = pathTo(this.#model, this.#search, { world: lastQuiescent, step: null });
    return this.#model.medium.traceOf(steps, 'ok');
  }
}

/** Looks at every interleaving, to the end. */
export function check(
  algorithm: EitherAlgorithm,
  space: Space = {},
  options: CheckOptions = {},
): CheckReport {
  const search = new Check(algorithm, space, options);
  while (search.advance(100_000));
  return search.report();
}
