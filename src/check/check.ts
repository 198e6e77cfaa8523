import type { AnyAlgorithm } from '../core/algorithm.ts';
import type { AnySharedAlgorithm } from '../core/shared.ts';
import type { Violation } from '../problems/monitor.ts';
import { pathTo } from './counterexample.ts';
import type { Model } from './model.ts';
import type { CheckOptions, Question, SharedQuestion, Space } from './question.ts';
import { type Found, Search } from './search.ts';
import { propertiesOf, subjectOf } from './subject.ts';

export interface Report {
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
  readonly executions: number; // of handlers or lines
  readonly bytes: number;
}

const few = 1_000_000; // worlds that are worth looking at for a shorter run

const usual = { maxStates: 100_000_000, maxBytes: 4 * 2 ** 30 };

/** A search in progress, for hosts that advance it in slices. */
export class Check {
  readonly question: Question | SharedQuestion;
  readonly #options: CheckOptions;
  readonly #model: Model;
  readonly #search: Search;
  readonly #algorithm: AnyAlgorithm | AnySharedAlgorithm;
  readonly #space: Space;
  #shorter: Check | null = null; // looks for a shorter run than was found, since a reduced search need not find the shortest

  constructor(algorithm: AnyAlgorithm | AnySharedAlgorithm, space: Space = {}, options: CheckOptions = {}) {
    this.#algorithm = algorithm;
    this.#space = space;
    this.#options = options;
    const { question, model } = subjectOf(algorithm, space, options);
    this.question = question;
    this.#model = model;
    const { maxStates: states = usual.maxStates, maxBytes: bytes = usual.maxBytes } = options;
    const limits = { states, bytes, depth: options.maxDepth ?? Infinity };
    const { reduction = true } = options;
    const isCounted = 'bounds' in this.question && this.question.bounds;
    const lemmas = options.lemmas === true || isCounted;
    this.#search = new Search(this.#model, { limits, lemmas, sleep: reduction && this.#model.commutes });
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
    return this.#search.bytes + this.#model.bytes;
  }

  /** Looks at so many more worlds. False when the search is over. */
  advance(worlds: number): boolean {
    if (this.#shorter !== null) return this.#shorter.advance(worlds);
    if (this.#search.advance(worlds)) return true;
    return this.#lookForShorter();
  }

  #lookForShorter(): boolean {
    const { found, worlds } = this.#search;
    if (found === null || !('ample' in this.question && this.question.ample)) return false;
    const maxDepth = pathTo(this.#model, this.#search, found.world, found.step).length;
    const options = { ...this.#options, reduction: false, maxDepth, maxStates: few + worlds.size };
    this.#shorter = new Check(this.#algorithm, this.#space, options);
    return true;
  }

  report(): Report {
    const shorter = this.#shorter?.report();
    if (shorter?.violation) return shorter;
    const search = this.#search;
    const { setup } = this.question;
    const { found } = search;
    const leftOut = search.cutOff ?? (search.frontier > 0 && found === null ? 'what comes next' : null);
    return {
      algorithm: setup.algorithm.name,
      n: setup.n,
      ok: found === null,
      complete: found === null && leftOut === null,
      states: search.worlds.size,
      transitions: search.transitions,
      depth: search.depth,
      ends: search.resting,
      leftOut,
      violation: found && { ...found.violation, trace: this.#traceOf(found) },
      properties: propertiesOf(this.question, this.#options.lemmas ?? false),
      sometimes: this.#model.witnesses.map((what, k) => ({ what, seen: search.witnesses[k]! >= 0 })),
      unused: this.#model.unused,
      reduction: this.question.reduction,
      executions: this.#model.executions,
      bytes: this.bytes,
    };
  }

  #traceOf({ violation, world, step }: Found): string {
    const steps = pathTo(this.#model, this.#search, world, step);
    return this.#model.traceOf(steps, `${violation.property} is violated: ${violation.why}`);
  }

  /** A run that was covered: to one of the worlds furthest away in which nothing is left to happen. */
  sample(): string | null {
    const { lastRest } = this.#search;
    if (lastRest < 0) return null;
    return this.#model.traceOf(pathTo(this.#model, this.#search, lastRest, null), 'ok');
  }
}

/** Looks at every interleaving, to the end. */
export function check(
  algorithm: AnyAlgorithm | AnySharedAlgorithm,
  space: Space = {},
  options: CheckOptions = {},
): Report {
  const search = new Check(algorithm, space, options);
  while (search.advance(100_000));
  return search.report();
}
