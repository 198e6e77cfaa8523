import type { Bound, Measured, Message, Pid } from '../../core/algorithm.ts';
import { countsAsHop, countsInChains } from '../../core/message-measures.ts';
import { beginsByItself } from '../../core/perpetual-election.ts';
import type { Setup } from '../scenario/setup.ts';
import { boundsOnMeasure } from './judged-bounds.ts';
import type { ElectionRound, ElectionTime, MeasureBound, Measures } from './measures.ts';
import { MessageSizes } from './message-sizes.ts';
import { MutexTimes } from './mutex-times.ts';
import { type Spread, SpreadCounter } from './spread.ts';

/** What is measured: the processes, the problem, and the kinds of messages: all, those that count in chains, and those that count as hops of the token. */
export interface MeasuredRun {
  readonly n: number;
  readonly problem: string;
  readonly kinds: readonly string[];
  readonly chainKinds: readonly string[];
  readonly beginsByItself: boolean; // an election without a start: it begins at 0
  readonly crashNotice: string | null; // the kind that reports a crash: it is not measured
  readonly electsAgain: boolean; // the run may hold several elections
  readonly leftOut: readonly Pid[]; // processes that are no part of the network
  readonly hopKinds: readonly string[]; // the kinds that count as hops of the token; empty if hops are not measured
}

/** Measures a run. The simulation reports what happens as it happens. */
export class RunMeasures {
  mutex: MutexTimes | null;
  #election: SpreadCounter | null;
  #firstStart = Number.NaN;
  #wonAt: number | null = null; // when a process first knew that it leads
  #rounds: readonly ElectionRound[] = [];
  #latestRound = -1;
  readonly #hasLearned: Uint8Array | null; // by process; null if the run elects once. Only the first election is measured
  readonly #run: MeasuredRun;
  readonly #isHop: Uint8Array; // by kind: 1 if messages of this kind are hops of the token
  readonly #lengthens: Uint8Array; // by kind: 1 if messages of this kind count in chains
  readonly #figures: Int32Array; // of each process: its load, and the messages of the longest causal chain that ends there. Side by side for speed
  #sizes: MessageSizes;

  constructor(run: MeasuredRun) {
    const { n, problem, kinds, chainKinds, hopKinds, electsAgain, beginsByItself } = run;
    this.#run = run;
    if (beginsByItself) this.started(0);
    this.#isHop = Uint8Array.from(kinds, (kind) => (hopKinds.includes(kind) ? 1 : 0));
    this.#lengthens = Uint8Array.from(kinds, (kind) => (chainKinds.includes(kind) ? 1 : 0));
    this.mutex = problem === 'mutex' ? new MutexTimes(n) : null;
    this.#election = problem === 'election' ? new SpreadCounter() : null;
    this.#hasLearned = electsAgain ? new Uint8Array(n) : null;
    this.#figures = new Int32Array(2 * n);
    this.#sizes = new MessageSizes(kinds.length);
  }

  copy(): RunMeasures {
    const copy = new RunMeasures(this.#run);
    copy.mutex = this.mutex?.copy() ?? null;
    copy.#election = this.#election?.copy() ?? null;
    copy.#firstStart = this.#firstStart;
    copy.#wonAt = this.#wonAt;
    copy.#rounds = this.#rounds;
    copy.#latestRound = this.#latestRound;
    if (this.#hasLearned !== null) copy.#hasLearned!.set(this.#hasLearned);
    copy.#figures.set(this.#figures);
    copy.#sizes = this.#sizes.copy();
    return copy;
  }

  /** Returns the length of the longest causal chain that ends with this message. Pass it to `received`. */
  sent(from: Pid, kind: number, message: Message): number {
    const figures = this.#figures;
    figures[2 * from]! += 1;
    this.#sizes.add(kind, message);
    return figures[2 * from + 1]! + this.#lengthens[kind]!;
  }

  received(to: Pid, chain: number, kind: number): void {
    const figures = this.#figures;
    figures[2 * to]! += 1;
    if (chain > figures[2 * to + 1]!) figures[2 * to + 1] = chain;
    if (this.#isHop[kind] === 1) this.mutex?.tokenArrived();
  }

  started(now: number): void {
    if (Number.isNaN(this.#firstStart)) this.#firstStart = now;
  }

  /** A process takes part in a round. The first one begins it; the time of the election is that of the latest round. */
  tookPart(now: number, round: number): void {
    if (this.#rounds.some((one) => one.round === round)) return;
    this.#rounds = [...this.#rounds, { round, begun: now, leader: null, won: null, known: null }];
    if (round < this.#latestRound) return;
    this.#latestRound = round;
    this.#election = new SpreadCounter();
    this.#firstStart = now;
    this.#wonAt = null;
  }

  /** A process learns a leader, in a round if the election numbers them. */
  learned(process: Pid, now: number, leader: number | null, leads: boolean, round?: number): void {
    if (round !== undefined) {
      this.#rounds = this.#rounds.map((one) =>
        one.round === round ? { ...one, leader: one.leader ?? leader, won: one.won ?? now, known: now } : one,
      );
      if (round !== this.#latestRound) return;
    } else if (this.#hasLearned !== null) {
      if (this.#hasLearned[process] === 1) return;
      this.#hasLearned[process] = 1;
    }
    this.#election?.add(now - this.#firstStart);
    if (leads) this.#wonAt ??= now - this.#firstStart;
  }

  /** Returns the figures, each with the bounds on it. */
  result(bounds: readonly MeasureBound[]): Measures {
    const { mutex } = this;
    const { kinds, hopKinds, leftOut } = this.#run;
    const hasMessages = kinds.length > 0;
    const judged = <S extends Spread>(measure: Measured, spread: S | null | undefined) =>
      spread ? { ...spread, bounds: boundsOnMeasure(bounds, measure) } : null;
    const byKind = (measure: Measured, sizes: Readonly<Record<string, Spread>>) =>
      Object.fromEntries(
        Object.entries(sizes).map(([kind, size]) => [
          kind,
          { ...size, bounds: boundsOnMeasure(bounds, measure, kind) },
        ]),
      );
    return {
      synchronisationDelay: judged('synchronisationDelay', mutex?.delay.spread),
      waitingTime: judged('waitingTime', mutex?.waiting.spread),
      tokenHops: judged('tokenHops', hopKinds.length === 0 ? null : mutex?.hops.spread),
      responseTime: judged('responseTime', mutex?.response.spread),
      throughput: mutex?.throughput ?? null,
      electionTime: this.#electionTime(bounds),
      rounds: this.#rounds,
      chain: judged('chain', hasMessages ? spreadOfEverySecond(this.#figures, 1, leftOut) : null),
      elements: hasMessages ? byKind('elements', this.#sizes.elements(kinds)) : null,
      bits: hasMessages ? byKind('bits', this.#sizes.bits(kinds)) : null,
      totalBits: hasMessages ? this.#sizes.totalBits : null,
      load: judged('load', hasMessages ? loadOf(this.#figures, leftOut) : null),
      boundsOn: {
        throughput: boundsOnMeasure(bounds, 'throughput'),
        totalBits: this.#sizes.isSampled ? [] : boundsOnMeasure(bounds, 'totalBits'),
      },
    };
  }

  #electionTime(bounds: readonly MeasureBound[]): ElectionTime | null {
    const spread = this.#election?.spread;
    if (!spread) return null;
    return {
      ...spread,
      winner: this.#wonAt,
      bounds: [...boundsOnMeasure(bounds, 'electionTime'), ...boundsOnMeasure(bounds, 'electionEnd')],
    };
  }
}

/** Returns what is measured in runs of a setup. */
export function measuredRunOf({ n, algorithm, topology }: Setup, kinds: readonly string[]): MeasuredRun {
  const declared = algorithm as { readonly bounds: readonly Bound[] };
  const chainKinds = kinds.filter((kind) => countsInChains(declared, kind));
  const hopKinds = kinds.filter((kind) => countsAsHop(declared, kind));
  const { problem, electsAgain = false, crashNotice = null } = algorithm;
  return {
    ...{ n, problem, kinds, chainKinds, hopKinds, electsAgain, crashNotice },
    beginsByItself: beginsByItself(algorithm),
    leftOut: topology.leftOut,
  };
}

/** Returns the spread of the figures at even positions, or at odd ones, of the processes that were not left out. */
function spreadOfEverySecond(figures: Int32Array, first: 0 | 1, leftOut: readonly Pid[]): Spread | null {
  const out = new Set(leftOut);
  let [least, most, sum, count] = [Infinity, -Infinity, 0, 0];
  for (let at = first; at < figures.length; at += 2) {
    if (out.has(at >> 1)) continue;
    const figure = figures[at]!;
    count += 1;
    sum += figure;
    if (figure < least) least = figure;
    if (figure > most) most = figure;
  }
  return count === 0 ? null : { least, mean: sum / count, most };
}

function loadOf(
  figures: Int32Array,
  leftOut: readonly Pid[],
): (Spread & { readonly busiestShare: number }) | null {
  const spread = spreadOfEverySecond(figures, 0, leftOut);
  if (spread === null) return null;
  let total = 0;
  for (let at = 0; at < figures.length; at += 2) total += figures[at]!;
  return { ...spread, busiestShare: total === 0 ? 0 : spread.most / total };
}
