// G. Le Lann: Distributed Systems: Towards a Formal Approach. IFIP Congress 1977, 155-160, in the form that textbooks call the
// active list. Every number goes all the way round, and a process that gets its own back has seen all others. The largest wins.
// The ring contains the live processes; each decides alone. After lecture slides, "Ring Algorithm" and its Example 1.
// As printed: a new list for each election, elect(i) before elect(j), and `elected` from each process that has chosen.
// Corrected: a process lists and forwards another's number (printed: it completes the list), channels must be FIFO, and a process
// that takes part does not start (both not stated). Ours: `elected` ends at the next process, which has chosen before it arrives.

import { type Algorithm, next, type Process } from '../../core/algorithm.ts';
import { electionEnd, electionTime, exactly } from '../../core/bounds.ts';

const init = () => ({
  activeList: [] as number[], // of the last election that we took part in
  coordinator: null as number | null, // null until our own number is back
});

type State = ReturnType<typeof init>;
type Message = { type: 'elect'; j: number } | { type: 'elected'; coordinator: number };
type P = Process<'election', Message, ['id']>;

export const takesPart = (s: State) => s.activeList.length > 0 && s.coordinator === null;

// The list may be discarded as soon as our own number is back. All others sent theirs before they forwarded ours, and channels are
// FIFO: so we have received all n numbers of this election, and forwarded those of the others. What comes next belongs to a new one.
function takePart(s: State, p: P) {
  if (takesPart(s)) return;
  s.activeList = [p.id];
  s.coordinator = null;
  p.send(next, { type: 'elect', j: p.id });
}

/** Le Lann (1977): every id goes round the ring, and each process picks the largest; n^2 messages, and n that say so. */
export const leLann: Algorithm<'election', State, Message, ['id']> = {
  name: 'le-lann',
  problem: 'election',
  paper: 'IFIP 1977',
  assumes: { topology: 'ring', channels: 'fifo', failures: 'none', timing: 'asynchronous' },
  knows: ['id'],
  elects: 'largest',
  electsAgain: true,
  bounds: [
    exactly(['elect'], 'n^2', 'Raynal, chapter 2, section 5.1', ({ n }) => n * n),
    exactly(['elected'], 'n', 'lecture slides, Example 1: one from each', ({ n }) => n),
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
        p.send(next, { type: 'elected', coordinator: s.coordinator });
      }
    },
    elected() {}, // it follows all numbers of its election, so we have chosen too
  },

  invariants: {
    'a process that has chosen has all numbers in its list': ({ states }) =>
      states.every((s) => s.coordinator === null || s.activeList.length === states.length),
    'an announcement names what its receiver has chosen': ({ states, inFlight }) =>
      inFlight.every(({ to, message }) => {
        const chosen = states[to]!.coordinator;
        return message.type !== 'elected' || chosen === null || chosen === message.coordinator;
      }),
  },
};
