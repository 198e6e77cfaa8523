// How much may still go wrong, in one number.
import type { Question } from './question.ts';
import { flag } from './sites.ts';

export const most = 15; // of each kind

const price = { crash: 1, loss: 1 + most, repeat: (1 + most) ** 2 };

/** Effects that cost something. */
export const costs = flag.crash | flag.loss | flag.repeat;

export const budgetOf = ({ crashes, losses, repeats }: Question): number =>
  crashes * price.crash + losses * price.loss + repeats * price.repeat;

export const priceOf = (flags: number): number =>
  (flags & flag.crash) !== 0 ? price.crash : (flags & flag.loss) !== 0 ? price.loss : price.repeat;

export const isAffordable = (flags: number, budget: number): boolean =>
  Math.floor(budget / priceOf(flags)) % (1 + most) > 0;
