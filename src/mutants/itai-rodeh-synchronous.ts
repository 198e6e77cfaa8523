import { itaiRodehSynchronous } from '../algorithms/election/itai-rodeh-synchronous.ts';
import { next } from '../core/algorithm.ts';
import type { Mutant } from './mutant.ts';

type State = ReturnType<typeof itaiRodehSynchronous.init>;
type P = Parameters<typeof itaiRodehSynchronous.calls.start>[1];

function wake(s: State, p: P) {
  if (s.state === 'asleep') {
    itaiRodehSynchronous.calls.start(s, p);
    p.after(1, { type: 'launch' });
  }
}

export const itaiRodehSynchronousHurries: Mutant = {
  ...itaiRodehSynchronous,
  name: 'itai-rodeh-synchronous-hurries',
  of: 'itai-rodeh-synchronous',
  lie: 'a phase begins with its pebbles, without time for the slowest process to begin it',
  failingRun: { n: '2', start: '0@0', seed: '2' },
  calls: { start: wake },
  on: {
    ...itaiRodehSynchronous.on,
    wakeup: wake,
    end(s, p, m) {
      itaiRodehSynchronous.on.end(s, p, m, next);
      if (s.state === 'awake') p.after(1, { type: 'launch' });
    },
  },
};

export const itaiRodehSynchronousKeepsAll: Mutant = {
  ...itaiRodehSynchronous,
  name: 'itai-rodeh-synchronous-keeps-all',
  of: 'itai-rodeh-synchronous',
  lie: 'a process that is no candidate stays active',
  on: {
    ...itaiRodehSynchronous.on,
    end(s, p, m) {
      s.candidate = s.active;
      itaiRodehSynchronous.on.end(s, p, m, next);
    },
  },
};
