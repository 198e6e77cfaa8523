// S. Merz: LamportMutex, in the TLA+ examples (tlaplus/Examples, specifications/lamport_mutex), after L. Lamport: Time, Clocks, and the
// Ordering of Events in a Distributed System, CACM 21(7):558-565, 1978. It differs from ours: only a request carries the time and
// moves a clock. Asking, entering and leaving are separate actions: here each is a timer that is armed exactly while the action is enabled.
import type { Algorithm, Facts, Process } from '../../../src/core/algorithm.ts';

type Knows = ['me', 'n', 'neighbours'];

const init = ({ n }: Facts<Knows>) => ({
  clock: 1,
  requests: Array<number>(n).fill(0), // the time of each process's request; 0 if there is none
  acknowledged: Array<boolean>(n).fill(false),
  inside: false,
});

type State = ReturnType<typeof init>;
type Message =
  | { type: 'request'; time: number }
  | { type: 'acknowledge' | 'release' }
  | { type: 'ask' | 'enter' | 'leave' };
type Self = Process<'mutex', Message, Knows>;

function isFirst({ requests }: State, { me, neighbours }: Self): boolean {
  const ours = requests[me]!;
  return neighbours.every((j) => {
    const theirs = requests[j]!;
    return theirs === 0 || ours < theirs || (ours === theirs && me < j);
  });
}

/** `enter` is also enabled inside, where it changes nothing. */
const isPossible = {
  ask: (s: State, p: Self) => s.requests[p.me] === 0,
  enter: (s: State, p: Self) => s.acknowledged.every(Boolean) && isFirst(s, p),
  leave: (s: State) => s.inside,
};

function arm(s: State, p: Self) {
  for (const type of ['ask', 'enter', 'leave'] as const) {
    if (isPossible[type](s, p)) p.after(1, { type });
    else p.cancel(type);
  }
}

export const lamportMutex: Algorithm<'mutex', State, Message, Knows> = {
  name: 'lamport-mutex',
  problem: 'mutex',
  paper: 'doi:10.1145/359545.359563',
  assumes: { topology: 'complete', channels: 'fifo', failures: 'none', timing: 'asynchronous' },
  knows: ['me', 'n', 'neighbours'],
  bounds: [],
  timers: ['ask', 'enter', 'leave'],
  init,
  begin: arm,
  calls: { request() {}, release() {} }, // the timers do this

  on: {
    ask(s, p) {
      s.requests[p.me] = s.clock;
      s.acknowledged[p.me] = true;
      for (const j of p.neighbours) p.send(j, { type: 'request', time: s.clock });
      arm(s, p);
    },
    enter(s, p) {
      s.inside = true;
      arm(s, p);
    },
    leave(s, p) {
      s.inside = false;
      s.requests[p.me] = 0;
      s.acknowledged.fill(false);
      for (const j of p.neighbours) p.send(j, { type: 'release' });
      arm(s, p);
    },
    request(s, p, { time }, j) {
      s.requests[j] = time;
      s.clock = Math.max(s.clock, time) + 1;
      p.send(j, { type: 'acknowledge' });
      arm(s, p);
    },
    acknowledge(s, p, _, j) {
      s.acknowledged[j] = true;
      arm(s, p);
    },
    release(s, p, _, j) {
      s.requests[j] = 0;
      arm(s, p);
    },
  },
};
