// L. Lamport: Time, Clocks, and the Ordering of Events in a Distributed System.
// CACM 21(7):558-565, 1978. The five rules of the section on mutual exclusion. A process has at most one request in each request
// queue, so the queue is an array: the time of j's request, or null.

import type { Algorithm, Facts, Pid, Process } from '../../core/algorithm.ts';
import { eachOther, exactly, heavyLoad, synchronisationDelay } from '../../core/bounds.ts';
import { countInFlight } from '../../core/world-queries.ts';

type Knows = ['me', 'n', 'neighbours'];

const init = ({ n }: Facts<Knows>) => ({
  clock: 0,
  queue: Array<number | null>(n).fill(null),
  latest: Array<number>(n).fill(-1), // the time of the last message from each process
  inside: false,
});

type State = ReturnType<typeof init>;
type Message = { type: 'request' | 'acknowledge' | 'release'; t: number };

const isBefore = (t: number, i: Pid, u: number, j: Pid) => t < u || (t === u && i < j);

// Implementation rule IR2 of the clocks.
function receive(s: State, t: number, j: Pid) {
  s.clock = Math.max(s.clock, t) + 1;
  s.latest[j] = t;
}

// Rule 5, evaluated whenever `queue` or `latest` may have made it true.
function tryEnter(s: State, p: Process<'mutex', Message, Knows>) {
  const ours = s.queue[p.me] ?? null;
  if (ours === null || s.inside) return;
  for (const j of p.neighbours) {
    const theirs = s.queue[j] ?? null;
    if (theirs !== null && isBefore(theirs, j, ours, p.me)) return; // (i) ours is not the first in the queue
    if (!isBefore(ours, p.me, s.latest[j]!, j)) return; // (ii) j may still send an earlier request
  }
  s.inside = true;
  p.emit({ type: 'entered' });
}

/** Lamport (1978): requests in a queue at every process, in the order of logical time; 3(n-1) messages per entry. */
export const lamport: Algorithm<'mutex', State, Message, Knows> = {
  name: 'lamport',
  problem: 'mutex',
  paper: 'doi:10.1145/359545.359563',
  assumes: { topology: 'complete', channels: 'fifo', failures: 'none', timing: 'asynchronous' },
  knows: ['me', 'n', 'neighbours'],
  messages: { request: { t: 'count' }, acknowledge: { t: 'count' }, release: { t: 'count' } },
  addresses: { keys: ['queue', 'latest'] },
  bounds: [
    exactly(['request'], 'n-1', 'rule 1', ({ n }) => n - 1),
    exactly(['acknowledge'], 'n-1', 'rule 2', ({ n }) => n - 1),
    exactly(['release'], 'n-1', 'rule 3', ({ n }) => n - 1),
    synchronisationDelay.exactly('T', 'lecture slides, unit 3', ({ T }) => T, heavyLoad),
    synchronisationDelay.atMost('3T', 'the oldest request may begin T after the release', ({ T }) => 3 * T),
  ],
  bypass: [
    eachOther(1, 'heard', 'rule 5: in the order of time'),
    eachOther(3, 'request', 'FIFO: two messages from before may let it enter, and the request itself'),
  ],
  init,

  calls: {
    // Rule 1
    request(s, p) {
      s.clock += 1;
      s.queue[p.me] = s.clock;
      for (const j of p.neighbours) p.send(j, { type: 'request', t: s.clock });
      tryEnter(s, p); // if alone, there is no process to wait for
    },
    // Rule 3
    release(s, p) {
      s.inside = false;
      s.queue[p.me] = null;
      s.clock += 1;
      for (const j of p.neighbours) p.send(j, { type: 'release', t: s.clock });
    },
  },

  on: {
    // Rule 2
    request(s, p, { t }, j) {
      receive(s, t, j);
      s.queue[j] = t;
      s.clock += 1;
      p.send(j, { type: 'acknowledge', t: s.clock });
      tryEnter(s, p);
    },
    acknowledge(s, p, { t }, j) {
      receive(s, t, j);
      tryEnter(s, p);
    },
    // Rule 4
    release(s, p, { t }, j) {
      receive(s, t, j);
      s.queue[j] = null;
      tryEnter(s, p);
    },
  },

  invariants: {
    'who is inside made the first of all requests': ({ states }) =>
      states.every((s, i) => {
        const isFirst = (u: number | null, j: Pid) => i === j || u === null || isBefore(s.queue[i]!, i, u, j);
        return !s.inside || states.every((t, j) => isFirst(t.queue[j]!, j));
      }),
    'what is in a queue is asked for, or its release is on its way': (world) =>
      world.states.every(({ queue }, i) =>
        queue.every((t, j) => {
          const isAskedFor = t === null || t === world.states[j]!.queue[j];
          return isAskedFor || countInFlight(world, 'release', { from: j, to: i }) > 0;
        }),
      ),
  },
};
