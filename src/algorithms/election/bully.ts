// H. Garcia-Molina: Elections in a Distributed Computing System. IEEE Trans. Computers C-31(1):48-59, 1982, in the usual
// three-message form of lecture slides. Every process knows the ids of all; the highest live process becomes coordinator. A process
// answers those below it; the slides also print above (ER-01). The slides' second version omits the note that a lower victory starts
// an election; without it, announcements that cross leave two coordinators (ER-40). Every process waits T before it wins, even with no
// process above it. The usual short cut omits that wait: elections overlap, and messages grow exponentially with n.

import type { Address, Algorithm, Bound, Process } from '../../core/algorithm.ts';
import { atLeast, atMost } from '../../core/bounds.ts';

type Knows = ['me', 'neighbours', 'maxDelay'];

const init = () => ({
  election: 'none' as 'none' | 'awaiting answers' | 'awaiting coordinator',
  coordinator: null as Address | null,
  crashed: [] as Address[], // reported within D: an announcement that they sent before may still arrive
});

type State = ReturnType<typeof init>;
type Message = { type: 'election' | 'answer' | 'coordinator' | 'crashed' | 'T' | "T'" | 'D' };
type P = Process<'election', Message, Knows>;

// T is a round trip. T' is the time a higher process may still need: to hear of the election, its own T, to tell us; plus the clocks' slack.
const T = (p: P) => 2 * p.maxDelay;
const T2 = (p: P) => 3 * T(p);

function start(s: State, p: P) {
  s.election = 'awaiting answers';
  p.cancel("T'");
  for (const j of p.neighbours) if (j > p.me) p.send(j, { type: 'election' });
  p.after(T(p), { type: 'T' });
}

const startUnlessHolding = (s: State, p: P) => {
  if (s.election === 'none') start(s, p);
};

function win(s: State, p: P) {
  s.election = 'none';
  s.coordinator = p.me;
  p.emit({ type: 'elected', leader: p.me });
  for (const j of p.neighbours) p.send(j, { type: 'coordinator' });
}

const counted = ['election', 'answer', 'coordinator'] as const;
const atOnce: Bound['when'] = { condition: 'all initiators at once', holds: ({ together }) => together };

/** Garcia-Molina (1982): the highest living process wins, in spite of crashes; n-1 to n^2-1 messages if all initiators start at once. */
export const bully: Algorithm<'election', State, Message, Knows> = {
  name: 'bully',
  problem: 'election',
  paper: 'doi:10.1109/TC.1982.1675885',
  assumes: { topology: 'complete', channels: 'unordered', failures: 'crash', timing: 'bounded' },
  knows: ['me', 'neighbours', 'maxDelay'],
  addresses: { values: ['coordinator', 'crashed'] },
  elects: 'largest',
  crashNotice: 'crashed',
  timers: ['T', "T'", 'D'],
  bounds: [
    atLeast(counted, 'n-1', 'by the rules: the highest living process starts', ({ n }) => n - 1, atOnce),
    // a processes are alive; if only the coordinator has crashed, it is n^2-n. Raynal, section 5.1, prints n^2.
    atMost(
      counted,
      '(a+1)(n-1)',
      'by the rules: every living process starts',
      ({ n, living }) => (living + 1) * (n - 1),
      atOnce,
    ),
  ],
  init,

  calls: { start: (s, p) => startUnlessHolding(s, p) },
  recover: (s, p) => start(s, p),

  on: {
    election(s, p, _m, j) {
      p.send(j, { type: 'answer' }); // j is below us: only lower processes send us this
      startUnlessHolding(s, p);
    },
    answer(s, p) {
      if (s.election !== 'awaiting answers') return;
      s.election = 'awaiting coordinator';
      p.cancel('T');
      p.after(T2(p), { type: "T'" });
    },
    coordinator(s, p, _m, j) {
      // We bully a lower process out; T anew, so that our announcement comes after every copy of this one. A crashed one needs a successor.
      if (j < p.me || s.crashed.includes(j)) return start(s, p);
      s.election = 'none';
      s.coordinator = j;
      p.cancel('T');
      p.cancel("T'");
      p.emit({ type: 'elected', leader: j });
    },
    crashed(s, p, _m, j) {
      if (j < p.me) return; // we never follow it
      s.crashed.push(j);
      p.after(p.maxDelay, { type: 'D' });
      if (j === s.coordinator) startUnlessHolding(s, p);
    },
    D(s) {
      s.crashed = [];
    },
    T: (s, p) => win(s, p), // no process above us is alive
    "T'": (s, p) => start(s, p), // the process that answered has crashed since
  },
};
