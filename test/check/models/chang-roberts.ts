// S. Merz: ChangRoberts, in the TLA+ examples (tlaplus/Examples, specifications/chang_roberts), after E. Chang, R. Roberts: An Improved
// Algorithm for Decentralized Extrema-Finding in Circular Configurations of Processes, CACM 22(5):281-283, 1979. It differs from ours:
// the smallest id wins, and the winner does not announce itself. Any process may be an initiator, and no other becomes one. Every process
// takes a first step (label n0) before it receives a message, even if that step does nothing.
import { type Algorithm, next } from '../../../src/core/algorithm.ts';

const init = () => ({
  initiator: false,
  state: 'lost' as 'candidate' | 'lost' | 'won',
  hasBegun: false,
  tookTooEarly: false, // received a message before its first step, which is impossible in the original
});

type State = ReturnType<typeof init>;
type Message = { type: 'begin' } | { type: 'token'; id: number };

export const changRobertsByMerz: Algorithm<'election', State, Message, ['id']> = {
  name: 'chang-roberts-by-merz',
  problem: 'election',
  paper: 'doi:10.1145/359104.359108',
  assumes: { topology: 'ring', channels: 'unordered', failures: 'none', timing: 'asynchronous' },
  knows: ['id'],
  elects: 'smallest',
  bounds: [],
  timers: ['begin'],
  init,
  begin(s, p) {
    s.initiator = p.choose(2) === 1;
    if (s.initiator) s.state = 'candidate';
    p.after(1, { type: 'begin' });
  },
  calls: { start() {} }, // the timer does this

  on: {
    begin(s, p) {
      s.hasBegun = true;
      if (s.initiator) p.send(next, { type: 'token', id: p.id });
    },
    token(s, p, m) {
      if (!s.hasBegun) s.tookTooEarly = true;
      else if (s.state === 'lost' || m.id < p.id) {
        s.state = 'lost';
        p.send(next, m);
      } else if (m.id === p.id) s.state = 'won';
    },
  },
};
