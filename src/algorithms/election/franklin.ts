// W. R. Franklin: On an Improved Algorithm for Decentralized Extrema Finding in Circular Configurations of Processors.
// CACM 25(5):336-337, 1982. In each round an active process compares itself with the nearest active process on each side. An idle
// process starts on its first message; a closing lap informs every process.

import { type Address, type Algorithm, left, type Process, right } from '../../core/algorithm.ts';
import { atLeast, atMost, exactly, logFloor, notAlone } from '../../core/bounds.ts';

const init = () => ({
  state: 'idle' as 'idle' | 'active' | 'passive',
  received: [[], []] as readonly (readonly number[])[], // from the left and from the right, not yet compared
  leader: null as number | null,
});

type State = ReturnType<typeof init>;
type Message = { type: 'candidate'; id: number } | { type: 'leader'; id: number };
type P = Process<'election', Message, ['id']>;

const otherSide = (side: Address): Address => (side === left ? right : left);

function newRound(s: State, p: P) {
  s.state = 'active';
  p.send(left, { type: 'candidate', id: p.id });
  p.send(right, { type: 'candidate', id: p.id });
}

function becomePassive(s: State, p: P) {
  s.state = 'passive';
  for (const id of s.received[left]!) p.send(right, { type: 'candidate', id });
  for (const id of s.received[right]!) p.send(left, { type: 'candidate', id });
  s.received = [[], []];
}

function win(s: State, p: P) {
  s.leader = p.id;
  p.emit({ type: 'elected', leader: p.id });
  p.send(right, { type: 'leader', id: p.id });
}

/** Franklin (1982): local maxima of a two-way ring survive each round; at most 2n(1 + floor(log n)) messages, and n of a closing lap. */
export const franklin: Algorithm<'election', State, Message, ['id']> = {
  name: 'franklin',
  problem: 'election',
  paper: 'doi:10.1145/358506.358517',
  assumes: { topology: 'two-way ring', channels: 'fifo', failures: 'none', timing: 'asynchronous' },
  knows: ['id'],
  addresses: { keys: ['received'] },
  elects: 'largest',
  bounds: [
    atLeast(['candidate'], '4n', 'by the rules: two rounds', ({ n }) => 4 * n, notAlone),
    atMost(
      ['candidate'],
      '2n(1 + floor(log n))',
      'Franklin: 2n floor(log n) + 3n with the closing lap; Raynal, 5.5.1',
      ({ n }) => 2 * n * (1 + logFloor(n)),
    ),
    exactly(['leader'], 'n', 'closing lap', ({ n }) => n),
  ],
  init,

  calls: {
    start(s, p) {
      if (s.state === 'idle') newRound(s, p);
    },
  },

  on: {
    candidate(s, p, m, side) {
      if (s.state === 'idle') newRound(s, p);
      if (s.state === 'passive') {
        p.send(otherSide(side), m);
        return;
      }
      s.received = s.received.map((ids, from) => (from === side ? [...ids, m.id] : ids));
      const [a, b] = s.received.map(([first]) => first);
      if (a === undefined || b === undefined) return;
      s.received = s.received.map(([, ...rest]) => rest);
      if (a === p.id || b === p.id) win(s, p);
      else if (a < p.id && b < p.id) newRound(s, p);
      else becomePassive(s, p);
    },
    leader(s, p, m, side) {
      if (s.leader !== null) return;
      s.leader = m.id;
      p.emit({ type: 'elected', leader: m.id });
      p.send(otherSide(side), m);
    },
  },

  invariants: {
    'a neighbour is one round ahead at most: two wait on a side': ({ states }) =>
      states.every(({ received }) => received.every((ids) => ids.length <= 2)),
  },
};
