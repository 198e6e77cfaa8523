// G. Ricart, A. K. Agrawala: author response to [Carvalho, Roucairol]. CACM 26(2):147-148, 1983, in the form of Raynal, chapter
// 2, section 3.4. Corrected: the scan compares P_l's request with P_l's own entry of the token (3.3 has the holder's). A process
// takes and holds the token in one step; otherwise it could pass the token on for a request handled in between, and still enter.

import type { Algorithm, Facts, Process } from '../../core/algorithm.ts';
import { atMost, eachOther, elementsOf, saturated, synchronisationDelay } from '../../core/bounds.ts';
import { countInFlight } from '../../core/world-queries.ts';

type Knows = ['me', 'n', 'neighbours', 'root'];

const init = ({ n, root }: Facts<Knows>) => ({
  clock: 0, // the number of our last request
  token: root ? Array<number>(n).fill(0) : null, // the clock of each process when it last held the token; null: not here
  tokenHeld: false,
  request: Array<number>(n).fill(0), // the last request number of each process
});

type State = ReturnType<typeof init>;
type Message = { type: 'request'; k: number } | { type: 'access'; token: readonly number[] };
type P = Process<'mutex', Message, Knows>;

function enter(s: State, p: P) {
  s.tokenHeld = true;
  p.emit({ type: 'entered' });
}

function postlude(s: State, p: P) {
  const token = s.token!;
  token[p.me] = s.clock;
  for (let d = 1; d < p.n; d += 1) {
    const l = (p.me + d) % p.n;
    if (s.request[l]! <= token[l]!) continue;
    s.token = null;
    p.send(l, { type: 'access', token });
    return;
  }
}

const raynal = 'Raynal, chapter 2, section 3.6';

/** Ricart and Agrawala (1983): requests to all, and a token with the number of the last one served; 0 or n messages per entry. */
export const ricartAgrawalaToken: Algorithm<'mutex', State, Message, Knows> = {
  name: 'ricart-agrawala-token',
  problem: 'mutex',
  paper: 'doi:10.1145/358024.358057',
  assumes: { topology: 'complete', channels: 'unordered', failures: 'none', timing: 'asynchronous' },
  knows: ['me', 'n', 'neighbours', 'root'],
  messages: { request: { k: 'count' }, access: { token: 'count per process' } },
  addresses: { keys: ['token', 'request'] },
  bounds: [
    atMost(['request'], 'n-1', raynal, ({ n }) => n - 1),
    atMost(['access'], '1', raynal, () => 1),
    synchronisationDelay.exactly('T', 'the token goes to the next at once', ({ T }) => T, saturated),
    synchronisationDelay.atMost('2T', 'request, access', ({ T }) => 2 * T),
    elementsOf.atMost(['request'], '3', 'Raynal, 3.4: with the sender', () => 3),
    elementsOf.exactly(['access'], 'n+1', 'Raynal, 3.4', ({ n }) => n + 1),
  ],
  bypass: [eachOther(1, 'heard', 'Raynal, section 3.5: the scan goes round')],
  init,

  calls: {
    // Prelude
    request(s, p) {
      if (s.token !== null) enter(s, p);
      else {
        s.clock += 1;
        for (const j of p.neighbours) p.send(j, { type: 'request', k: s.clock });
      }
    },
    release(s, p) {
      s.tokenHeld = false;
      postlude(s, p);
    },
  },

  on: {
    request(s, p, { k }, j) {
      s.request[j] = Math.max(s.request[j]!, k);
      if (s.token !== null && !s.tokenHeld) postlude(s, p);
    },
    access(s, p, { token }) {
      s.token = [...token];
      enter(s, p);
    },
  },

  token: { isHeld: (s) => s.token !== null, isIn: (m) => m.type === 'access' },
  invariants: {
    'one token': (world) =>
      world.states.filter((s) => s.token !== null).length + countInFlight(world, 'access') === 1,
    'held only where it is': ({ states }) => states.every((s) => !s.tokenHeld || s.token !== null),
    'who has not heard of a request has it on its way': (world) =>
      world.states.every(({ request }, i) =>
        world.states.every((s, j) => {
          const hasHeard = i === j || request[j] === s.clock;
          return hasHeard || countInFlight(world, 'request', { from: j, to: i }) > 0;
        }),
      ),
  },
};
