// J. Misra: Detecting Termination of Distributed Computations Using Markers. PODC 1983, 290-294, in the form of Raynal, chapter
// 2, section 4.2: two tokens, each of which detects the loss of the other. Only ping carries the privilege. Corrected: the
// counters run through 1 .. n+1 (printed: modulo n+1, whose 0 makes ping and pong look alike), and channels must be FIFO.

import { type Algorithm, type Facts, next, type Process } from '../../core/algorithm.ts';
import { alone, atLeast, eachOther, synchronisationDelay, waitingTime } from '../../core/bounds.ts';
import { countInFlight } from '../../core/world-queries.ts';

type Knows = ['n', 'root'];

const init = ({ root }: Facts<Knows>) => ({
  root,
  m: 0, // the number of the last token that passed; negative for pong
  ping: null as number | null, // its number while it is here
  wanting: false,
});

type State = ReturnType<typeof init>;
type Message = { type: 'ping'; v: number } | { type: 'pong'; v: number };
type P = Process<'mutex', Message, Knows>;

export const pingPong = (
  name: string,
  successor: (v: number, n: number) => number,
): Algorithm<'mutex', State, Message, Knows> => {
  // Enters with ping, or forwards it.
  function takePing(s: State, p: P, v: number) {
    if (!s.wanting) p.send(next, { type: 'ping', v });
    else {
      s.ping = v;
      p.emit({ type: 'entered' });
    }
  }

  return {
    name,
    problem: 'mutex',
    paper: 'doi:10.1145/800221.806729',
    assumes: { topology: 'ring', channels: 'fifo', failures: 'token loss', timing: 'asynchronous' },
    knows: ['n', 'root'],
    messages: { ping: { v: 'count' }, pong: { v: 'count' } },
    perpetual: true,
    bounds: [
      atLeast(['ping'], '0', 'the tokens move on whether somebody asks or not', () => 0),
      atLeast(['pong'], '0', 'the tokens move on whether somebody asks or not', () => 0),
      synchronisationDelay.atLeast('T', '1 to n-1 hops', ({ T }) => T),
      synchronisationDelay.atMost('(n-1)T', '1 to n-1 hops', ({ n, T }) => (n - 1) * T),
      waitingTime.atMost('nT', 'it may just have left', ({ n, T }) => n * T, alone),
    ],
    bypass: [eachOther(1, 'request', 'once a turn; a lost ping comes back where it was going')],
    init,

    // Both tokens start at one process, and count as having met.
    begin(s, p) {
      if (!s.root) return;
      p.send(next, { type: 'pong', v: 1 });
      takePing(s, p, 1);
    },

    calls: {
      request(s) {
        s.wanting = true;
      },
      release(s, p) {
        s.wanting = false;
        p.send(next, { type: 'ping', v: s.ping! });
        s.ping = null;
      },
    },

    on: {
      ping(s, p, { v }) {
        if (s.m !== v) s.m = v;
        else {
          v = successor(v, p.n); // neither we nor ping met pong since ping was here: pong is lost
          p.send(next, { type: 'pong', v });
        }
        takePing(s, p, v);
      },
      pong(s, p, { v }) {
        const isPingLost = s.m === -v;
        if (!isPingLost) s.m = -v;
        if (isPingLost || s.ping !== null) v = successor(v, p.n);
        if (s.ping !== null) s.ping = v; // they meet
        p.send(next, { type: 'pong', v });
        if (isPingLost) takePing(s, p, v);
      },
    },

    token: { isHeld: (s) => s.ping !== null, isIn: (m) => m.type === 'ping' },
    invariants: {
      'at most one ping, at most one pong': (world) =>
        world.states.filter((s) => s.ping !== null).length + countInFlight(world, 'ping') <= 1 &&
        countInFlight(world, 'pong') <= 1,
      'both have the same number': ({ states, inFlight }) => {
        const numbers = [...states.flatMap((s) => s.ping ?? []), ...inFlight.map(({ message }) => message.v)];
        return new Set(numbers).size <= 1;
      },
    },
  };
};

/** Misra (1983): two tokens on a ring, each of which regenerates the other if it is lost; the tokens circulate without end. */
export const misra = pingPong('misra', (v, n) => (v % (n + 1)) + 1);
