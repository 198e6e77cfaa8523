import { archimedean, vitanyi, vitanyiMinimalTime } from '../algorithms/election/vitanyi.ts';
import type { Bound } from '../core/algorithm.ts';
import { atMost } from '../core/bounds.ts';
import type { Mutant } from './mutant.ts';

const f = (j: number) => 2 ** j;
const claim = (formula: string, source: string, messages: Bound['value']) => [
  atMost(['wakeup', 'M', 'sleepwell'], formula, `${source}, as printed`, messages),
];

/** Returns a handler that reads a smaller id without setting the timer for it. */
const noting =
  (andThen: (p: { cancel(type: string): void }) => void): Mutant['on'][string] =>
  (s, p, m, from) => {
    const M = s.queue[0];
    if (M.type === 'M' && M.j < s.k) {
      s.k = M.j;
      s.queue = s.queue.slice(1);
      if (s.queue.length > 0) p.after(1, m);
      andThen(p);
    } else vitanyi.on.unit(s, p, m as { type: 'unit' }, from);
  };

export const vitanyiKeepsTimer: Mutant = {
  ...vitanyi,
  name: 'vitanyi-keeps-timer',
  of: 'vitanyi',
  lie: 'a smaller id is noted, but the timer is not set for it',
  on: { ...vitanyi.on, unit: noting(() => {}) },
};

export const vitanyiMinimalTimeNeverFires: Mutant = {
  ...vitanyiMinimalTime,
  name: 'vitanyi-minimal-time-never-fires',
  of: 'vitanyi-minimal-time',
  lie: 'a timer set to 0 is counted down to -1 and never fires (ER-30, as printed in section 3)',
  on: { ...vitanyiMinimalTime.on, unit: noting((p) => p.cancel('timer')) },
};

export const vitanyiNamesAnybody: Mutant = {
  ...vitanyi,
  name: 'vitanyi-names-anybody',
  of: 'vitanyi',
  lie: 'who reads the smallest id it knows takes it for its own come home, as a copy is (ER-32, as printed: j = k)',
  failingRun: { n: '3', duplication: '0.3', seed: '1' },
  on: {
    ...vitanyi.on,
    unit(s, p, m, from) {
      const M = s.queue[0];
      const isPrinted = M.type === 'M' && M.j === s.k;
      if (isPrinted) s.queue = [{ type: 'sleepwell' }];
      vitanyi.on.unit(s, p, m, from);
    },
  },
};

export const vitanyiAsPrinted: Mutant = {
  ...vitanyi,
  name: 'vitanyi-as-printed',
  of: 'vitanyi',
  lie: 'does nothing wrong, but is said to take 2N + 3N u/m messages (ER-26, section 2), which leaves out a pass of each id',
  failingRun: {
    latency: 'fixed:0',
    ids: '1,28,29,30,31,32,33,34,35,36,37,38,39,40,41,42,43,44,2,45,46,47,48,49,50,51,52,53,54,55,56,3,57,58,59,60,61,62,4,63,64,5,65,6,7',
  },
  bounds: claim('2N + 3N u/m', 'section 2', ({ n, clockRatio }) => 2 * n + 3 * n * clockRatio),
};

const ratio = 32;
export const vitanyiScaled: Mutant = {
  ...archimedean('vitanyi-scaled', (_i, j) => ratio * f(j), []),
  of: 'vitanyi',
  lie: 'f is 32 times as large, to make up for u/m = 32: less than 5N messages (ER-27, section 3); it only takes longer',
  failingRun: { latency: 'fixed:0', ids: '1,2,3,4,5,6', clocks: '64,32,16,8,4,2' },
  bounds: claim('5N', 'section 3', ({ n }) => 5 * n),
};

export const vitanyiSlowGrowth: Mutant = {
  ...archimedean('vitanyi-slow-growth', (_i, j) => f(9) + j, []),
  of: 'vitanyi',
  lie: 'f(i) is 2^9+i, at least 2^i for ids up to 9, which is said to be enough (ER-29, section 2); it must double from id to id',
  failingRun: { latency: 'fixed:0', ids: '1,2,3,4,5,6,7,8,9' },
  bounds: claim('2N + 3N u/m', 'section 2', ({ n, clockRatio }) => 2 * n + 3 * n * clockRatio),
};
