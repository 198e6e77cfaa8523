// A. Itai, M. Rodeh: Symmetry Breaking in Distributive Networks. FOCS 1981, 150-158; Information and Computation 88 (1990), 60-87: the
// synchronous ring. In the paper all processes begin together and a hop takes one unit, so the time tells a process its own pebble. Here a
// process starts at any time and delays vary up to D = maxDelay: a wakeup goes round first, a phase lasts 2nD, and a pebble counts its hops.

import { type Algorithm, type Facts, next, type Process } from '../../core/algorithm.ts';
import { atLeast, atMost, bitsOf, busiestShare, exactly, onAverage } from '../../core/bounds.ts';

const init = ({ n }: Facts<['n']>) => ({
  state: 'asleep' as 'asleep' | 'awake' | 'done',
  a: n, // the number of active processes
  active: true,
  candidate: false, // in this phase
  count: 0, // of pebbles in this phase
});

type State = ReturnType<typeof init>;
type Timer = { type: 'launch' } | { type: 'end' } | { type: 'learn' };
type Message = { type: 'wakeup' } | { type: 'pebble'; hop: number } | Timer;
type P = Process<'election', Message, ['n', 'maxDelay']>;

/** Pebbles are launched when the slowest process has begun the phase: wakeups take less than nD. */
const newPhase = (p: P) => p.after(p.n * p.maxDelay, { type: 'launch' });

function wake(s: State, p: P) {
  if (s.state !== 'asleep') return;
  s.state = 'awake';
  p.send(next, { type: 'wakeup' });
  newPhase(p);
}

const most = 64; // candidates: the probability of more is below 10^-88

/** Returns the mean number of candidates over all phases, with a active processes: V(a) = sum of P(c)(c + V(c)), where V(0) is V(a) again. */
export function meanCandidates(a: number): number {
  const V = [0, 1];
  const mean = (m: number) => {
    let probability = (1 - 1 / m) ** m; // of c candidates, each with probability 1/m
    let isRepeated = probability; // nobody, or all of them: m processes stay active
    let sum = 0;
    for (let c = 1; c <= Math.min(m, most); c += 1) {
      probability *= (m - c + 1) / c / (m - 1);
      sum += probability * (c + (c > 1 && c < m ? V[c]! : 0));
      if (c === m) isRepeated += probability;
    }
    return sum / (1 - isRepeated);
  };
  for (let m = 2; m <= Math.min(a, most); m += 1) V.push(mean(m));
  return V[a] ?? mean(a);
}

/** Itai and Rodeh (1981), synchronous: anonymous processes become candidates by chance, and count them; less than 3n messages expected, and n wakeups. */
export const itaiRodehSynchronous: Algorithm<'election', State, Message, ['n', 'maxDelay']> = {
  name: 'itai-rodeh-synchronous',
  problem: 'election',
  paper: 'doi:10.1109/SFCS.1981.41',
  assumes: { topology: 'ring', channels: 'unordered', failures: 'none', timing: 'synchronous' },
  knows: ['n', 'maxDelay'],
  elects: 'any',
  timers: ['launch', 'end', 'learn'],
  bounds: [
    exactly(['wakeup'], 'n', 'by the rules: a lap of wakeups', ({ n }) => n),
    atLeast(['pebble'], 'n', 'by the rules: one candidate', ({ n }) => n),
    atMost(['pebble'], 'none; nV(n) expected', 'candidates may be many, again and again', () => Infinity),
    onAverage(
      ['pebble'],
      'nV(n), V(n) < 2.45',
      'by the rules: V(a) = sum of P(c)(c + V(c))',
      ({ n }) => n * meanCandidates(n),
    ),
    busiestShare.exactly('1/n', 'by the rules: all messages go round whole', ({ n }) => 1 / n),
    bitsOf.exactly(['wakeup'], '0', 'the type says all', () => 0),
    bitsOf.atMost(['pebble'], 'd(n)', 'hops up to n, in binary', ({ n }) => n.toString(2).length),
  ],
  init,

  calls: { start: wake },

  on: {
    wakeup: wake,
    launch(s, p) {
      s.candidate = s.active && p.choose(s.a) === 0;
      if (s.candidate) p.send(next, { type: 'pebble', hop: 1 });
      p.after(p.n * p.maxDelay, { type: 'end' });
    },
    pebble(s, p, { hop }) {
      s.count += 1;
      if (hop < p.n) p.send(next, { type: 'pebble', hop: hop + 1 });
    },
    end(s, p) {
      if (s.count > 0) {
        s.a = s.count;
        s.active = s.candidate;
      }
      if (s.count === 1) {
        s.state = 'done';
        if (s.active) p.emit({ type: 'elected', leader: 'me' });
        else p.after(p.n * p.maxDelay, { type: 'learn' }); // when the leader knows, too
      } else newPhase(p);
      s.count = 0;
      s.candidate = false;
    },
    learn: (_s, p) => p.emit({ type: 'elected', leader: 'another' }),
  },

  invariants: {
    'nobody sleeps while a pebble travels': ({ states, inFlight }) =>
      states.every(({ state }) => state !== 'asleep') ||
      inFlight.every(({ message }) => message.type !== 'pebble'),
    'when all know the same number, that many are active': ({ states }) => {
      const { a } = states[0]!;
      return states.some((s) => s.a !== a) || states.filter(({ active }) => active).length === a;
    },
  },
};
