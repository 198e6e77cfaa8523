// P. M. B. Vitanyi: Distributed Elections in an Archimedean Ring of Processors.
// Mathematisch Centrum IW 243/83, 1983 (STOC 1984). The smallest id wins; message M_j waits f(j) local units at each
// process, so that losers travel slowly. Correct whatever the clocks do; linear in messages when they are proportional.
//
// In each local time unit a process reads one message and counts its timer down. Here units in which nothing is read are
// skipped: `unit` comes while messages are queued, `timer` is the countdown itself. Both in one unit: reading comes first.
// Corrected: a wakeup read while awake does not stop the countdown, and M_j is ours when j = i (printed: j = k).

import { type Algorithm, next, type Process } from '../../core/algorithm.ts';
import { atLeast, atMost, exactly } from '../../core/bounds.ts';

const init = () => ({
  awake: false,
  queue: [] as readonly Incoming[],
  k: 0, // the smallest id seen
  electedOne: null as number | null,
});

type State = ReturnType<typeof init>;
type Incoming = { type: 'wakeup' } | { type: 'M'; j: number } | { type: 'sleepwell' };
type Message = Incoming | { type: 'unit' } | { type: 'timer' };
type P = Process<'election', Message, ['id']>;

const f = (i: number) => 2 ** i;

function wake(s: State, p: P) {
  s.awake = true;
  p.send(next, { type: 'wakeup' });
  s.k = p.id;
  p.after(1, { type: 'timer' });
}

function enqueue(s: State, p: P, m: Incoming) {
  if (!s.awake) return; // asleep: the election is over
  if (s.queue.length === 0) p.after(1, { type: 'unit' });
  s.queue = [...s.queue, m];
}

function sleepwell(s: State, p: P) {
  s.electedOne = s.k;
  p.emit({ type: 'elected', leader: s.k });
  p.send(next, { type: 'sleepwell' });
  s.awake = false;
  s.queue = [];
  p.cancel('unit');
  p.cancel('timer');
}

// Printed is 3N u/m, which leaves out that each M_i makes one pass before it waits, and that a hop of M_l takes f(l)+1
// units, since one is spent on reading. A ring of 45 in lock-step exceeds it by one.
const corrected = 'section 2, corrected: M_l N passes, M_i 1 + N(f(l)+1)u / m f(i)';

export const vitanyi: Algorithm<'election', State, Message, ['id']> = {
  name: 'vitanyi',
  problem: 'election',
  paper: 'doi:10.1145/800057.808725',
  assumes: { topology: 'ring', channels: 'fifo', failures: 'none', timing: 'archimedean' },
  knows: ['id'],
  elects: 'smallest',
  timers: ['unit', 'timer'],
  bounds: [
    exactly(['wakeup'], 'N', 'section 2', ({ n }) => n),
    atLeast(['M'], 'N', 'section 2: M_l goes round', ({ n }) => n),
    atMost(['M'], '2N + 1.5(N+1)u/m', corrected, ({ n, clockRatio }) => 2 * n + 1.5 * (n + 1) * clockRatio),
    exactly(['sleepwell'], 'N', 'section 2', ({ n }) => n),
  ],
  init,

  calls: {
    start(s, p) {
      if (!s.awake && s.electedOne === null) wake(s, p);
    },
  },

  on: {
    wakeup(s, p, m) {
      if (s.awake || s.electedOne !== null) enqueue(s, p, m);
      else wake(s, p);
    },
    M: enqueue,
    sleepwell: enqueue,

    unit(s, p) {
      const [M, ...rest] = s.queue;
      s.queue = rest;
      if (rest.length > 0) p.after(1, { type: 'unit' });
      if (M!.type === 'sleepwell' || (M!.type === 'M' && M!.j === p.id)) sleepwell(s, p);
      else if (M!.type === 'M' && M!.j < s.k) {
        s.k = M!.j;
        p.after(f(s.k), { type: 'timer' });
      }
    },
    timer(s, p) {
      p.send(next, { type: 'M', j: s.k });
    },
  },
};
