// P. M. B. Vitanyi: Distributed Elections in an Archimedean Ring of Processors.
// Mathematisch Centrum IW 243/83, 1983 (STOC 1984), section 2, synchronous case: the elected process counts the units from
// sending sleepwell until it reads it again. In lock-step, where each hop takes one unit, the count is the size of the ring,
// which no process knew. Otherwise the election is the same, but the count is only a time.

import { type Algorithm, next } from '../../core/algorithm.ts';
import { init as asleep, lemmas, type Message as VitanyiMessage, vitanyi } from './vitanyi.ts';

const init = () => ({
  ...asleep(),
  units: null as number | null, // since we sent sleepwell; null if we did not
  ringSize: null as number | null,
});

type State = ReturnType<typeof init>;
type Message = VitanyiMessage | { type: 'count' } | { type: 'back' };

/** Vitanyi (1983): the election of `vitanyi`, whose winner also learns the size of a ring in lock-step; the messages are the same. */
export const vitanyiRingSize: Algorithm<'election', State, Message, ['id']> = {
  ...vitanyi,
  name: 'vitanyi-ring-size',
  timers: ['count', ...vitanyi.timers!, 'back'],
  finds: { 'ring size': (s) => s.ringSize },
  init,

  on: {
    ...vitanyi.on,
    unit(s, p, m) {
      vitanyi.on.unit(s, p, m, next);
      if (s.electedOne !== p.id) return;
      s.units = 0;
      p.after(1, { type: 'count' });
    },
    count(s, p) {
      s.units! += 1;
      p.after(1, { type: 'count' });
    },
    sleepwell(s, p, m) {
      if (s.electedOne !== p.id) vitanyi.on.sleepwell(s, p, m, next);
      else p.after(1, { type: 'back' }); // read in the next unit, like any message
    },
    back(s, p) {
      s.ringSize = s.units;
      p.cancel('count');
    },
  },
  invariants: lemmas,
};
