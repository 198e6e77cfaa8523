import { asking } from '../algorithms/clocks/cristian.ts';
import { bestSample } from '../core/ntp-sample.ts';
import type { Mutant } from './mutant.ts';

export const cristianForgetsTheWay: Mutant = {
  ...asking('cristian-forgets-the-way', (samples, now, drift) => {
    const sample = bestSample(samples, now, drift)!;
    return { ...sample, offset: sample.offset - sample.delay / 2 };
  }),
  of: 'cristian',
  lie: 'what is told is taken for the time now, though it has been on its way for half a round trip',
};

export const cristianKeepsTheLast: Mutant = {
  ...asking('cristian-keeps-the-last', (samples, now, drift) => ({
    ...bestSample(samples, now, drift)!,
    offset: samples.at(-1)!.offset,
  })),
  of: 'cristian',
  lie: 'the last sample is used, with the promise of the best',
};
