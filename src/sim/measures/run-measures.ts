import type { AnyAlgorithm, Measured, Message, Pid } from '../../core/algorithm.ts';
import { countsInChains } from '../../core/message-measures.ts';
import { timedCircumstancesOf } from '../scenario/kept-assumptions.ts';
import type { Setup } from '../scenario/setup.ts';
import { appliedBounds } from './judged-bounds.ts';
import type { Measures } from './measures.ts';
import { MessageSizes } from './message-sizes.ts';
import { MutexTimes } from './mutex-times.ts';
import { type Spread, SpreadCounter, spreadOf } from './spread.ts';

/** Measures a run. The simulation reports what happens as it happens. */
export class RunMeasures {
  readonly mutex: MutexTimes | null;
  readonly #election: SpreadCounter | null;
  #firstStart = Number.NaN;
  readonly #kinds: readonly string[];
  readonly #setup: Setup;
  readonly #algorithm: Pick<AnyAlgorithm, 'bounds'>;
  readonly #lengthens: Uint8Array; // by kind: 1 if messages of this kind count in chains
  readonly #load: Int32Array; // of each process
  readonly #chain: Int32Array; // of each process: messages of the longest causal chain that ends there
  readonly #sizes: MessageSizes;

  constructor(setup: Setup, kinds: readonly string[]) {
    const { algorithm, n } = setup;
    const { problem } = algorithm;
    this.#setup = setup;
    this.#algorithm = algorithm as Pick<AnyAlgorithm, 'bounds'>;
    this.#lengthens = Uint8Array.from(kinds, (kind) => (countsInChains(this.#algorithm, kind) ? 1 : 0));
    this.mutex = problem === 'mutex' ? new MutexTimes(n) : null;
    this.#election = problem === 'election' ? new SpreadCounter() : null;
    this.#kinds = kinds;
    this.#load = new Int32Array(n);
    this.#chain = new Int32Array(n);
    this.#sizes = new MessageSizes(kinds.length);
  }

  /** Returns the length of the longest causal chain that ends with this message. Pass it to `received`. */
  sent(from: Pid, kind: number, message: Message): number {
    this.#load[from]! += 1;
    this.#sizes.add(kind, message);
    return this.#chain[from]! + this.#lengthens[kind]!;
  }

  received(to: Pid, chain: number): void {
    this.#load[to]! += 1;
    if (chain > this.#chain[to]!) this.#chain[to] = chain;
  }

  started(now: number): void {
    if (Number.isNaN(this.#firstStart)) this.#firstStart = now;
  }

  learned(now: number): void {
    this.#election?.add(now - this.#firstStart);
  }

  /** Returns the figures, with the bounds that apply to them unless the run is not judged. */
  result(isJudged: boolean): Measures {
    const circumstances = isJudged ? timedCircumstancesOf(this.#setup) : null;
    const { mutex } = this;
    const hasMessages = this.#kinds.length > 0;
    const boundsOn = (measure: Measured, kind?: string) => ({
      bounds: circumstances ? appliedBounds(this.#algorithm, measure, circumstances, kind) : [],
    });
    const judged = <S extends Spread>(measure: Measured, spread: S | null | undefined) =>
      spread ? { ...spread, ...boundsOn(measure) } : null;
    const byKind = (measure: Measured, sizes: Readonly<Record<string, Spread>>) =>
      Object.fromEntries(
        Object.entries(sizes).map(([kind, size]) => [kind, { ...size, ...boundsOn(measure, kind) }]),
      );
    return {
      synchronisationDelay: judged('synchronisationDelay', mutex?.delay.spread),
      waitingTime: judged('waitingTime', mutex?.waiting.spread),
      responseTime: judged('responseTime', mutex?.response.spread),
      throughput: mutex?.throughput ?? null,
      electionTime: judged('electionTime', this.#election?.spread),
      chain: judged('chain', hasMessages ? spreadOf(this.#chain) : null),
      elements: hasMessages ? byKind('elements', this.#sizes.elements(this.#kinds)) : null,
      bits: hasMessages ? byKind('bits', this.#sizes.bits(this.#kinds)) : null,
      load: judged('load', hasMessages ? loadOf(this.#load) : null),
    };
  }
}

function loadOf(loads: Int32Array): (Spread & { readonly busiestShare: number }) | null {
  const spread = spreadOf(loads);
  if (spread === null) return null;
  const total = spread.mean * loads.length;
  return { ...spread, busiestShare: total === 0 ? 0 : spread.most / total };
}
