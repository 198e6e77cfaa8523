// P. M. B. Vitanyi: Distributed Elections in an Archimedean Ring of Processors. Mathematisch Centrum IW 243/83, 1983 (STOC 1984).
// In each local time unit a process reads one message and counts its timer down. Here units without a read are skipped: `unit` fires while
// messages are queued, `timer` is the countdown. If both fall in one unit, reading comes first. Corrected: a wakeup read while awake does
// not stop the countdown, M_j is ours when j = i (printed: j = k), and a message that waits no unit is sent at once (printed: never).

import { type Algorithm, type Bound, next, type Process, type World } from '../../core/algorithm.ts';
import { boundsOfAll, boundsOfDoubling, boundsOfMinimalTime } from './vitanyi-bounds.ts';

export const init = () => ({
  awake: false,
  queue: [] as readonly Incoming[],
  k: 0, // the smallest id seen
  electedOne: null as number | null,
});

export type State = ReturnType<typeof init>;
type Incoming = { type: 'wakeup' } | { type: 'M'; j: number } | { type: 'sleepwell' };
export type Message = Incoming | { type: 'unit' } | { type: 'timer' };
type P = Process<'election', Message, ['id']>;

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

const pass = (s: State, p: P) => p.send(next, { type: 'M', j: s.k });

function sleepwell(s: State, p: P) {
  s.electedOne = s.k;
  p.emit({ type: 'elected', leader: s.k });
  p.send(next, { type: 'sleepwell' });
  s.awake = false;
  s.queue = [];
  p.cancel('unit');
  p.cancel('timer');
}

export const lemmas = {
  'sleepwell is alone in the ring': ({ states, inFlight }: World<State, { type: string }>) => {
    const all = [...inFlight.map(({ message }) => message), ...states.flatMap(({ queue }) => queue)];
    return all.length <= 1 || all.every(({ type }) => type !== 'sleepwell');
  },
};

/**
 * Returns Vitanyi's election: the smallest id wins, and M_j waits f(i, j) units at process i. It is correct for every f and all clocks.
 * @example
 * import { archimedean } from 'batonjs/algorithms';
 * import { simulate } from 'batonjs-lab/sim';
 * simulate(archimedean('tripling', (_i, j) => 3 ** j, []), { ids: [2, 3, 1] }).leader; // → 1
 */
export const archimedean = (
  name: string,
  f: (i: number, j: number) => number,
  bounds: readonly Bound<'M'>[],
): Omit<Algorithm<'election', State, Message, ['id']>, 'links' | 'stabilises'> => ({
  name,
  problem: 'election',
  paper: 'doi:10.1145/800057.808725',
  assumes: { topology: 'ring', channels: 'fifo', failures: 'none', timing: 'archimedean' },
  knows: ['id'],
  elects: 'smallest',
  timers: ['unit', 'timer'],
  bounds: [...boundsOfAll, ...bounds],
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
        const units = f(p.id, s.k);
        if (units > 0) return p.after(units, { type: 'timer' });
        p.cancel('timer');
        pass(s, p);
      }
    },
    timer: pass,
  },
  invariants: lemmas,
});

/** Vitanyi (1983): losers travel slowly, since f doubles from id to id; at most 4N + 1.5(N+1)u/m messages, u/m the ratio of the clocks. */
export const vitanyi = archimedean('vitanyi', (_i, j) => 2 ** j, boundsOfDoubling);
/** The same in minimal time: M_j waits 2^(j-i) units rounded down, which is none, since j < i; at most N(N+1)/2 + 2N messages. */
export const vitanyiMinimalTime = archimedean(
  'vitanyi-minimal-time',
  (i, j) => Math.floor(2 ** (j - i)),
  boundsOfMinimalTime,
);
