// E. Chang, R. Roberts: An Improved Algorithm for Decentralized Extrema-Finding in Circular Configurations of Processes. CACM
// 22(5):281-283, 1979. The largest id wins. A closing lap, the usual addition, informs every process; it costs n more
// messages. As in Raynal and in lecture slides (5a to 5c), it also clears the marks, so a new election can follow. That needs
// FIFO channels (not stated), and a participant must not start (missing in Raynal).

import { type Algorithm, next } from '../../core/algorithm.ts';
import {
  allStart,
  atLeast,
  atMost,
  electionEnd,
  electionTime,
  exactly,
  harmonic,
  onAverage,
} from '../../core/bounds.ts';

const init = () => ({ participating: false, leader: null as number | null });

type State = ReturnType<typeof init>;
type Message = { type: 'election'; id: number } | { type: 'leader'; id: number };

const raynal = 'Raynal, chapter 2, section 5.2';

/** Chang and Roberts (1979): ids go round a ring until a larger one swallows them; n to n(n+1)/2 messages, and n of a closing lap. */
export const changRoberts: Algorithm<'election', State, Message, ['id']> = {
  name: 'chang-roberts',
  problem: 'election',
  paper: 'doi:10.1145/359104.359108',
  assumes: { topology: 'ring', channels: 'fifo', failures: 'none', timing: 'asynchronous' },
  knows: ['id'],
  elects: 'largest',
  electsAgain: true,
  bounds: [
    atLeast(['election'], 'n', raynal, ({ n }) => n),
    atLeast(['election'], '2n-1', 'each starts, the largest goes round', ({ n }) => 2 * n - 1, allStart),
    onAverage(
      ['election'],
      'n H_n',
      'Raynal, 5.2, summed: id i makes n/(n-i+1) passes',
      ({ n }) => n * harmonic(n),
      allStart,
    ),
    atMost(['election'], 'n(n+1)/2', raynal, ({ n }) => (n * (n + 1)) / 2),
    exactly(['leader'], 'n', 'closing lap', ({ n }) => n),
    electionTime.atLeast('nT', 'Raynal, 5.2: the largest starts', ({ n, T }) => n * T),
    electionEnd.atMost('(3n-2)T', 'and the closing lap', ({ n, T }) => (3 * n - 2) * T),
    electionTime.atMost(
      '(2n-1)T',
      'its successor starts alone (printed: 2(n-1))',
      ({ n, T }) => (2 * n - 1) * T,
    ),
  ],
  init,

  calls: {
    start(s, p) {
      if (s.participating) return;
      s.participating = true;
      p.send(next, { type: 'election', id: p.id });
    },
  },

  on: {
    election(s, p, m) {
      if (m.id > p.id) {
        s.participating = true;
        p.send(next, m);
      } else if (m.id === p.id) {
        s.participating = false;
        s.leader = p.id;
        p.emit({ type: 'elected', leader: p.id });
        p.send(next, { type: 'leader', id: p.id });
      } else if (!s.participating) {
        s.participating = true;
        p.send(next, { type: 'election', id: p.id });
      } // else discard m: a larger id, ours or one we forwarded, is ahead of it
    },
    leader(s, p, m) {
      if (m.id === p.id) return; // our mark may belong to a new election
      s.participating = false;
      s.leader = m.id;
      p.emit({ type: 'elected', leader: m.id });
      p.send(next, m);
    },
  },

  invariants: {
    'no id is on its way twice': ({ inFlight }) => {
      const ids = inFlight.flatMap(({ message }) => (message.type === 'election' ? [message.id] : []));
      return new Set(ids).size === ids.length;
    },
    'the sender of an id on its way takes part': ({ states, inFlight }) =>
      inFlight.every(({ from, message }) => message.type !== 'election' || states[from]!.participating),
  },
};
