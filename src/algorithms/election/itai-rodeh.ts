// A. Itai, M. Rodeh: Symmetry Breaking in Distributive Networks. FOCS 1981, 150-158. Processes are anonymous; n is known.
// Active processes draw ids round by round; the largest of the latest round survives. A run ends with probability 1.
// A closing lap, the usual addition, informs every process.

import { type Algorithm, next, type Process } from '../../core/algorithm.ts';
import { atLeast, atMost, exactly } from '../../core/bounds.ts';

const init = () => ({
  state: 'idle' as 'idle' | 'active' | 'passive' | 'elected',
  round: 0,
  id: 0, // of this round
});

type State = ReturnType<typeof init>;
type Message =
  | { type: 'candidate'; id: number; round: number; hop: number; unique: boolean }
  | { type: 'leader' };
type P = Process<'election', Message, ['n']>;

function newRound(s: State, p: P) {
  s.state = 'active';
  s.round += 1;
  s.id = 1 + p.choose(p.n);
  p.send(next, { type: 'candidate', id: s.id, round: s.round, hop: 1, unique: true });
}

/** Itai and Rodeh (1981): anonymous processes on a ring draw ids until one is unique; O(n log n) messages expected, and n of a closing lap. */
export const itaiRodeh: Algorithm<'election', State, Message, ['n']> = {
  name: 'itai-rodeh',
  problem: 'election',
  paper: 'doi:10.1109/SFCS.1981.41',
  assumes: { topology: 'ring', channels: 'unordered', failures: 'none', timing: 'asynchronous' },
  knows: ['n'],
  elects: 'any',
  bounds: [
    atLeast(['candidate'], '2n-1', 'by the rules: each starts, the winner goes round', ({ n }) => 2 * n - 1),
    atMost(['candidate'], 'none; O(n log n) expected', 'known result', () => Infinity),
    exactly(['leader'], 'n', 'closing lap', ({ n }) => n),
  ],
  rounds: { field: 'round', matters: ({ state }) => state === 'idle' || state === 'active' },
  init,

  calls: {
    start(s, p) {
      if (s.state === 'idle') newRound(s, p);
    },
  },

  on: {
    candidate(s, p, m) {
      if (s.state === 'idle') newRound(s, p);
      if (s.state === 'elected') return;
      const isEqual = m.round === s.round && m.id === s.id;
      const isGreater = m.round > s.round || (m.round === s.round && m.id > s.id);
      if (s.state === 'passive') p.send(next, { ...m, hop: m.hop + 1 });
      else if (m.hop === p.n) {
        if (!m.unique) newRound(s, p);
        else {
          s.state = 'elected';
          p.emit({ type: 'elected', leader: 'me' });
          p.send(next, { type: 'leader' });
        }
      } else if (isGreater) {
        s.state = 'passive';
        p.send(next, { ...m, hop: m.hop + 1 });
      } else if (isEqual) p.send(next, { ...m, hop: m.hop + 1, unique: false });
      // else discard m
    },
    leader(s, p, m) {
      if (s.state === 'elected') return;
      s.state = 'passive';
      p.emit({ type: 'elected', leader: 'another' });
      p.send(next, m);
    },
  },

  invariants: {
    'the greatest id of the latest round stays in the race': ({ states }) => {
      const round = Math.max(...states.map((s) => s.round));
      const id = Math.max(...states.filter((s) => s.round === round).map((s) => s.id));
      return states.every((s) => s.round < round || s.id < id || s.state !== 'passive');
    },
    'when one is elected nobody else is active': ({ states }) =>
      states.every(({ state }) => state !== 'elected') ||
      states.filter(({ state }) => state !== 'passive').length === 1,
  },
};
