// G. Le Lann: Distributed Systems: Towards a Formal Approach. IFIP Congress 1977, 155-160, in the form that textbooks call the
// active list. Every number goes all the way round, and a process that gets its own back has seen all others. The largest wins.
// The ring contains the live processes; each decides alone. After lecture slides, corrected: a process lists and forwards
// another's number (printed: it completes the list), and channels must be FIFO (not stated).

import { type Algorithm, next, type Process } from '../../core/algorithm.ts';
import { electionEnd, electionTime, exactly } from '../../core/bounds.ts';

const init = () => ({
  activeList: [] as number[], // empty: no elect received or sent
  coordinator: null as number | null,
});

type State = ReturnType<typeof init>;
type Message = { type: 'elect'; j: number };
type P = Process<'election', Message, ['id']>;

function takePart(s: State, p: P) {
  if (s.activeList.length > 0) return;
  s.activeList = [p.id];
  p.send(next, { type: 'elect', j: p.id });
}

/** Le Lann (1977): every id goes round the ring, and each process picks the largest; n^2 messages. */
export const leLann: Algorithm<'election', State, Message, ['id']> = {
  name: 'le-lann',
  problem: 'election',
  paper: 'IFIP 1977',
  assumes: { topology: 'ring', channels: 'fifo', failures: 'none', timing: 'asynchronous' },
  knows: ['id'],
  elects: 'largest',
  bounds: [
    exactly(['elect'], 'n^2', 'Raynal, chapter 2, section 5.1', ({ n }) => n * n),
    electionTime.atLeast('nT', 'its number goes round', ({ n, T }) => n * T),
    electionEnd.atMost('(2n-1)T', 'the last one is woken by the first number', ({ n, T }) => (2 * n - 1) * T),
  ],
  init,

  calls: { start: takePart },

  on: {
    elect(s, p, m) {
      takePart(s, p); // first: a number sent after j's would not be in j's list
      if (m.j !== p.id) {
        s.activeList.push(m.j);
        p.send(next, m);
      } else {
        s.coordinator = s.activeList.reduce((a, b) => Math.max(a, b));
        p.emit({ type: 'elected', leader: s.coordinator });
      }
    },
  },

  invariants: {
    'who decides has everybody in its list': ({ states }) =>
      states.every((s) => s.coordinator === null || s.activeList.length === states.length),
  },
};
