// J.-M. Helary, N. Plouzeau, M. Raynal: A Distributed Algorithm for Mutual Exclusion in an Arbitrary Network. INRIA RR-0496,
// 1986, section 7: links that appear and go. The printed sentence, that each end updates its neighbours, does not suffice. A
// process that joins may get the token without knowing the waiters, and a token can be sent back over a link that has gone.
//
// Added: each end of a changed link sends a wave through the network; every waiting process it reaches requests again, with a
// later time. An end of a link that goes forgets the requests that came over it. A process that then cannot forward the token
// keeps it until the new request arrives. A token in flight on a link that goes is lost, and nothing here restores it.

import type { Address, Algorithm, Facts, Process } from '../../core/algorithm.ts';
import { atLeast, eachOther } from '../../core/bounds.ts';
import { type Message as LockMessage, helaryPlouzeauRaynal as lock } from './helary-plouzeau-raynal.ts';

type Knows = ['me', 'neighbours', 'root'];

const init = (place: Facts<Knows>) => ({
  lock: lock.init(place),
  neighbours: place.neighbours,
  isWaiting: false,
  waves: 0, // number of our own waves
  seen: {} as { [origin: Address]: number }, // the last wave seen of each origin
});

type State = ReturnType<typeof init>;
type Message = LockMessage | { type: 'changed'; origin: Address; wave: number };
type P = Process<'mutex', Message, Knows>;

/** Returns the process as the lock sees it, with the current neighbours. */
const inner = (s: State, p: P): Process<'mutex', LockMessage, Knows> => ({
  me: p.me,
  root: p.root,
  neighbours: s.neighbours,
  send: (j, m) => p.send(j, m),
  emit(event) {
    s.isWaiting = false;
    p.emit(event);
  },
  after: (ticks, m) => p.after(ticks, m),
  cancel: (type) => p.cancel(type),
  choose: (options) => p.choose(options),
});

function tell(s: State, p: P) {
  s.waves += 1;
  spread(s, p, { type: 'changed', origin: p.me, wave: s.waves });
}

function spread(s: State, p: P, m: Message & { type: 'changed' }) {
  s.seen[m.origin] = m.wave;
  for (const k of s.neighbours) p.send(k, m);
  if (!s.isWaiting) return;
  s.lock.C += 1; // later than our previous request
  lock.calls.request(s.lock, inner(s, p));
}

/** Helary, Plouzeau and Raynal (1986): a token in a graph whose links appear and go. After a change, waiting processes request again. */
export const helaryPlouzeauRaynalRelinking: Algorithm<'mutex', State, Message, Knows> = {
  name: 'helary-plouzeau-raynal-relinking',
  problem: 'mutex',
  paper: 'hal:inria-00076058',
  assumes: { topology: 'connected', channels: 'unordered', failures: 'link changes', timing: 'asynchronous' },
  knows: ['me', 'neighbours', 'root'],
  messages: { ...lock.messages!, changed: { origin: 'process', wave: 'count' } },
  addresses: { values: [...lock.addresses!.values!, 'neighbours'], keys: [...lock.addresses!.keys!, 'seen'] },
  bounds: [
    atLeast(
      ['request', 'token', 'changed'],
      '0',
      'the owner enters without a message; changes cost what they cost',
      () => 0,
    ),
  ],
  bypass: [eachOther(1, 'heard', 'section 5.5: who has heard makes younger requests')],
  init,

  calls: {
    request(s, p) {
      s.isWaiting = true;
      lock.calls.request(s.lock, inner(s, p));
    },
    release: (s, p) => lock.calls.release(s.lock, inner(s, p)),
  },

  links: {
    appears(s, p, j) {
      s.neighbours = [...s.neighbours, j];
      tell(s, p);
    },
    goes(s, p, j) {
      s.neighbours = s.neighbours.filter((k) => k !== j);
      for (const [origin, { via }] of Object.entries(s.lock.reqArray))
        if (via === j) delete s.lock.reqArray[Number(origin)];
      tell(s, p);
    },
  },

  on: {
    changed(s, p, m) {
      if (m.wave > (s.seen[m.origin] ?? 0)) spread(s, p, m);
    },
    request: (s, p, m, j) => lock.on.request(s.lock, inner(s, p), m, j),
    token(s, p, m, j) {
      if (m.elec === p.me || s.lock.reqArray[m.elec] !== undefined) lock.on.token(s.lock, inner(s, p), m, j);
      else if (s.isWaiting) lock.on.token(s.lock, inner(s, p), { ...m, elec: p.me }, j);
      else {
        s.lock.lud = m.lud;
        lock.calls.release(s.lock, inner(s, p)); // to a waiter that we know, if any
      }
    },
  },

  token: { isHeld: (s) => s.lock.lud !== null, isIn: (m) => m.type === 'token' },
  invariants: {
    'ME3, as far as links go: at most one token': ({ states, inFlight }) =>
      states.filter((s) => s.lock.lud !== null).length +
        inFlight.filter(({ message }) => message.type === 'token').length <=
      1,
  },
};
