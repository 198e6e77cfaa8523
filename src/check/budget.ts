// How much may still go wrong, in one number.
import { flag } from './effects.ts';
import type { Question } from './question.ts';

const most = 15; // losses, and as many repeats; for crashes there is no limit

const price = { loss: 1, repeat: 1 + most, crash: (1 + most) ** 2 };

/** Effects that cost something. */
export const costs = flag.crash | flag.loss | flag.repeat;

export const budgetOf = ({ losses, repeats, crashes }: Question): number =>
  losses * price.loss + repeats * price.repeat + crashes * price.crash;

export const priceOf = (flags: number): number =>
  (flags & flag.crash) !== 0 ? price.crash : (flags & flag.loss) !== 0 ? price.loss : price.repeat;

export const isAffordable = (flags: number, budget: number): boolean =>
  (flags & flag.crash) !== 0 ? budget >= price.crash : Math.floor(budget / priceOf(flags)) % (1 + most) > 0;
