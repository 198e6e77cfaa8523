import { beginsByItself } from '../core/perpetual-election.ts';
import { type Trace, traceText } from '../core/trace.ts';
import type { EitherAlgorithm } from '../machine/index.ts';
import type { Violation } from '../problems/monitor.ts';
import { verdictText } from '../sim/run-result.ts';
import { Alternation } from './alternation.ts';
import { buildModel } from './build-model.ts';
import {
  boundedBy,
  type CheckConfig,
  type CheckOptions,
  checkOptionNames,
  checksProgress,
  type ReductionLimits,
  refuseUnknownFields,
  type Space,
} from './config.ts';
import { type Path, pathTo } from './counterexample.ts';
import { FairCycles, type Lasso } from './liveness/fair-cycles.ts';
import { FollowedCycles } from './liveness/followed-cycles.ts';
import type { Model } from './model/model.ts';
import type { HelperThread } from './parallel/coordinator.ts';
import { LemmaReads } from './properties/lemma-reads.ts';
import { notChecked, propertiesOf } from './properties/property-names.ts';
import { type FoundViolation, Search } from './search.ts';

/** What a check has shown. */
export type Verdict =
  /** A run breaks a property. */
  | 'violated'
  /** Nothing is violated in what was covered, but something was left out. */
  | 'incomplete'
  /** Everything was covered and nothing is violated, but no process ever entered or led, although one may ask. */
  | 'vacuous'
  /** Everything was covered, and nothing is violated. */
  | 'holds';

/** The result of a check. States are those of the whole system. */
export interface CheckReport {
  /** The name of the algorithm. */
  readonly algorithm: string;
  /** The number of processes. */
  readonly n: number;
  /** What the check has shown. */
  readonly verdict: Verdict;
  /** Whether the verdict is `holds`. */
  readonly ok: boolean;
  /** Whether no violation was found and nothing was left out. */
  readonly complete: boolean;
  /** The number of states found. */
  readonly states: number;
  /** The number of transitions between them. */
  readonly transitions: number;
  /** The number of events on the longest path by which the search first reached a state. */
  readonly depth: number;
  /** The number of quiescent states: every event from there is optional. */
  readonly ends: number;
  /** What the search did not cover; null if nothing. */
  readonly leftOut: string | null;
  /** The property that is violated, with the trace of a counterexample; null if none is. */
  readonly violation: (Violation & { readonly trace: string }) | null;
  /** The properties that were checked. */
  readonly properties: readonly string[];
  /** The lemmas and bounds that are not checked, and why; null if there are none. */
  readonly notChecked: string | null;
  /** What should be possible, and whether a state shows it. What was not seen may mean that the space is too small. */
  readonly sometimes: readonly { readonly what: string; readonly seen: boolean }[];
  /** The types of messages that were never received, or the lines that were never reached. */
  readonly unused: readonly string[];
  /** The reduction in use, or why there is none. */
  readonly reduction: string;
  /** The assumption that makes the number of states finite; null if none is needed. */
  readonly bounded: string | null;
  /** How often a handler or a line was executed. */
  readonly executions: number;
  /** The memory in use. */
  readonly bytes: number;
}

const mostToShorten = 1_000_000; // worlds visited to find a shorter counterexample

const defaults = { maxStates: 100_000_000, maxBytes: 4 * 2 ** 30 };

/**
 * A search in progress, for hosts that advance it in slices. {@link check} runs one to its end.
 * @example
 * import { ricartAgrawala } from 'batonjs/algorithms';
 * import { Check } from 'batonjs-lab/check';
 *
 * const search = new Check(ricartAgrawala, { n: 2 });
 * while (search.advance(10)) console.log(search.depth, search.states, search.frontier);
 * search.report().complete; // → true
 * search.example()?.verdict; // → 'ok'
 * search.sample()?.startsWith('baton trace 1'); // → true
 */
export class Check {
  /** The options, with every default filled in. */
  config!: CheckConfig;
  readonly #options: CheckOptions;
  #model!: Model;
  #search!: Search;
  readonly #algorithm: EitherAlgorithm;
  readonly #space: Space;
  #shorter: Check | null = null; // a search without reduction, for a shorter counterexample
  readonly #checksProgress: boolean;
  readonly #checksLemmas: boolean;
  readonly #lemmaReads = new LemmaReads(); // in all searches
  #readsAtFirst = 0; // the size of `#lemmaReads` when the search began
  readonly #alternation = new Alternation();
  #paused: { config: CheckConfig; model: Model; search: Search } | null = null; // a search without early delivery that waits for its turn
  #followedCycles: FollowedCycles | null = null; // after the first search
  #keepsAllWorlds = false; // the second search, which leaves out no world
  #fairCycles: FairCycles | null = null; // after a search that left out no world

  /** @throws {InputError} if the algorithm is incomplete, or an option does not apply to it. */
  constructor(algorithm: EitherAlgorithm, space: Space = {}, options: CheckOptions = {}) {
    refuseUnknownFields('check', space, options, checkOptionNames);
    this.#algorithm = algorithm;
    this.#space = space;
    this.#options = options;
    this.#checksProgress = checksProgress(options);
    this.#begin({ claimTries: this.#alternation.tries });
    this.#checksLemmas = this.config.lemmaReads !== null;
  }

  #begin(reduction: ReductionLimits): void {
    const options = this.#options;
    const limits = { ...reduction, lemmaReads: this.#lemmaReads };
    const { config, model, search } = buildModel(this.#algorithm, this.#space, options, limits);
    this.#readsAtFirst = this.#lemmaReads.size;
    this.config = config;
    this.#model = model;
    const { maxStates: states = defaults.maxStates, maxBytes: bytes = defaults.maxBytes } = options;
    const paused = this.#paused === null ? 0 : this.#paused.search.bytes + this.#paused.model.bytes;
    const most = { states, bytes: bytes - paused, depth: options.maxDepth ?? Infinity };
    this.#search = new Search(this.#model, search, most);
  }

  /** The number of states found so far. */
  get states(): number {
    return this.#search.worlds.size;
  }

  /** The depth of the states being visited. With early delivery, that is not a number of events. */
  get depth(): number {
    return this.#search.depth;
  }

  /** The number of states found but not yet visited. */
  get frontier(): number {
    return this.#search.frontier;
  }

  /** The memory in use. */
  get bytes(): number {
    return this.#search.bytes + this.#model.bytes + (this.#fairCycles?.bytes ?? 0);
  }

  /** Whether the search is so large that threads which `join` would save time. @internal */
  get isWorthHelp(): boolean {
    return this.#mayBeHelped && this.#search.isWorthHelp;
  }

  /** Lets a thread help whose assignments a `RemoteWorker` performs. Nothing changes but the time. @internal */
  join(thread: HelperThread, smallestBatch?: number): void {
    if (this.#mayBeHelped) this.#search.join(thread, smallestBatch);
  }

  /** Threads have the model of the first search, and do not know what lemmas read elsewhere. */
  get #mayBeHelped(): boolean {
    return !this.#keepsAllWorlds && !this.#dependsOnReads;
  }

  /** Visits up to `worlds` more states of the system. Returns false when the check is over. */
  advance(worlds: number): boolean {
    if (this.#shorter !== null) return this.#shorter.advance(worlds);
    const goesOn = this.#advanceSearch(this.#dependsOnReads ? Math.min(worlds, this.states + 100) : worlds);
    if (this.#isOutdated && this.#search.found === null) {
      this.#begin({ claimTries: this.config.claimTries });
      return true;
    }
    if (goesOn) return true;
    return this.#search.found === null ? this.#lookForCycles(worlds) : this.#lookForShorter();
  }

  /** The search left out worlds though lemmas read more than was known when it began. */
  get #isOutdated(): boolean {
    return this.#dependsOnReads && this.#lemmaReads.size > this.#readsAtFirst;
  }

  get #dependsOnReads(): boolean {
    const { earlyDelivery, ampleSets, lemmaReads } = this.config;
    return lemmaReads !== null && (earlyDelivery || ampleSets);
  }

  /** Advances the search with early delivery or the one without it, whichever has its turn. */
  #advanceSearch(worlds: number): boolean {
    const alternation = this.#alternation;
    if (this.config.earlyDelivery) {
      if (this.#search.advance(worlds)) return true;
      if (!this.#search.isReductionFutile || this.#search.found !== null) return false;
      alternation.giveUp(this.#model.earlyDelivery!.hasGivenUp);
      this.#resume();
      return true;
    }
    const expanded = Math.min(worlds, alternation.patience);
    const goesOn = this.#search.advance(expanded);
    alternation.patience -= expanded;
    if (!goesOn || alternation.patience > 0) return goesOn;
    this.#paused = { config: this.config, model: this.#model, search: this.#search };
    this.#begin({ claimTries: alternation.tries });
    return true;
  }

  /** Goes on without early delivery. */
  #resume(): void {
    const paused = this.#paused;
    this.#paused = null;
    if (paused === null) this.#begin({});
    else {
      this.config = paused.config;
      this.#model = paused.model;
      this.#search = paused.search;
    }
  }

  /** Looks for runs without end. A step must lead back for that. A reduced search shows whether there are any, but not whether one is fair. */
  #lookForCycles(worlds: number): boolean {
    if (!this.#mayCycle) return false;
    if (!this.#mayShowNoCycle) return this.#lookForFairCycles(worlds);
    this.#followedCycles ??= new FollowedCycles(this.#model, this.#search);
    if (this.#followedCycles.advance(worlds)) return true;
    if (!this.#followedCycles.isAny) return false;
    if (!this.#losesWorlds) return this.#lookForFairCycles(worlds);
    this.#keepsAllWorlds = true;
    this.#begin({ keepsAllWorlds: true });
    return true;
  }

  /** The search is complete, and its graph may have a cycle; or a step may make a corrupted system illegitimate again. */
  get #mayCycle(): boolean {
    const mayBreak = this.#search.hasBackEdge || this.config.corrupted;
    return this.#checksProgress && this.#search.cutOff === null && mayBreak;
  }

  /** A reduced search, or one that has logged its steps, can show at little cost that there is no cycle. */
  get #mayShowNoCycle(): boolean {
    const isFirst = this.config.mayBeAcyclic && this.#fairCycles === null;
    return isFirst && (this.#losesWorlds || this.#search.steps !== null || this.#followedCycles !== null);
  }

  get #losesWorlds(): boolean {
    const { earlyDelivery, ampleSets, symmetric } = this.config;
    return earlyDelivery || ampleSets || symmetric;
  }

  #lookForFairCycles(worlds: number): boolean {
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

  /** Whether all states are known, and the check looks for fair cycles. */
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
    if (!this.#mayCycle || this.#fairCycles?.isOver) return this.#fairCycles?.cutOff ?? null;
    const isAcyclic = this.#followedCycles?.isOver && !this.#followedCycles.isAny;
    return isAcyclic ? null : 'runs that go round for ever';
  }

  /** Returns the result so far. It is final once {@link Check.advance} has returned false. */
  report(): CheckReport {
    const shorter = this.#shorter?.report();
    if (shorter?.violation) return { ...shorter, reduction: this.config.reduction, leftOut: this.#leftOut };
    const search = this.#search;
    const { setup } = this.config;
    const found = this.#found;
    const explained = found && this.#explained(found);
    const leftOut = this.#leftOut;
    const sometimes = this.#model.witnesses.map((what, k) => ({ what, seen: search.witnesses[k]! >= 0 }));
    const mayAsk = setup.starts.count > 0 || beginsByItself(setup.algorithm);
    const isVacuous = mayAsk && !sometimes[0]!.seen;
    const verdict =
      found !== null ? 'violated' : leftOut !== null ? 'incomplete' : isVacuous ? 'vacuous' : 'holds';
    return {
      algorithm: setup.algorithm.name,
      n: setup.n,
      verdict,
      ok: verdict === 'holds',
      complete: found === null && leftOut === null,
      states: search.worlds.size,
      transitions: search.transitions,
      depth: search.longest,
      ends: search.quiescent,
      leftOut,
      violation: explained && { ...explained.violation, trace: traceText(explained.trace) },
      properties: propertiesOf(this.config, { lemmas: this.#checksLemmas, progress: this.#checksProgress }),
      notChecked: notChecked(this.config),
      sometimes,
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
    const loop = 'loop' in found ? found : null;
    const loopsFrom = loop && loop.loop.length > 0 ? path.steps.length : undefined;
    if (loop !== null) this.#goRound(path, loop);
    const trace = this.#model.medium.traceOf(path.steps, verdictText([violation]), loopsFrom);
    return { violation, trace };
  }

  /** Where rounds are shifted, the loop leads to the same world with later rounds, so the steps are others each time. */
  #goRound(path: Path<unknown>, { loop, worlds }: Lasso): void {
    if (this.#model.medium.normalise !== null) for (const world of worlds) path.go(world);
    else for (const { process, effect } of loop) path.take(process, effect);
  }

  /** Returns the violation in the world that the trace shows. That may be a rotation of the world found, or one with later rounds. */
  #violationShown(found: FoundViolation | Lasso, { world, last }: Path<unknown>): Violation {
    const { violation, step } = found;
    const isItself = !this.config.symmetric && this.#model.medium.normalise === null;
    if (isItself || 'loop' in found) return violation;
    const shown =
      step === null
        ? (this.#model.broken(world, 0) ??
          this.#model.brokenLemma(world, 0) ??
          this.#model.brokenWhenQuiescent(world, 0))
        : this.#model.brokenBy(last, step.effect);
    return shown?.property === violation.property ? shown : violation;
  }

  /** Returns the counterexample, or a run that was covered if nothing is violated; null if no run was covered. */
  example(): Trace | null {
    if (this.#shorter !== null && this.#shorter.#found !== null) return this.#shorter.example();
    return this.#found ? this.#explained(this.#found).trace : this.#covered();
  }

  /** Returns the trace of a run that was covered, as text; null if no run was covered. */
  sample(): string | null {
    const covered = this.#covered();
    return covered && traceText(covered);
  }

  /** Returns a run to one of the quiescent worlds furthest away. */
  #covered(): Trace | null {
    const { lastQuiescent } = this.#search;
    if (lastQuiescent === -1) return null;
    const { steps } = pathTo(this.#model, this.#search, { world: lastQuiescent, step: null });
    return this.#model.medium.traceOf(steps, 'ok');
  }
}

/**
 * Checks every interleaving of an algorithm. A violation is part of the result and is not thrown.
 * @throws {InputError} if the algorithm is incomplete, an option does not apply to it, or it synchronises clocks.
 * @example
 * import { lamport } from 'batonjs/algorithms';
 * import { check } from 'batonjs-lab/check';
 *
 * check(lamport, { n: 2 }).complete; // → true
 * const { violation } = check(lamport, { n: 2, channels: 'unordered' });
 * violation?.property; // → 'at most one inside'
 * console.log(violation?.trace);
 */
export function check(
  algorithm: EitherAlgorithm,
  space: Space = {},
  options: CheckOptions = {},
): CheckReport {
  const search = new Check(algorithm, space, options);
  while (search.advance(100_000));
  return search.report();
}
