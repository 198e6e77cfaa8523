// G. Le Lann: Distributed Systems - Towards a Formal Approach. IFIP Congress 1977, 155-160: a token that goes round a ring forever.

import { type Algorithm, type Facts, next } from '../../core/algorithm.ts';
import {
  alone,
  atLeast,
  eachOther,
  synchronisationDelay,
  tokenHops,
  waitingTime,
} from '../../core/bounds.ts';

type Knows = ['root'];

const init = ({ root }: Facts<Knows>) => ({ token: root, wanting: false });

type State = ReturnType<typeof init>;
type Message = { type: 'token' };

/** Le Lann (1977): a token goes round a ring forever, whether a process asks or not. */
export const tokenRing: Algorithm<'mutex', State, Message, Knows> = {
  name: 'token-ring',
  problem: 'mutex',
  paper: 'IFIP 1977',
  assumes: { topology: 'ring', channels: 'unordered', failures: 'none', timing: 'asynchronous' },
  knows: ['root'],
  messages: { token: {} },
  perpetual: true,
  bounds: [
    atLeast(['token'], '0', 'the token may be here; it moves on whether somebody asks or not', () => 0),
    synchronisationDelay.atLeast('T', 'lecture slides, unit 3: 1 to n-1 hops', ({ T }) => T),
    synchronisationDelay.atMost('(n-1)T', 'lecture slides, unit 3: 1 to n-1 hops', ({ n, T }) => (n - 1) * T),
    tokenHops.atLeast(['token'], '1', 'lecture slides, unit 3', () => 1),
    tokenHops.atMost(['token'], 'n', 'ER-10: it may just have left', ({ n }) => n),
    waitingTime.atMost('nT', 'it may just have left', ({ n, T }) => n * T, alone),
  ],
  bypass: [eachOther(1, 'request', 'once a turn')],
  init,

  begin(s, p) {
    if (s.token) tokenRing.on.token(s, p, { type: 'token' }, next);
  },

  calls: {
    request(s) {
      s.wanting = true;
    },
    release(s, p) {
      s.wanting = false;
      s.token = false;
      p.send(next, { type: 'token' });
    },
  },

  on: {
    token(s, p, m) {
      s.token = s.wanting;
      if (s.wanting) p.emit({ type: 'entered' });
      else p.send(next, m);
    },
  },

  token: { isHeld: (s) => s.token, isIn: () => true },
  invariants: {
    'one token': ({ states, inFlight }) => states.filter((s) => s.token).length + inFlight.length === 1,
  },
};
