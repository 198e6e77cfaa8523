import { itaiRodeh } from '../algorithms/election/itai-rodeh.ts';
import type { Mutant } from './mutant.ts';

export const itaiRodehNotUnique: Mutant = {
  ...itaiRodeh,
  name: 'itai-rodeh-not-unique',
  of: 'itai-rodeh',
  lie: 'whose id comes back wins, even if somebody else had drawn the same',
  failingRun: { n: '2', seed: '2' },
  on: {
    ...itaiRodeh.on,
    candidate: (s, p, m, from) => itaiRodeh.on.candidate(s, p, { ...m, unique: true }, from),
  },
};

/** A process whose coin always shows the same. */
const withoutChance = (p: Toss): Toss => ({
  n: p.n,
  send: (to, message) => p.send(to, message),
  emit: (event) => p.emit(event),
  after: (ticks, message) => p.after(ticks, message),
  cancel: (type) => p.cancel(type),
  choose: () => 0,
});

type Toss = Parameters<typeof itaiRodeh.calls.start>[1];

export const itaiRodehSameCoin: Mutant = {
  ...itaiRodeh,
  name: 'itai-rodeh-same-coin',
  of: 'itai-rodeh',
  lie: 'the coin always shows the same: all processes draw the same id in every round',
  failingRun: { n: '3', latency: 'fixed:1', limit: '100' },
  calls: { start: (s, p) => itaiRodeh.calls.start(s, withoutChance(p)) },
  on: {
    ...itaiRodeh.on,
    candidate: (s, p, m, from) => itaiRodeh.on.candidate(s, withoutChance(p), m, from),
  },
};
