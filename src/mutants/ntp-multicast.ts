import { ntpMulticast } from '../algorithms/clocks/ntp-multicast.ts';
import { tick } from '../core/algorithm.ts';
import type { Mutant } from './mutant.ts';

export const ntpMulticastForgetsTheWay: Mutant = {
  ...ntpMulticast,
  name: 'ntp-multicast-forgets-the-way',
  of: 'ntp-multicast',
  lie: 'what is told is taken for the time now',
  on: {
    time(s, p, m, j) {
      const taken = (p.minDelay + p.maxDelay * tick) / 2;
      ntpMulticast.on.time(s, p, { ...m, time: m.time - taken }, j);
    },
  },
};
