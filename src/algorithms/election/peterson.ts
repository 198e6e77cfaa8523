// G. L. Peterson: An O(n log n) Unidirectional Algorithm for the Circular Extrema Problem.
// TOPLAS 4(4):758-762, 1982, in the form and with the names of a lecture's Algorithm 4.20. The owner of the largest id wins.
// Corrected: it stops (printed: do forever) and absorbs messages that still reach it. An idle process starts on its first
// message; a closing lap informs every process.

import { type Algorithm, type Facts, next, type Process } from '../../core/algorithm.ts';
import {
  allStart,
  atLeast,
  atMost,
  exactly,
  log,
  logFloor,
  longestChain,
  notAlone,
} from '../../core/bounds.ts';

const init = ({ id }: Facts<['id']>) => ({
  state: 'idle' as 'idle' | 'active' | 'relay' | 'elected',
  tid: id,
  ntid: null as number | null, // the first id received in this round
  leader: null as number | null,
});

type State = ReturnType<typeof init>;
type Message = { type: 'tid'; id: number } | { type: 'leader'; id: number };
type P = Process<'election', Message, ['id']>;

function newRound(s: State, p: P) {
  s.state = 'active';
  s.ntid = null;
  p.send(next, { type: 'tid', id: s.tid });
}

export function proceed(s: State, p: P, id: number) {
  if (s.state === 'relay') p.send(next, { type: 'tid', id });
  else if (s.ntid === null) {
    s.ntid = id;
    p.send(next, { type: 'tid', id: Math.max(s.tid, id) });
  } else if (s.ntid >= s.tid && s.ntid >= id) {
    s.tid = s.ntid;
    newRound(s, p);
  } else s.state = 'relay';
}

const fromThree = { condition: 'n >= 3', holds: ({ n }: { n: number }) => n >= 3 };
const nearPower = { condition: 'n < 1.5 2^k', holds: ({ n }: { n: number }) => n < 1.5 * 2 ** logFloor(n) };
// After r rounds the largest id has moved at least 2^r - 1 places, and only has to return to its owner. If two processes are left for the
// last of k rounds, the owner already receives it during that round.
const derived = 'by the rules, k = floor(log n)';

/** Peterson (1982): local maxima of a one-way ring survive a round; at most 2nk + n - 2^k + 1 messages, k = floor(log n), and n of a closing lap. */
export const peterson: Algorithm<'election', State, Message, ['id']> = {
  name: 'peterson',
  problem: 'election',
  paper: 'doi:10.1145/69622.357194',
  assumes: { topology: 'ring', channels: 'fifo', failures: 'none', timing: 'asynchronous' },
  knows: ['id'],
  elects: 'largest',
  bounds: [
    atLeast(['tid'], '3n-1', 'by the rules: one round, and home', ({ n }) => 3 * n - 1, notAlone),
    atMost(
      ['tid'],
      '2n log n',
      'Algorithm 4.20, which does not say from where on',
      ({ n }) => 2 * n * log(n),
      fromThree,
    ),
    atMost(['tid'], '2nk + n - 2^k + 1', derived, ({ n }) => 2 * n * logFloor(n) + n - 2 ** logFloor(n) + 1),
    atMost(
      ['tid'],
      '2nk + n - 1.5 2^k + 2',
      derived,
      ({ n }) => 2 * n * logFloor(n) + n - 1.5 * 2 ** logFloor(n) + 2,
      nearPower,
    ),
    exactly(['leader'], 'n', 'closing lap', ({ n }) => n),
    longestChain.atMost(['tid'], '2n-1', 'Algorithm 4.20, message delay', ({ n }) => 2 * n - 1, allStart),
  ],
  init,

  calls: {
    start(s, p) {
      if (s.state === 'idle') newRound(s, p);
    },
  },

  on: {
    tid(s, p, m) {
      if (s.state === 'idle') newRound(s, p);
      if (s.state === 'elected') return;
      if (m.id === p.id) {
        s.state = 'elected';
        s.leader = p.id;
        p.emit({ type: 'elected', leader: p.id });
        p.send(next, { type: 'leader', id: p.id });
      } else proceed(s, p, m.id);
    },
    leader(s, p, m) {
      if (s.leader !== null) return;
      s.leader = m.id;
      p.emit({ type: 'elected', leader: m.id });
      p.send(next, m);
    },
  },

  invariants: {
    'the largest id survives'({ states, inFlight }) {
      const largest = Math.max(...states.map(({ tid }) => tid));
      return (
        states.some((s) => s.state !== 'relay' && (s.tid === largest || s.ntid === largest)) ||
        inFlight.some(({ message }) => message.id === largest)
      );
    },
    'no two that begin a round have the same tid'({ states }) {
      const tids = states.filter((s) => s.state !== 'relay' && s.ntid === null).map(({ tid }) => tid);
      return new Set(tids).size === tids.length;
    },
  },
};
