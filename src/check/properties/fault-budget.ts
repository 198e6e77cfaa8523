// How many faults of each kind may still happen, encoded in one number.

import type { CheckConfig } from '../config.ts';
import { effectFlag } from '../model/effect-table.ts';

const most = 15; // losses, and as many duplicates; crashes are not limited

const faultPrice = { loss: 1, repeat: 1 + most, crash: (1 + most) ** 2 };

/** The flags of effects that use up the budget. */
export const faultFlags = effectFlag.crash | effectFlag.loss | effectFlag.repeat;

export const budgetOf = ({ losses, repeats, crashes }: CheckConfig): number =>
  losses * faultPrice.loss + repeats * faultPrice.repeat + crashes * faultPrice.crash;

export const priceOf = (flags: number): number =>
  (flags & effectFlag.crash) !== 0
    ? faultPrice.crash
    : (flags & effectFlag.loss) !== 0
      ? faultPrice.loss
      : faultPrice.repeat;

export const isAffordable = (flags: number, budget: number): boolean =>
  (flags & effectFlag.crash) !== 0
    ? budget >= faultPrice.crash
    : Math.floor(budget / priceOf(flags)) % (1 + most) > 0;
