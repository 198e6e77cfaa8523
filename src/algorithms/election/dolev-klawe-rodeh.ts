// D. Dolev, M. Klawe, M. Rodeh: An O(n log n) Unidirectional Distributed Algorithm for Extrema Finding in a Circle.
// Journal of Algorithms 3(3):245-260, 1982, the basic algorithm, with the names of Raynal, chapter 2, section 5.4. Corrected: a
// process that has not started is idle (printed: passive) and starts on its first message. The closing lap begins where the
// largest number is found: never at its owner, unless the owner is alone.

import { type Algorithm, type Facts, next, type Process } from '../../core/algorithm.ts';
import { atLeast, atMost, exactly, logFloor, notAlone } from '../../core/bounds.ts';

const init = ({ id }: Facts<['id']>) => ({
  state: 'idle' as 'idle' | 'active' | 'passive',
  max: id, // the number that we represent
  neighbourR: null as number | null, // the nearest active number behind us, until we know the second nearest
  leader: null as number | null,
});

type State = ReturnType<typeof init>;
type Message =
  | { type: 'M1'; number: number }
  | { type: 'M2'; number: number }
  | { type: 'leader'; number: number };
type P = Process<'election', Message, ['id']>;

function initiateElection(s: State, p: P) {
  s.state = 'active';
  p.send(next, { type: 'M1', number: s.max });
}

const counted = ['M1', 'M2'] as const;

/** Dolev, Klawe and Rodeh (1982): local maxima of a one-way ring survive a stage; at most 2n floor(log n) + n messages, and n of a closing lap. */
export const dolevKlaweRodeh: Algorithm<'election', State, Message, ['id']> = {
  name: 'dolev-klawe-rodeh',
  problem: 'election',
  paper: 'doi:10.1016/0196-6774(82)90023-2',
  assumes: { topology: 'ring', channels: 'fifo', failures: 'none', timing: 'asynchronous' },
  knows: ['id'],
  elects: 'largest',
  bounds: [
    atLeast(counted, '3n', 'by the rules: one stage and the last', ({ n }) => 3 * n, notAlone),
    atMost(
      counted,
      '2n floor(log n) + n',
      'Raynal, chapter 2, section 5.4',
      ({ n }) => 2 * n * logFloor(n) + n,
    ),
    exactly(['leader'], 'n', 'closing lap', ({ n }) => n),
  ],
  init,

  calls: {
    start(s, p) {
      if (s.state === 'idle') initiateElection(s, p);
    },
  },

  on: {
    M1(s, p, m) {
      if (s.state === 'idle') initiateElection(s, p);
      if (s.state === 'passive') p.send(next, m);
      else if (m.number !== s.max) {
        p.send(next, { type: 'M2', number: m.number });
        s.neighbourR = m.number;
      } else {
        s.leader = s.max;
        p.emit({ type: 'elected', leader: s.max });
        p.send(next, { type: 'leader', number: s.max });
      }
    },
    M2(s, p, m) {
      if (s.state === 'idle') initiateElection(s, p);
      if (s.state === 'passive') p.send(next, m);
      else if (s.neighbourR !== null && s.neighbourR > m.number && s.neighbourR > s.max) {
        s.max = s.neighbourR;
        s.neighbourR = null;
        p.send(next, { type: 'M1', number: s.max });
      } else s.state = 'passive';
    },
    leader(s, p, m) {
      if (s.leader !== null) return;
      s.leader = m.number;
      p.emit({ type: 'elected', leader: m.number });
      p.send(next, m);
    },
  },

  invariants: {
    'the largest number stays in the race'({ states, inFlight }) {
      const largest = Math.max(...states.map(({ max }) => max));
      return (
        states.some((s) => s.state !== 'passive' && (s.max === largest || s.neighbourR === largest)) ||
        inFlight.some(({ message: m }) => m.type === 'M1' && m.number === largest)
      );
    },
    'no two that begin a stage play the same part'({ states }) {
      const parts = states
        .filter((s) => s.state !== 'passive' && s.neighbourR === null)
        .map(({ max }) => max);
      return new Set(parts).size === parts.length;
    },
  },
};
