// J.-M. Helary, N. Plouzeau, M. Raynal: A Distributed Algorithm for Mutual Exclusion in an Arbitrary Network. INRIA RR-0496, 1986
// (Computer Journal 31(4), 1988). Corrected: X is ordered by (time, origin); the printed order (origin, time) starves large ids.
// `lud` is a map, since n is unknown. `youngest` remembers requests already served; otherwise a late copy would be broadcast again.

import type { Address, Algorithm, Bound, Facts, Process } from '../../core/algorithm.ts';
import { aloneInTime, atMost, eachOther, waitingTime } from '../../core/bounds.ts';
import { countInFlight } from '../../core/world-queries.ts';

type Knows = ['me', 'neighbours', 'root'];
type Times = { readonly [name: Address]: number };
const init = ({ root }: Facts<Knows>) => ({
  C: 0, // logical clock
  lud: root ? ({} as Times) : null, // at the token holder: when each process last gave the token away; null elsewhere
  inCS: false,
  reqArray: {} as { [origin: Address]: { time: number; via: Address } }, // pending requests, and the neighbour each came from
  youngest: {} as { [origin: Address]: number },
});
type State = ReturnType<typeof init>;
export type Message =
  | { type: 'request'; origin: Address; time: number; alreadySeen: readonly Address[] }
  | { type: 'token'; lud: Times; elec: Address };
type P = Process<'mutex', Message, Knows>;
const union = (a: readonly Address[], b: readonly Address[]) => [...a, ...b.filter((k) => !a.includes(k))];
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
  s.lud = null;
  p.send(viaOf(s, elec), { type: 'token', lud: { ...lud, [p.me]: s.C }, elec });
  s.C += 1;
}

// The paper prints 2e requests, and on a ring n+1 of 2n messages in all. The third correction sharpens these, and so does
// the path of a request: it is induced (no process on it neighbours one before its predecessor). An owner enters without a message.
const corrected = 'section 6, by the corrected rule';
const isComplete: Bound['when'] = { condition: 'complete', holds: ({ topology }) => topology === 'complete' };
const isTree: Bound['when'] = { condition: 'tree', holds: ({ n, edges }) => edges === n - 1 };
const isRing: Bound['when'] = { condition: 'ring', holds: ({ n, topology }) => topology === 'ring' && n > 2 };

/** Helary, Plouzeau and Raynal (1986): a token in any connected graph, and requests that flood it; at most 2e messages per entry, e links. */
export const helaryPlouzeauRaynal: Algorithm<'mutex', State, Message, Knows> = {
  name: 'helary-plouzeau-raynal',
  problem: 'mutex',
  paper: 'hal:inria-00076058',
  assumes: { topology: 'connected', channels: 'unordered', failures: 'none', timing: 'asynchronous' },
  knows: ['me', 'neighbours', 'root'],
  messages: {
    request: { origin: 'process', time: 'count', alreadySeen: 'processes' },
    token: { lud: 'counts by process', elec: 'process' },
  },
  addresses: { values: ['via', 'origin', 'alreadySeen', 'elec'], keys: ['lud', 'reqArray', 'youngest'] },
  bounds: [
    atMost(['request'], '2e-(n-1)', corrected, ({ n, edges }) => 2 * edges - n + 1),
    atMost(['request'], 'n-1', 'section 6', ({ n }) => n - 1, isComplete),
    atMost(['token'], 'n-1', 'section 6', ({ n }) => n - 1),
    atMost(['token'], '1', 'section 6', () => 1, isComplete),
    atMost(['token'], 'd', 'section 6', ({ diameter }) => diameter, isTree),
    atMost(['token'], 'n-2', corrected, ({ n }) => n - 2, isRing),
    waitingTime.atMost('2dT', 'section 6', ({ diameter, T }) => 2 * diameter * T, aloneInTime),
  ],
  bypass: [eachOther(1, 'heard', 'section 5.5: who has heard makes younger requests')],
  init,

  calls: {
    // enter_CS
    request(s, p) {
      if (s.lud !== null) return enter(s, p, s.lud);
      const alreadySeen = union(p.neighbours, [p.me]);
      for (const k of p.neighbours) p.send(k, { type: 'request', origin: p.me, time: s.C, alreadySeen });
    },
    // exit_CS
    release(s, p) {
      s.inCS = false;
      transmitToken(s, p);
    },
  },

  on: {
    // receive_request; the paper's `sender` is the neighbour that the message comes from
    request(s, p, { origin, time, alreadySeen }, sender) {
      if (time <= (s.youngest[origin] ?? -1)) return;
      s.youngest[origin] = time;
      s.reqArray[origin] = { time, via: sender };
      s.C = Math.max(s.C, time) + 1;
      const seen = union(alreadySeen, p.neighbours);
      for (const k of p.neighbours)
        if (!alreadySeen.includes(k)) p.send(k, { type: 'request', origin, time, alreadySeen: seen });
      if (s.lud !== null && !s.inCS) transmitToken(s, p);
    },
    // receive_token
    token(s, p, m) {
      if (m.elec === p.me) enter(s, p, m.lud);
      else p.send(viaOf(s, m.elec), m); // back along the path of the request
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
  },
};
