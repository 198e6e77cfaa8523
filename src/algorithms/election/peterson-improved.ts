// G. L. Peterson: An O(n log n) Unidirectional Algorithm for the Circular Extrema Problem.
// TOPLAS 4(4):758-762, 1982, the improved algorithm. One message per step: in odd steps a process survives if its id beats that
// of the active process behind. In even steps it survives if that id beats its own, and takes it over. An idle process starts on
// its first message. A closing lap informs every process; it begins where the largest id is found, not always at its owner.

import { type Algorithm, type Facts, next, type Process } from '../../core/algorithm.ts';
import { atLeast, atMost, exactly, fibonacciIndex, notAlone } from '../../core/bounds.ts';

const init = ({ id }: Facts<['id']>) => ({
  state: 'idle' as 'idle' | 'active' | 'relay',
  tid: id,
  step: 0,
  leader: null as number | null,
});

type State = ReturnType<typeof init>;
type Message = { type: 'tid'; id: number } | { type: 'leader'; id: number };
type P = Process<'election', Message, ['id']>;

function newStep(s: State, p: P) {
  s.state = 'active';
  s.step += 1;
  p.send(next, { type: 'tid', id: s.tid });
}

/** Peterson (1982), improved: one message per step on a one-way ring; at most 1.44n log n + O(n) messages, and n of a closing lap. */
export const petersonImproved: Algorithm<'election', State, Message, ['id']> = {
  name: 'peterson-improved',
  problem: 'election',
  paper: 'doi:10.1145/69622.357194',
  assumes: { topology: 'ring', channels: 'fifo', failures: 'none', timing: 'asynchronous' },
  knows: ['id'],
  elects: 'largest',
  bounds: [
    atLeast(['tid'], '2n', 'by the rules: two steps', ({ n }) => 2 * n, notAlone),
    atMost(
      ['tid'],
      'n(floor(log_phi(sqrt5(n + 1/2))) - 1)',
      'survivors shrink like Fibonacci numbers; Raynal, 5.5.2: 1.44n log n + O(n)',
      ({ n }) => n * (fibonacciIndex(n) - 1),
    ),
    exactly(['leader'], 'n', 'closing lap', ({ n }) => n),
  ],
  init,

  calls: {
    start(s, p) {
      if (s.state === 'idle') newStep(s, p);
    },
  },

  on: {
    tid(s, p, m) {
      if (s.state === 'idle') newStep(s, p);
      const isOdd = s.step % 2 === 1;
      if (s.state === 'relay') p.send(next, m);
      else if (m.id === s.tid) {
        s.leader = s.tid;
        p.emit({ type: 'elected', leader: s.tid });
        p.send(next, { type: 'leader', id: s.tid });
      } else if (isOdd && s.tid > m.id) newStep(s, p);
      else if (!isOdd && m.id > s.tid) {
        s.tid = m.id;
        newStep(s, p);
      } else s.state = 'relay';
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
        states.some(({ state, tid }) => state !== 'relay' && tid === largest) ||
        inFlight.some(({ message }) => message.id === largest)
      );
    },
    'of those who reach a step, one falls for each that reaches the next but one'({ states }) {
      const reached = (step: number) => states.filter((s) => s.step >= step).length;
      return states.every(({ step }) => step < 3 || reached(step - 2) >= reached(step - 1) + reached(step));
    },
  },
};
