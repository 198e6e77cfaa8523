// I. Suzuki, T. Kasami: A Distributed Mutual Exclusion Algorithm. ACM TOCS 3(4):344-349, 1985 (ICDCS 1982). Names are the
// paper's. RN[j] is the largest request number received from j, LN[j] that of j's last request served, Q the queue in the token.

import type { Address, Algorithm, Facts, Process, World } from '../../core/algorithm.ts';
import { atMost, eachOther, elementsOf, saturated, synchronisationDelay } from '../../core/bounds.ts';

type Knows = ['me', 'n', 'neighbours', 'root'];
type Privilege = { readonly LN: readonly number[]; readonly Q: readonly Address[] };

const init = ({ n, root }: Facts<Knows>) => ({
  RN: Array<number>(n).fill(0),
  privilege: root ? ({ LN: Array<number>(n).fill(0), Q: [] } as Privilege) : null,
  requesting: false,
});

type State = ReturnType<typeof init>;
type Message = { type: 'request'; n: number } | ({ type: 'privilege' } & Privilege);
type P = Process<'mutex', Message, Knows>;

function pass(s: State, p: P, j: Address, privilege: Privilege) {
  s.privilege = null;
  p.send(j, { type: 'privilege', ...privilege });
}

const privileges = ({ states, inFlight }: World<State, Message>): Privilege[] => [
  ...states.flatMap((s) => s.privilege ?? []),
  ...inFlight.flatMap(({ message }) => (message.type === 'privilege' ? message : [])),
];

const source = 'section 2';

/** Suzuki and Kasami (1985): requests to all, and a token that carries the queue; 0 or n messages per entry. */
export const suzukiKasami: Algorithm<'mutex', State, Message, Knows> = {
  name: 'suzuki-kasami',
  problem: 'mutex',
  paper: 'doi:10.1145/6110.214406',
  assumes: { topology: 'complete', channels: 'unordered', failures: 'none', timing: 'asynchronous' },
  knows: ['me', 'n', 'neighbours', 'root'],
  messages: { request: { n: 'count' }, privilege: { LN: 'count per process', Q: 'processes' } },
  addresses: { values: ['Q'], keys: ['RN', 'LN'] },
  bounds: [
    atMost(['request'], 'n-1', source, ({ n }) => n - 1),
    atMost(['privilege'], '1', source, () => 1),
    synchronisationDelay.exactly('T', 'the token goes to the next at once', ({ T }) => T, saturated),
    synchronisationDelay.atMost('2T', 'request, privilege', ({ T }) => 2 * T),
    elementsOf.atMost(['request'], '3', 'Raynal, 3.4: with the sender', () => 3),
    elementsOf.atLeast(['privilege'], 'n+1', 'Raynal, 3.4: and the queue', ({ n }) => n + 1),
    elementsOf.atMost(['privilege'], '2n-1', 'Q has neither the next nor the sender', ({ n }) => 2 * n - 1),
  ],
  bypass: [eachOther(1, 'heard', 'Q is FIFO')],
  init,

  calls: {
    // P1, until the wait
    request(s, p) {
      s.requesting = true;
      if (s.privilege !== null) {
        p.emit({ type: 'entered' });
        return;
      }
      s.RN[p.me]! += 1;
      for (const j of p.neighbours) p.send(j, { type: 'request', n: s.RN[p.me]! });
    },
    release(s, p) {
      s.requesting = false;
      const LN = s.privilege!.LN.with(p.me, s.RN[p.me]!);
      const asks = p.neighbours.filter((j) => !s.privilege!.Q.includes(j) && s.RN[j] === LN[j]! + 1);
      const [first, ...Q] = [...s.privilege!.Q, ...asks];
      if (first === undefined) s.privilege = { LN, Q };
      else pass(s, p, first, { LN, Q });
    },
  },

  on: {
    // P2
    request(s, p, { n }, j) {
      s.RN[j] = Math.max(s.RN[j]!, n);
      if (s.privilege === null || s.requesting) return;
      if (s.RN[j] === s.privilege.LN[j]! + 1) pass(s, p, j, s.privilege);
    },
    // P1, after the wait
    privilege(s, p, { LN, Q }) {
      s.privilege = { LN, Q };
      p.emit({ type: 'entered' });
    },
  },

  token: {
    isHeld: (s) => s.privilege !== null,
    isIn: (m) => m.type === 'privilege',
    next: (m) => (m.type === 'privilege' ? m.Q[0] : undefined),
  },
  invariants: {
    'one privilege': (world) => privileges(world).length === 1,
    'each has at most one request not served': (world) =>
      privileges(world).every(({ LN }) =>
        LN.every((served, j) => world.states[j]!.RN[j] === served || world.states[j]!.RN[j] === served + 1),
      ),
    'who is in Q waits, and is there once': (world) => {
      const isWaiting = (s: State) => s.requesting && s.privilege === null;
      return privileges(world).every(
        ({ Q }) => new Set(Q).size === Q.length && Q.every((j) => isWaiting(world.states[j]!)),
      );
    },
  },
};
