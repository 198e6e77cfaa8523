// M. Singhal: A Heuristically-Aided Algorithm for Mutual Exclusion in Distributed Systems. IEEE Trans. Computers 38(5):651-662,
// 1989. SV[j] is our belief about j: Requesting, Not requesting, Executing, Holding. SN[j] is its latest request number; TV and
// TN are the same in the token. It needs causal delivery: over FIFO channels alone a request can be stranded.

import type { Algorithm, Facts, Process } from '../../core/algorithm.ts';
import { atMost, eachOther, saturated, synchronisationDelay } from '../../core/bounds.ts';
import { countInFlight } from '../../core/world-queries.ts';

type Knows = ['me', 'n', 'neighbours'];
type Belief = 'R' | 'N' | 'E' | 'H';
type Token = { readonly TV: readonly Belief[]; readonly TN: readonly number[] };

// The staircase: initially each process asks all with smaller ids, and 0 holds the token.
const init = ({ me, n }: Facts<Knows>) => ({
  SV: Array.from({ length: n }, (_, j): Belief => (j === 0 && me === 0 ? 'H' : j < me ? 'R' : 'N')),
  SN: Array<number>(n).fill(0),
  token: me === 0 ? ({ TV: Array<Belief>(n).fill('N'), TN: Array<number>(n).fill(0) } as Token) : null,
});

type State = ReturnType<typeof init>;
type Message = { type: 'request'; sn: number } | ({ type: 'token' } & Token);
type P = Process<'mutex', Message, Knows>;

function enter(s: State, p: P) {
  s.SV[p.me] = 'E';
  p.emit({ type: 'entered' });
}

/** Singhal (1989): a token, and requests only to processes that may have it or will ask; 0 to n messages per entry. */
export const singhal: Algorithm<'mutex', State, Message, Knows> = {
  name: 'singhal',
  problem: 'mutex',
  paper: 'doi:10.1109/12.24268',
  assumes: { topology: 'complete', channels: 'causal', failures: 'none', timing: 'asynchronous' },
  knows: ['me', 'n', 'neighbours'],
  messages: {
    request: { sn: 'count' },
    token: { TV: { perProcess: ['R', 'N'] }, TN: 'count per process' },
  },
  addresses: { keys: ['SV', 'SN', 'TV', 'TN'] },
  bounds: [
    atMost(['request'], 'n-1', 'section V', ({ n }) => n - 1),
    atMost(['token'], '1', 'section V', () => 1),
    synchronisationDelay.exactly('T', 'the token goes to the next at once', ({ T }) => T, saturated),
  ],
  bypass: [eachOther(1, 'quiet', 'the scan goes round')],
  init,

  calls: {
    request(s, p) {
      if (s.SV[p.me] === 'H') {
        enter(s, p);
        return;
      }
      s.SV[p.me] = 'R';
      s.SN[p.me]! += 1;
      for (const j of p.neighbours) if (s.SV[j] === 'R') p.send(j, { type: 'request', sn: s.SN[p.me]! });
    },
    release(s, p) {
      let TV = s.token!.TV.with(p.me, 'N');
      let TN = s.token!.TN.with(p.me, s.SN[p.me]!);
      s.SV[p.me] = 'N';
      for (const j of p.neighbours) {
        if (s.SN[j]! > TN[j]!) {
          TV = TV.with(j, s.SV[j]!);
          TN = TN.with(j, s.SN[j]!);
        } else {
          s.SV[j] = TV[j]!;
          s.SN[j] = TN[j]!;
        }
      }
      s.token = { TV, TN };
      for (let d = 1; d < p.n; d += 1) {
        const j = (p.me + d) % p.n;
        if (s.SV[j] !== 'R') continue;
        s.token = null;
        p.send(j, { type: 'token', TV, TN });
        return;
      }
      s.SV[p.me] = 'H';
    },
  },

  on: {
    request(s, p, { sn }, j) {
      if (sn <= s.SN[j]!) return; // outdated
      s.SN[j] = sn;
      if (s.SV[p.me] === 'H') {
        s.SV[j] = 'R';
        s.SV[p.me] = 'N';
        const { TV, TN } = s.token!;
        s.token = null;
        p.send(j, { type: 'token', TV: TV.with(j, 'R'), TN: TN.with(j, sn) });
      } else if (s.SV[p.me] === 'R' && s.SV[j] !== 'R') {
        s.SV[j] = 'R';
        p.send(j, { type: 'request', sn: s.SN[p.me]! });
      } else s.SV[j] = 'R';
    },
    token(s, p, { TV, TN }) {
      s.token = { TV, TN };
      enter(s, p);
    },
  },

  token: { isHeld: (s) => s.token !== null, isIn: (m) => m.type === 'token' },
  invariants: {
    'one token': (world) =>
      world.states.filter((s) => s.token !== null).length + countInFlight(world, 'token') === 1,
    'of any two, one believes that the other asks, or a request is on its way between them': (world) =>
      world.states.every((s, i) =>
        world.states.every((t, j) => {
          const requests =
            countInFlight(world, 'request', { from: i, to: j }) +
            countInFlight(world, 'request', { from: j, to: i });
          return i === j || s.SV[j] === 'R' || t.SV[i] === 'R' || requests > 0;
        }),
      ),
  },
};
