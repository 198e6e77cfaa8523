// The bounds on the sizes of messages and on the longest chain, in every world. See `reduction/visibility.ts` for what reductions may leave out.
import type { AnyAlgorithm, Message } from '../../core/algorithm.ts';
import { countsInChains, messageSize } from '../../core/message-measures.ts';
import type { Violation } from '../../problems/monitor.ts';
import { brokenFigure, chainTitle, sizeTitle } from '../../sim/measures/judged-bounds.ts';
import type { CheckConfig } from '../config.ts';
import type { LimitsByInitiators, SizeLimits } from './measure-limits.ts';

const numbersPerSize = 2; // of a world: the least size so far and the largest, each + 1; 0 if no such message was sent

/**
 * The sizes of messages. Where bounds are the same in every run, a message breaks them when it is sent. Where they depend on who else
 * starts later, the world keeps the least size and the largest so far.
 */
export class SizeBounds {
  readonly #fixed: readonly SizeLimits[];
  readonly #kept: readonly SizeLimits[];

  constructor({ measures }: CheckConfig) {
    this.#fixed = measures.sizes.filter(({ isFixed }) => isFixed);
    this.#kept = measures.sizes.filter(({ isFixed }) => !isFixed);
  }

  /** How many numbers of a world it needs. */
  get width(): number {
    return numbersPerSize * this.#kept.length;
  }

  /** Returns the bound that one of the messages breaks, whatever happens before and after. */
  brokenBy(messages: readonly { readonly message: Message }[]): Violation | null {
    if (this.#fixed.length === 0) return null;
    for (const { message } of messages) {
      for (const { measure, kind, limits } of this.#fixed) {
        if (kind !== message.type) continue;
        const size = messageSize(message)[measure];
        const why = brokenFigure(sizeTitle(measure, kind), { least: size, most: size }, limits.at(-1)!);
        if (why !== null) return { property: 'the size bound', why };
      }
    }
    return null;
  }

  /** Notes a message that was sent, in the numbers of a world from `at` on. */
  note(worlds: Int32Array, at: number, message: Message): void {
    this.#kept.forEach(({ measure, kind }, k) => {
      if (kind !== message.type) return;
      const size = 1 + messageSize(message)[measure];
      const [least, most] = [at + numbersPerSize * k, at + numbersPerSize * k + 1];
      worlds[least] = worlds[least] === 0 ? size : Math.min(worlds[least]!, size);
      worlds[most] = Math.max(worlds[most]!, size);
    });
  }

  /** Returns the bound that a message sent so far has broken. */
  broken(worlds: Int32Array, at: number, initiators: number): Violation | null {
    for (const [k, { measure, kind, limits }] of this.#kept.entries()) {
      const [least, most] = [worlds[at + numbersPerSize * k]! - 1, worlds[at + numbersPerSize * k + 1]! - 1];
      if (most < 0) continue;
      const why = brokenFigure(sizeTitle(measure, kind), { least, most }, limits[initiators]!);
      if (why !== null) return { property: 'the size bound', why };
    }
    return null;
  }
}

/**
 * The longest causal chain of messages. A process and a message in flight each know the length of the longest chain that ends there. Lengths
 * grow no further where a longer chain would change no verdict, so that runs without end have finitely many states.
 */
export class ChainBounds {
  readonly #algorithm: Pick<AnyAlgorithm, 'bounds'>;
  readonly #limits: LimitsByInitiators;
  readonly #most: number; // the largest length that is told apart from longer ones

  constructor(algorithm: Pick<AnyAlgorithm, 'bounds'>, limits: LimitsByInitiators) {
    this.#algorithm = algorithm;
    this.#limits = limits;
    const figures = limits.flat().flatMap(({ atLeast, atMost }) => [(atMost ?? 0) + 1, atLeast ?? 0]);
    this.#most = Math.ceil(Math.max(...figures.filter((figure) => figure < Infinity)));
  }

  /** Returns the length of the chain that a message ends, after a chain that ends at its sender. */
  withMessage(chain: number, { type }: Message): number {
    return countsInChains(this.#algorithm, type) ? Math.min(chain + 1, this.#most) : chain;
  }

  /** Returns the bound that the longest chain at a process breaks. While the run goes on the chain may grow, so it is not too short yet. */
  broken(chain: number, initiators: number, isOver: boolean): Violation | null {
    const limits = this.#limits[initiators]!;
    const judged = isOver ? limits : limits.map((limit) => ({ ...limit, atLeast: null }));
    const why = brokenFigure(chainTitle, { least: chain, most: chain }, judged);
    return why === null ? null : { property: 'the chain bound', why };
  }
}
