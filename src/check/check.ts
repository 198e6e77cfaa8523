import type { AnyAlgorithm } from '../core/algorithm.ts';
import { InputError } from '../core/assert.ts';
import { type AnySharedAlgorithm, isShared } from '../core/shared.ts';
import type { Violation } from '../problems/monitor.ts';
import { bindingBypass } from '../sim/run.ts';
import { prepare, type Scenario } from '../sim/scenario.ts';
import { pathTo } from './counterexample.ts';
import { SharedModel } from './memory.ts';
import type { Model } from './model.ts';
import { Network } from './network.ts';
import { isTimed, type Question, type SharedQuestion } from './question.ts';
import { type Found, Search } from './search.ts';
import { sharedQuestionOf } from './shared-question.ts';

/**
 * The part of a scenario that a search of all interleavings asks about: who, where and how much; not when. On shared memory `entries` may
 * be Infinity: everybody may ask again and again.
 */
export type Space = Pick<
  Scenario,
  'n' | 'ids' | 'topology' | 'root' | 'channels' | 'latency' | 'clocks' | 'start' | 'entries' | 'seed'
>;

export interface CheckOptions {
  readonly together?: boolean; // who starts or asks does so before anything else; otherwise at any time, or never
  readonly crashes?: number; // up to so many processes crash; on shared memory, so many times, and who crashed may ask again
  readonly losses?: number; // up to so many messages are lost
  readonly repeats?: number; // up to so many messages arrive once more
  readonly capacity?: number; // no timer ends while a channel on which it would send holds so many messages
  readonly lemmas?: boolean; // the algorithm's own, in every world
  readonly bypass?: boolean; // its bypass bounds
  readonly corrupted?: boolean; // from every value of the variables of a self-stabilising algorithm
  readonly reduction?: boolean; // leave out worlds that cannot matter; true if not said
  readonly maxStates?: number;
  readonly maxBytes?: number;
  readonly maxDepth?: number;
}

export interface Report {
  readonly algorithm: string;
  readonly n: number;
  readonly ok: boolean; // nothing was found
  readonly complete: boolean; // and nothing was left out
  readonly states: number;
  readonly transitions: number;
  readonly depth: number;
  readonly leftOut: string | null; // if it is not complete
  readonly violation: (Violation & { readonly trace: string }) | null;
  readonly properties: readonly string[]; // that were checked
  readonly sometimes: readonly { readonly what: string; readonly seen: boolean }[];
  readonly unused: readonly string[]; // kinds of messages that never arrived, or lines that were never reached
  readonly executions: number; // of handlers or lines
  readonly bytes: number;
}

const usual = { n: 3, latency: 'uniform:0:1', maxStates: 100_000_000, maxBytes: 4 * 2 ** 30 };

/** A search in progress, for hosts that advance it in slices. */
export class Check {
  readonly question: Question | SharedQuestion;
  readonly #options: CheckOptions;
  readonly #model: Model;
  readonly #search: Search;

  constructor(algorithm: AnyAlgorithm | AnySharedAlgorithm, space: Space = {}, options: CheckOptions = {}) {
    this.#options = options;
    if (isShared(algorithm)) {
      this.question = sharedQuestionOf(algorithm, space, options, usual.n);
      this.#model = new SharedModel(this.question);
    } else {
      this.question = questionOf(algorithm, space, options);
      this.#model = new Network(this.question);
    }
    const { maxStates: states = usual.maxStates, maxBytes: bytes = usual.maxBytes } = options;
    const limits = { states, bytes, depth: options.maxDepth ?? Infinity };
    this.#search = new Search(this.#model, this.#model.initial(), options.lemmas === true, limits);
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
    return this.#search.advance(worlds);
  }

  report(): Report {
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
      leftOut,
      violation: found && { ...found.violation, trace: this.#traceOf(found) },
      properties: this.#properties(),
      sometimes: this.#model.witnesses.map((what, k) => ({ what, seen: search.witnesses[k]! >= 0 })),
      unused: this.#model.unused,
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

  #properties(): string[] {
    const { algorithm } = this.question.setup;
    const safety = {
      mutex: ['at most one inside', 'only who asked enters'],
      election: ['at most one leader', 'everybody learns the leader', 'the right one wins'],
    }[algorithm.problem];
    // On shared memory one can also wait for ever while others write for ever; that is not looked for.
    const entry = { mutex: [isShared(algorithm) ? 'no deadlock' : 'every request enters'], election: [] };
    const lemmas = this.#options.lemmas ? Object.keys(algorithm.invariants ?? {}) : [];
    const isBounded = 'bypass' in this.question && this.question.bypass.length > 0;
    return [...safety, ...entry[algorithm.problem], ...(isBounded ? ['the bypass bound'] : []), ...lemmas];
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

function questionOf(algorithm: AnyAlgorithm, space: Space, options: CheckOptions): Question {
  const { ids, topology } = space;
  const n = space.n ?? ids?.length ?? (typeof topology === 'object' ? topology.n : undefined);
  const isListed = typeof topology === 'string' && topology.startsWith('edges:');
  const size = n === undefined && isListed ? {} : { n: n ?? usual.n };
  const setup = prepare(algorithm, { latency: usual.latency, ...space, ...size });
  if (isTimed(setup) && setup.latency.max === Infinity)
    throw new InputError(`${algorithm.name} counts on a bound for delays: use fixed:D or uniform:A:B`);
  const { crashes = 0, losses = 0, repeats = 0, capacity = Infinity, bypass = false } = options;
  for (const [what, count] of Object.entries({ crashes, losses, repeats }))
    if (!(Number.isInteger(count) && count >= 0 && count <= 15))
      throw new InputError(`${what} must be a whole number from 0 to 15, not ${count}`);
  return {
    setup,
    together: options.together ?? false,
    crashes,
    losses,
    repeats,
    capacity,
    bypass: bypass ? bindingBypass(setup) : [],
    scrambled: options.corrupted ?? false,
    alike: options.reduction !== false && !options.lemmas && isAlike(setup),
  };
}

/** Nothing tells one process of the ring from another. */
function isAlike({ algorithm, topology, starts, clocks, n }: Question['setup']): boolean {
  const marks = ['me', 'id', 'root', 'parent'] as const;
  const isUneven = clocks?.some((unit) => unit !== clocks[0]) ?? false;
  const doAllStart = starts.count === n || starts.count === 0;
  return topology.isRing && doAllStart && !isUneven && !marks.some((fact) => algorithm.knows.includes(fact));
}
