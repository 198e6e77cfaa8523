// J.-M. Helary, N. Plouzeau, M. Raynal: A Distributed Algorithm for Mutual Exclusion in an Arbitrary Network. INRIA RR-0496, 1986,
// section 6: the simplification for a complete network that all processes know. The report describes it in one sentence, so
// this text is derived from section 4.3: a request comes straight from its creator, and the token goes straight to it. No
// process forwards anything; `already_seen`, the origin of a request, `elec` and `via` are gone. Clocks start at 1, and 0
// stands for the printed -1. Corrected as helary-plouzeau-raynal: X is ordered by (time, origin), and old requests are dropped.

import type { Algorithm, Facts, Process } from '../../core/algorithm.ts';
import {
  aloneInTime,
  atMost,
  eachOther,
  elementsOf,
  saturated,
  synchronisationDelay,
  waitingTime,
} from '../../core/bounds.ts';
import { countInFlight } from '../../core/world-queries.ts';

type Knows = ['me', 'n', 'neighbours', 'root'];

const init = ({ n, root }: Facts<Knows>) => ({
  C: 1, // logical clock
  lud: root ? Array<number>(n).fill(0) : null, // at the token holder: when each process last gave the token away; null elsewhere
  inCS: false,
  requests: Array<number>(n).fill(0), // the time of the youngest request of each process, our own included
});

type State = ReturnType<typeof init>;
type Message = { type: 'request'; time: number } | { type: 'token'; lud: readonly number[] };
type P = Process<'mutex', Message, Knows>;

function enter(s: State, p: P, lud: readonly number[]) {
  s.lud = [...lud];
  s.inCS = true;
  p.emit({ type: 'entered' });
}

function transmitToken(s: State, p: P) {
  const lud = s.lud!;
  const X = p.neighbours.filter((k) => lud[k]! < s.requests[k]!);
  if (X.length === 0) return;
  const elec = X.reduce((a, b) => (s.requests[b]! < s.requests[a]! ? b : a)); // names ascend: the smallest wins ties
  lud[p.me] = s.C;
  s.C += 1;
  s.lud = null;
  p.send(elec, { type: 'token', lud });
}

/** Helary, Plouzeau and Raynal (1986), complete networks: a token that goes to the oldest request; 0 or n messages per entry. */
export const helaryPlouzeauRaynalComplete: Algorithm<'mutex', State, Message, Knows> = {
  name: 'helary-plouzeau-raynal-complete',
  problem: 'mutex',
  paper: 'hal:inria-00076058',
  assumes: { topology: 'complete', channels: 'unordered', failures: 'none', timing: 'asynchronous' },
  knows: ['me', 'n', 'neighbours', 'root'],
  messages: { request: { time: 'count' }, token: { lud: 'count per process' } },
  addresses: { keys: ['lud', 'requests'] },
  bounds: [
    atMost(['request'], 'n-1', 'section 6', ({ n }) => n - 1),
    atMost(['token'], '1', 'section 6', () => 1),
    synchronisationDelay.exactly(
      'T',
      'the token goes to the oldest request at once',
      ({ T }) => T,
      saturated,
    ),
    synchronisationDelay.atMost('2T', 'request, token', ({ T }) => 2 * T),
    waitingTime.atMost('2T', 'section 6: 2dT, and d is 1', ({ T }) => 2 * T, aloneInTime),
    elementsOf.exactly(['request'], '2', 'section 4.1, without the origin and the history', () => 2),
    elementsOf.exactly(['token'], 'n+1', 'section 4.1, without elec', ({ n }) => n + 1),
  ],
  bypass: [eachOther(1, 'heard', 'section 5.5: a process that has heard a request makes younger ones')],
  init,

  calls: {
    // enter_CS
    request(s, p) {
      if (s.lud !== null) return enter(s, p, s.lud);
      s.requests[p.me] = s.C;
      for (const k of p.neighbours) p.send(k, { type: 'request', time: s.C });
    },
    // exit_CS
    release(s, p) {
      s.inCS = false;
      transmitToken(s, p);
    },
  },

  on: {
    // receive_request
    request(s, p, { time }, origin) {
      if (time <= s.requests[origin]!) return;
      s.requests[origin] = time;
      s.C = Math.max(s.C, time) + 1;
      if (s.lud !== null && !s.inCS) transmitToken(s, p);
    },
    // receive_token
    token(s, p, { lud }) {
      enter(s, p, lud);
    },
  },

  token: { isHeld: (s) => s.lud !== null, isIn: (m) => m.type === 'token' },
  invariants: {
    'ME2: inside only with the token': ({ states }) => states.every((s) => !s.inCS || s.lud !== null),
    'ME3: one token': (world) =>
      world.states.filter((s) => s.lud !== null).length + countInFlight(world, 'token') === 1,
    'lemma 1: a process that has not heard of a request has it on its way': (world) =>
      world.states.every(({ requests }, i) =>
        world.states.every(
          (s, j) => requests[j] === s.requests[j] || countInFlight(world, 'request', { from: j, to: i }) > 0,
        ),
      ),
  },
};
