// H. Garcia-Molina: Elections in a Distributed Computing System. IEEE Trans. Computers C-31(1):48-59, 1982,
// in the usual three-message form. Everybody knows everybody's number; the highest living one becomes coordinator.
// A process answers those below it; a printed version has those above. Everybody waits T before it wins, also who has
// nobody above: the usual short cut lets elections overlap, and then messages grow exponentially with n.

import type { Algorithm, Bound, Process } from '../../core/algorithm.ts';
import { atLeast, atMost } from '../../core/bounds.ts';

type Knows = ['me', 'neighbours', 'maxDelay'];

const init = () => ({
  election: 'none' as 'none' | 'awaiting answers' | 'awaiting coordinator',
  coordinator: null as number | null,
  isNew: false, // the coordinator: what crossed its announcement may still come
});

type State = ReturnType<typeof init>;
type Message = { type: 'election' | 'answer' | 'coordinator' | 'T' | "T'" | 'old' };
type P = Process<'election', Message, Knows>;

// T covers a round trip, and one delay more: an election that begins when a coordinator was heard of ends when nothing is left that crossed
// its announcement. T' covers what a higher process may still need: to hear of it, its own T, to tell us; and the clocks' slack.
const T = (p: P) => 3 * p.maxDelay;
const T2 = (p: P) => 3 * T(p);

function start(s: State, p: P) {
  s.election = 'awaiting answers';
  p.cancel("T'");
  for (const j of p.neighbours) if (j > p.me) p.send(j, { type: 'election' });
  p.after(T(p), { type: 'T' });
}

function win(s: State, p: P) {
  s.election = 'none';
  s.coordinator = p.me;
  p.emit({ type: 'elected', leader: p.me });
  for (const j of p.neighbours) if (j < p.me) p.send(j, { type: 'coordinator' });
}

const counted = ['election', 'answer', 'coordinator'] as const;
const atOnce: Bound['when'] = { condition: 'all initiators at once', holds: ({ together }) => together };

export const bully: Algorithm<'election', State, Message, Knows> = {
  name: 'bully',
  problem: 'election',
  paper: 'doi:10.1109/TC.1982.1675885',
  assumes: { topology: 'complete', channels: 'unordered', failures: 'crash', timing: 'bounded' },
  knows: ['me', 'neighbours', 'maxDelay'],
  elects: 'largest',
  timers: ['T', "T'", 'old'],
  bounds: [
    atLeast(counted, 'n-1', 'by the rules: the highest living process starts', ({ n }) => n - 1, atOnce),
    // a processes live; with only the coordinator dead it is n^2-n-1. Raynal, section 5.1, prints n^2.
    atMost(counted, 'an-1', 'by the rules: everybody starts once', ({ n, living }) => living * n - 1, atOnce),
  ],
  init,

  calls: { start: (s, p) => start(s, p) },
  recover: (s, p) => start(s, p),

  on: {
    election(s, p, _m, j) {
      p.send(j, { type: 'answer' }); // j is below us: only those send us this
      if (s.election === 'none') start(s, p);
    },
    answer(s, p) {
      if (s.election !== 'awaiting answers') return;
      s.election = 'awaiting coordinator';
      p.cancel('T');
      p.after(T2(p), { type: "T'" });
    },
    coordinator(s, p, _m, j) {
      if (s.isNew && j < s.coordinator!) return; // who was bullied out announced itself before; the two crossed
      s.election = 'none';
      s.coordinator = j;
      s.isNew = true;
      p.after(2 * p.maxDelay, { type: 'old' });
      p.cancel('T');
      p.cancel("T'");
      p.emit({ type: 'elected', leader: j });
    },
    T: (s, p) => win(s, p), // nobody above us lives
    "T'": (s, p) => start(s, p), // who answered has died since
    old(s) {
      s.isNew = false;
    },
  },
};
