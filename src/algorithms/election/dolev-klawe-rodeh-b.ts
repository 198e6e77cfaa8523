// D. Dolev, M. Klawe, M. Rodeh: An O(n log n) Unidirectional Distributed Algorithm for Extrema Finding in a Circle.
// Journal of Algorithms 3(3):245-260, 1982, algorithm B. The answer M2 goes no farther than M1 of its phase. An idle process
// starts on its first message. A closing lap, the usual addition, informs every process.

import { type Algorithm, type Facts, next, type Process } from '../../core/algorithm.ts';
import { atLeast, atMost, exactly, logFloor, notAlone } from '../../core/bounds.ts';

const init = ({ id }: Facts<['id']>) => ({
  state: 'idle' as 'idle' | 'active' | 'waiting' | 'passive',
  max: id,
  phase: 0,
  leader: null as number | null,
});

type State = ReturnType<typeof init>;
type M1 = { type: 'M1'; i: number; phase: number; counter: number };
type Message = M1 | { type: 'M2'; i: number } | { type: 'leader'; i: number };
type P = Process<'election', Message, ['id']>;

function becomeActive(s: State, p: P) {
  s.state = 'active';
  p.send(next, { type: 'M1', i: s.max, phase: s.phase, counter: 2 ** s.phase });
}

function pass(s: State, p: P, { i, phase, counter }: M1) {
  s.state = 'passive';
  if (i < s.max || counter === 0) {
    p.send(next, { type: 'M1', i, phase, counter: 0 });
    return;
  }
  s.max = i;
  if (counter === 1) {
    s.state = 'waiting';
    s.phase = phase;
  }
  p.send(next, { type: 'M1', i, phase, counter: counter - 1 });
}

function win(s: State, p: P) {
  s.leader = p.id;
  p.emit({ type: 'elected', leader: p.id });
  p.send(next, { type: 'leader', i: p.id });
}

const counted = ['M1', 'M2'] as const;

// Each of k phases costs n for M1 and n/2 for M2. Every number answered and yet eliminated costs 1/2 more, at most n-1-k of them in all.
// Then M1 returns to its owner, with 2^k - 1 places already behind it.
const derived = 'by the rules, k = floor(log n); Raynal, 5.5.2: 1.5n log n + O(n)';

/** Dolev, Klawe and Rodeh (1982), B: in phase k a number travels 2^k processes, then one waits for it; 1.5n log n + O(n) messages. */
export const dolevKlaweRodehB: Algorithm<'election', State, Message, ['id']> = {
  name: 'dolev-klawe-rodeh-b',
  problem: 'election',
  paper: 'doi:10.1016/0196-6774(82)90023-2',
  assumes: { topology: 'ring', channels: 'fifo', failures: 'none', timing: 'asynchronous' },
  knows: ['id'],
  elects: 'largest',
  bounds: [
    atLeast(counted, '2n', 'by the rules: one phase, and home', ({ n }) => 2 * n, notAlone),
    atMost(counted, 'floor(1.5n(k+1) - 2^k - (k-1)/2)', derived, ({ n }) => {
      const k = logFloor(n);
      return Math.floor(1.5 * n * (k + 1) - 2 ** k - (k - 1) / 2);
    }),
    exactly(['leader'], 'n', 'closing lap', ({ n }) => n),
  ],
  init,

  calls: {
    start(s, p) {
      if (s.state === 'idle') becomeActive(s, p);
    },
  },

  on: {
    M1(s, p, m) {
      if (s.state === 'idle') becomeActive(s, p);
      if (m.i === p.id) win(s, p);
      else if (s.state !== 'active') pass(s, p, m);
      else if (m.i > s.max) {
        s.max = m.i;
        s.state = 'waiting';
      } else {
        s.state = 'passive';
        p.send(next, { type: 'M2', i: s.max });
      }
    },
    M2(s, p, m) {
      if (s.state === 'idle') becomeActive(s, p);
      if (m.i === p.id) win(s, p);
      else if (s.state === 'waiting') {
        s.phase += 1;
        becomeActive(s, p);
      } else if (m.i >= s.max) p.send(next, m);
    },
    leader(s, p, m) {
      if (s.leader !== null) return;
      s.leader = m.i;
      p.emit({ type: 'elected', leader: m.i });
      p.send(next, m);
    },
  },

  invariants: {
    'the largest number stays in the race'({ states, inFlight }) {
      const largest = Math.max(...states.map(({ max }) => max));
      return (
        states.some(({ state, max }) => state !== 'passive' && max === largest) ||
        inFlight.some(({ message }) => message.i === largest)
      );
    },
    'active processes of phase k are 2^k apart': ({ states }) =>
      states.every(({ state, phase }, i) => {
        if (state !== 'active') return true;
        const near = Array.from({ length: Math.min(2 ** phase, states.length) - 1 }, (_, d) => i + 1 + d);
        const others = near.map((j) => states[j % states.length]!);
        return !others.some((other) => other.state === 'active' && other.phase === phase);
      }),
  },
};
