// R. Gusella, S. Zatti: The Accuracy of the Clock Synchronization Achieved by TEMPO in Berkeley UNIX 4.3BSD. IEEE Transactions on
// Software Engineering 15(7):847-853, 1989. No clock is right: a master reads all clocks, averages those that agree, and sends each
// slave its difference from the average. Its own reading counts like any other. It leaves out slaves that do not answer in time.

import type { Address, Algorithm, Process } from '../../core/algorithm.ts';
import { exactly, nobodyCrashes } from '../../core/bounds.ts';
import { errorBound, type Sample, sampleOf } from '../../core/ntp-sample.ts';

type Knows = ['me', 'neighbours', 'root', 'maxDelay', 'minDelay', 'drift']; // the root is the master

const init = () => ({
  offset: 0, // added to our hardware clock
  round: null as string | null, // the round in which we last polled or were polled
  read: 0, // our hardware clock at that moment
  samples: null as { [slave: Address]: Sample } | null, // at the master while it polls
});

type State = ReturnType<typeof init>;
type Message =
  | { type: 'poll'; round: string }
  | { type: 'answer'; round: string; time: number }
  | { type: 'correct'; round: string; by: number; within: number }
  | { type: 'enough' };
type P = Process<'clocks', Message, Knows>;

/** Returns the mean, in whole nanoseconds, of the largest set in which no two differ by more than gamma; ties go to the lowest set. */
export function faultTolerantAverage(differences: readonly number[], gamma: number): number {
  const sorted = [...differences].sort((a, b) => a - b);
  let largest: number[] = [];
  for (const [i, first] of sorted.entries()) {
    const near = sorted.slice(i).filter((difference) => difference - first <= gamma);
    if (near.length > largest.length) largest = near;
  }
  return Math.round(largest.reduce((a, b) => a + b) / largest.length);
}

function correct(s: State, p: P, by: number, within: number) {
  s.offset += by;
  p.emit({ type: 'adjust', offset: s.offset, within, round: s.round! });
}

function finish(s: State, p: P, gamma: number) {
  const samples = Object.entries(s.samples!);
  s.samples = null;
  p.cancel('enough');
  const average = faultTolerantAverage([0, ...samples.map(([, { offset }]) => offset)], gamma);
  correct(s, p, average, 0);
  for (const [j, sample] of samples) {
    const within = errorBound(sample, sample.at + sample.delay, p.drift) - p.minDelay; // the error of the reading
    p.send(Number(j), { type: 'correct', round: s.round!, by: average - sample.offset, within });
  }
}

/** Returns the algorithm that expects correct clocks to differ by at most gamma. */
export const averaging = (name: string, gamma: number): Algorithm<'clocks', State, Message, Knows> => ({
  name,
  problem: 'clocks',
  paper: 'doi:10.1109/32.29484',
  assumes: { topology: 'complete', channels: 'unordered', failures: 'lies', timing: 'bounded' },
  knows: ['me', 'neighbours', 'root', 'maxDelay', 'minDelay', 'drift'],
  addresses: { keys: ['samples'] },
  synchronises: { to: 'each other', begins: 'root' },
  timers: ['enough'],
  bounds: [
    exactly(
      ['poll', 'answer', 'correct'],
      '3(n-1)',
      'the master asks all, each answers and is told its offset',
      ({ n }) => 3 * (n - 1),
      nobodyCrashes,
    ),
  ],
  init,

  calls: {
    synchronise(s, p) {
      if (!p.root || s.samples !== null) return;
      s.read = p.clock();
      s.round = `${p.me}@${s.read}`; // unique
      s.samples = {};
      for (const j of p.neighbours) p.send(j, { type: 'poll', round: s.round });
      if (p.neighbours.length === 0) finish(s, p, gamma);
      else p.after(2 * p.maxDelay, { type: 'enough' });
    },
  },

  on: {
    poll(s, p, { round }, master) {
      if (s.samples !== null) p.cancel('enough'); // there is another master
      s.samples = null;
      s.round = round;
      s.read = p.clock();
      p.send(master, { type: 'answer', round, time: s.read + s.offset });
    },
    answer(s, p, { round, time }, slave) {
      if (s.samples === null || round !== s.round) return;
      const [T0, T1] = [s.read + s.offset, p.clock() + s.offset];
      s.samples[slave] = { ...sampleOf([T0, time, time, T1]), at: T0 };
      if (Object.keys(s.samples).length === p.neighbours.length) finish(s, p, gamma);
    },
    correct(s, p, { round, by, within }) {
      if (round === s.round) correct(s, p, by, within + p.drift * (p.clock() - s.read));
    },
    enough: (s, p) => finish(s, p, gamma),
  },
});

/** Gusella and Zatti (1989): a master averages the clocks that agree within two seconds; 3(n-1) messages per synchronisation. */
export const berkeley = averaging('berkeley', 2e9);
