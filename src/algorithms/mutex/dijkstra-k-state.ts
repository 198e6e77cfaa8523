// E. W. Dijkstra: Self-stabilizing Systems in Spite of Distributed Control. CACM 17(11):643-644, 1974: the solution with K-state machines.
// In message form: a machine cannot read its left neighbour, so it keeps a copy L of the last S it received. It sends its own S on every
// change, and again periodically, in case the message was lost or the copy was corrupted.

import { type Algorithm, type Facts, next, type Process, type World } from '../../core/algorithm.ts';
import { atLeast, eachOther, synchronisationDelay } from '../../core/bounds.ts';

type Knows = ['n', 'root'];

const init = ({ root }: Facts<Knows>) => ({
  root, // the exceptional machine
  S: 0,
  L: 0, // the last S received from the left neighbour
  wanting: false,
  inside: false,
});

type State = ReturnType<typeof init>;
type StateMessage = { type: 'state'; S: number };
type Message = StateMessage | { type: 'repeat' };
type P = Process<'mutex', Message, Knows>;

const pause = 20; // ticks between two repetitions anywhere on the ring; any number works

const isPrivileged = ({ root, S, L }: State) => root === (L === S);

/** Returns all values in ring order, from the root's own state to the copy that the root compares it with. */
function cells({ states, inFlight }: World<State, Message>): number[] {
  const root = states.findIndex((s) => s.root);
  return states.flatMap((_, k) => {
    const i = (root + k) % states.length;
    const underWay = inFlight.filter(({ from }) => from === i).map(({ message }) => message as StateMessage);
    return [states[i]!.S, ...underWay.map(({ S }) => S).reverse(), states[(i + 1) % states.length]!.L];
  });
}

export const kState = (name: string, K: (n: number) => number): Algorithm<'mutex', State, Message, Knows> => {
  function step(s: State, p: P) {
    if (s.inside || !isPrivileged(s)) return;
    if (s.wanting) {
      s.inside = true;
      p.emit({ type: 'entered' });
    } else {
      s.S = s.root ? (s.S + 1) % K(p.n) : s.L;
      p.send(next, { type: 'state', S: s.S });
    }
  }

  const begin = (_: State, p: P) => p.after(1, { type: 'repeat' });

  return {
    name,
    problem: 'mutex',
    paper: 'doi:10.1145/361179.361202',
    assumes: { topology: 'ring', channels: 'fifo', failures: 'corruption', timing: 'asynchronous' },
    knows: ['n', 'root'],
    messages: { state: { S: 'count' }, repeat: {} },
    timers: ['repeat'],
    perpetual: true,
    bounds: [
      atLeast(['state'], '0', 'states are sent whether somebody asks or not', () => 0),
      synchronisationDelay.atLeast('T', '1 to n-1 hops', ({ T }) => T),
      synchronisationDelay.atMost('(n-1)T', '1 to n-1 hops', ({ n, T }) => (n - 1) * T),
    ],
    bypass: [eachOther(1, 'request', 'once a turn')],
    init,
    begin,
    recover: begin,

    calls: {
      request(s, p) {
        s.wanting = true;
        step(s, p);
      },
      release(s, p) {
        s.wanting = false;
        s.inside = false;
        step(s, p);
      },
    },

    on: {
      state(s, p, { S }) {
        s.L = S;
        step(s, p);
      },
      repeat(s, p) {
        p.send(next, { type: 'state', S: s.S });
        step(s, p);
        p.after(pause * p.n, { type: 'repeat' });
      },
    },

    stabilises: {
      scramble(s, p) {
        s.S = p.choose(K(p.n));
        s.L = p.choose(K(p.n));
      },
      // There is one privilege, counting values in flight as machines, and a process that is inside holds it.
      legitimate(world) {
        const ring = cells(world);
        const moves = ring.filter((value, i) => (i === 0 ? value === ring.at(-1) : value !== ring[i - 1]));
        return moves.length === 1 && world.states.every((s) => !s.inside || isPrivileged(s));
      },
    },
  };
};

// A root value that no other cell holds drives out all others, so K must exceed the number of values elsewhere. That is at most 3n - 1, in
// n - 1 states, n copies and one message per channel; at most 2n + 1 if corruption hits a legitimate ring, with two values in flight.
/** Dijkstra (1974): K-state machines on a ring that recover from any corruption. States are sent without end, whether a process asks or not. */
export const dijkstraKState = kState('dijkstra-k-state', (n) => 3 * n + 1);
