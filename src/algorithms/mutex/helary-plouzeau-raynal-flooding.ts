// J.-M. Helary, N. Plouzeau, M. Raynal: A Distributed Algorithm for Mutual Exclusion in an Arbitrary Network. INRIA RR-0496, 1986
// (Computer Journal 31(4), 1988), section 3 without point i': requests are flooded, and their messages carry no list of the processes
// that have seen them. The paper prints only the version with that list, `helary-plouzeau-raynal`; this one shows what the list saves.
// Added: an origin remembers its own request, since a flood comes back to it. Corrected as there: X is ordered by (time, origin); `lud`
// is a map, since n is unknown; `youngest` remembers served requests, so that a late copy is not flooded again.

import type { Address, Algorithm, Bound, Facts, Process } from '../../core/algorithm.ts';
import { atMost, eachOther } from '../../core/bounds.ts';
import { countInFlight } from '../../core/world-queries.ts';

type Knows = ['me', 'neighbours', 'root'];
type Times = { readonly [name: Address]: number };
const init = ({ root }: Facts<Knows>) => ({
  C: 0, // logical clock
  lud: root ? ({} as Times) : null, // at the token holder: when each process last gave the token away; null elsewhere
  inCS: false,
  reqArray: {} as { [origin: Address]: { time: number; via: Address } }, // pending requests, and the neighbour each came from first
  youngest: {} as { [origin: Address]: number },
});
type State = ReturnType<typeof init>;
type Message =
  | { type: 'request'; origin: Address; time: number }
  | { type: 'token'; lud: Times; elec: Address };
type P = Process<'mutex', Message, Knows>;
function enter(s: State, p: P, lud: Times) {
  s.lud = lud;
  s.inCS = true;
  p.emit({ type: 'entered' });
}

function viaOf(s: State, elec: Address): Address {
  const { via } = s.reqArray[elec]!;
  delete s.reqArray[elec];
  return via;
}

function transmitToken(s: State, p: P) {
  const lud = s.lud!;
  const isUnserved = (origin: Address) => (lud[origin] ?? -1) < s.reqArray[origin]!.time;
  const X = Object.keys(s.reqArray).map(Number).filter(isUnserved);
  if (X.length === 0) return;
  const elec = X.reduce((a, b) => (s.reqArray[b]!.time < s.reqArray[a]!.time ? b : a)); // keys ascend: the smallest id wins ties
  const via = viaOf(s, elec);
  s.lud = null;
  p.send(via, { type: 'token', lud: { ...lud, [p.me]: s.C }, elec });
  s.C += 1;
}

// A request crosses every link in both directions, except the n-1 links of the first copies: those it crosses once. A first copy can
// come by any simple path, so neither a ring nor a complete network shortens the way of the token.
const isTree: Bound['when'] = { condition: 'tree', holds: ({ n, edges }) => edges === n - 1 };

/** The algorithm of Helary, Plouzeau and Raynal (1986) without knowledge control: at most 2e-(n-1) requests and n-1 token messages per entry, e links. */
export const helaryPlouzeauRaynalFlooding: Algorithm<'mutex', State, Message, Knows> = {
  name: 'helary-plouzeau-raynal-flooding',
  problem: 'mutex',
  paper: 'hal:inria-00076058',
  assumes: { topology: 'connected', channels: 'unordered', failures: 'none', timing: 'asynchronous' },
  knows: ['me', 'neighbours', 'root'],
  messages: {
    request: { origin: 'process', time: 'count' },
    token: { lud: 'counts by process', elec: 'process' },
  },
  addresses: { values: ['via', 'origin', 'elec'], keys: ['lud', 'reqArray', 'youngest'] },
  bounds: [
    atMost(
      ['request'],
      '2e-(n-1)',
      'section 3, i: to all neighbours but the sender',
      ({ n, edges }) => 2 * edges - n + 1,
    ),
    atMost(['token'], 'n-1', 'section 6', ({ n }) => n - 1),
    atMost(['token'], 'd', 'section 6', ({ diameter }) => diameter, isTree),
  ],
  bypass: [eachOther(1, 'heard', 'section 5.5: a process that has heard a request makes younger ones')],
  init,

  calls: {
    // enter_CS
    request(s, p) {
      if (s.lud !== null) return enter(s, p, s.lud);
      s.youngest[p.me] = s.C;
      for (const k of p.neighbours) p.send(k, { type: 'request', origin: p.me, time: s.C });
    },
    // exit_CS
    release(s, p) {
      s.inCS = false;
      transmitToken(s, p);
    },
  },

  on: {
    // receive_request; the paper's `sender` is the neighbour j that the message comes from
    request(s, p, m, j) {
      if (m.time <= (s.youngest[m.origin] ?? -1)) return;
      s.youngest[m.origin] = m.time;
      s.reqArray[m.origin] = { time: m.time, via: j };
      s.C = Math.max(s.C, m.time) + 1;
      for (const k of p.neighbours) if (k !== j) p.send(k, m);
      if (s.lud !== null && !s.inCS) transmitToken(s, p);
    },
    // receive_token
    token(s, p, m) {
      if (m.elec === p.me) enter(s, p, m.lud);
      else p.send(viaOf(s, m.elec), m); // back along the path of the first copy
    },
  },

  token: { isHeld: (s) => s.lud !== null, isIn: (m) => m.type === 'token' },
  invariants: {
    'ME2: inside only with the token': ({ states }) => states.every((s) => !s.inCS || s.lud !== null),
    'ME3: one token': (world) =>
      world.states.filter((s) => s.lud !== null).length + countInFlight(world, 'token') === 1,
    'lemma 2: on its way the token finds the request': ({ states, inFlight }) =>
      inFlight.every(
        ({ to, message: m }) => m.type === 'request' || m.elec === to || m.elec in states[to]!.reqArray,
      ),
    'nobody notes its own request': ({ states }) => states.every((s, i) => !(i in s.reqArray)),
  },
};
