import { exchanging, ntp } from '../algorithms/clocks/ntp.ts';
import { bestSample } from '../core/ntp-sample.ts';
import type { Mutant } from './mutant.ts';

export const ntpForgetsStrata: Mutant = {
  ...ntp,
  name: 'ntp-forgets-strata',
  of: 'ntp',
  lie: 'a parent does not say how far from the root it may be: who asks it takes it for the root',
  on: { ...ntp.on, reply: (s, p, m, j) => ntp.on.reply(s, p, { ...m, distance: 0 }, j) },
};

export const ntpKeepsTheLatest: Mutant = {
  ...exchanging('ntp-keeps-the-latest', (samples, now, drift) => ({
    ...bestSample(samples, now, drift)!,
    offset: samples.at(-1)!.offset,
  })),
  of: 'ntp',
  lie: 'of eight samples the latest is used, with the promise of the best',
  failingRun: { n: '2', rounds: '8', latency: 'uniform:1:100', seed: '7' },
};
