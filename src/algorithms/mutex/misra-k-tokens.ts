// J. Misra: Detecting Termination of Distributed Computations Using Markers. PODC 1983, 290-294. Our generalisation from two
// tokens to k: only token a watches token a+1 modulo k, since two watchers would both regenerate it. The privilege is tied to
// token 0, the only token that stops at a process. The catalogue has k = 3; `kTokens` accepts any k >= 2.

import { type Algorithm, next, type Process } from '../../core/algorithm.ts';
import { atLeast, synchronisationDelay } from '../../core/bounds.ts';

type Knows = ['id', 'root'];

/** The process that made the token, the token's number at that process, and how often it has met the token it watches. */
type Stamp = readonly [by: number, number: number, meetings: number];
type State = {
  root: boolean;
  m: (Stamp | null)[]; // the stamp of each token when last here; null once the token it watches has passed
  zero: Stamp | null; // the stamp of token 0 while it is here
  made: number;
  wanting: boolean;
};
type Message = { type: 'token'; a: number; stamp: Stamp };
type P = Process<'mutex', Message, Knows>;

const met = ([by, number, meetings]: Stamp): Stamp => [by, number, meetings + 1];
const isSame = (m: Stamp | null, stamp: Stamp) => m?.every((part, i) => part === stamp[i]) ?? false;

/** Returns the stamp of a new token, which no process has seen. */
const fresh = (s: State, p: P): Stamp => {
  s.made += 1;
  return [p.id, s.made, 0];
};

/**
 * Returns the algorithm with k tokens, at least two. It survives the loss of tokens as long as one is left.
 * @param stampOfNew returns the stamp of a new token. Defaults to one that no process has seen.
 * @example
 * import { kTokens } from 'batonjs/algorithms';
 * import { simulate } from 'batonjs-lab/sim';
 *
 * const faults = [{ type: 'lose', message: 0 }] as const; // token 0
 * simulate(kTokens('four-tokens', 4), { n: 5, faults }).ok; // → true
 */
export const kTokens = (
  name: string,
  k: number,
  stampOfNew = fresh,
): Algorithm<'mutex', State, Message, Knows> => {
  function pass(s: State, p: P, a: number, stamp: Stamp) {
    if (a !== 0 || !s.wanting) p.send(next, { type: 'token', a, stamp });
    else {
      s.zero = stamp;
      p.emit({ type: 'entered' });
    }
  }

  return {
    name,
    problem: 'mutex',
    paper: 'doi:10.1145/800221.806729',
    assumes: { topology: 'ring', channels: 'fifo', failures: 'token loss', timing: 'asynchronous' },
    knows: ['id', 'root'],
    messages: { token: { a: { below: k }, stamp: ['count', 'count', 'count'] } },
    perpetual: true,
    bounds: [
      atLeast(['token'], '0', 'the tokens move on whether somebody asks or not', () => 0),
      synchronisationDelay.atLeast('T', '1 to n-1 hops', ({ T }) => T),
      synchronisationDelay.atMost('(n-1)T', '1 to n-1 hops', ({ n, T }) => (n - 1) * T),
    ],
    bypass: [
      {
        from: 'request',
        formula: '(a-1)(l+1)',
        source: 'once a turn; after each of l losses token 0 may begin anywhere',
        entries: ({ initiators, lost }) => Math.max(0, initiators - 1) * (lost + 1),
      },
    ],
    init: ({ root }) => ({ root, m: Array(k).fill(null), zero: null, made: 0, wanting: false }),

    begin(s, p) {
      for (let a = 0; s.root && a < k; a += 1) pass(s, p, a, stampOfNew(s, p));
    },

    calls: {
      request(s) {
        s.wanting = true;
      },
      release(s, p) {
        s.wanting = false;
        p.send(next, { type: 'token', a: 0, stamp: s.zero! });
        s.zero = null;
      },
    },

    on: {
      token(s, p, { a, stamp }) {
        const watched = (a + 1) % k;
        const watcher = (a + k - 1) % k;
        const isLost = isSame(s.m[a]!, stamp); // neither we nor a met the watched token since a was here
        const theyMeet = isLost || (watched === 0 && s.zero !== null);
        if (!isLost) s.m[a] = stamp;
        s.m[watcher] = null;
        pass(s, p, a, theyMeet ? met(stamp) : stamp);
        if (isLost) pass(s, p, watched, stampOfNew(s, p));
      },
    },

    token: { isHeld: (s) => s.zero !== null, isIn: (m) => m.a === 0 },
    invariants: {
      'at most one of each token': ({ states, inFlight }) =>
        Array.from({ length: k }).every((_, a) => {
          const resting = a === 0 ? states.filter((s) => s.zero !== null).length : 0;
          return resting + inFlight.filter(({ message }) => message.a === a).length <= 1;
        }),
    },
  };
};

/** Misra (1983), generalised to three tokens, each of which regenerates the next; the tokens circulate without end. */
export const misraKTokens = kTokens('misra-k-tokens', 3);
