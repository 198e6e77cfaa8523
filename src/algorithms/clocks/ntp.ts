// D. L. Mills: Internet Time Synchronization: The Network Time Protocol. IEEE Transactions on Communications 39(10):1482-1493, 1991.
// A process asks its parent, whose stratum is one less, and keeps the last eight samples. It ranks samples by their distance to the root:
// half the delay plus the parent's own distance. A parent answers only once it is synchronised; the four timestamps allow for that wait.

import type { Address, Algorithm, Facts, Process } from '../../core/algorithm.ts';
import { exactly } from '../../core/bounds.ts';
import { bestSample, clockFilter, errorBound, type Sample, sampleOf } from '../../core/ntp-sample.ts';

type Knows = ['parent', 'drift']; // we ask the parent; null at the root, whose time is right

const init = ({ parent }: Facts<Knows>) => ({
  stratum: parent === null ? 1 : null, // null: not synchronised
  samples: [] as readonly Sample[],
  chosen: { offset: 0, delay: 0, at: 0 } as Sample, // the parent's time relative to our hardware clock
  T1: null as number | null, // when we asked; null once answered
  asked: [] as { by: Address; T1: number; T2: number }[], // polls that we have not answered yet
});

type State = ReturnType<typeof init>;
type Message =
  | { type: 'poll'; T1: number }
  | { type: 'reply'; T1: number; T2: number; T3: number; stratum: number; distance: number };
type P = Process<'clocks', Message, Knows>;

/** Returns the largest error of our time relative to the root, at time `now` of our hardware clock. */
const distance = (s: State, p: P, now: number) =>
  p.parent === null ? 0 : errorBound(s.chosen, now, p.drift);

function reply(s: State, p: P) {
  for (const { by, T1, T2 } of s.asked) {
    const T3 = p.clock();
    const { offset } = s.chosen;
    p.send(by, {
      type: 'reply',
      T1,
      T2: T2 + offset,
      T3: T3 + offset,
      stratum: s.stratum!,
      distance: distance(s, p, T3) + p.drift * (T3 - T2),
    });
  }
  s.asked = [];
}

export const exchanging = (
  name: string,
  filter: typeof bestSample,
): Algorithm<'clocks', State, Message, Knows> => ({
  name,
  problem: 'clocks',
  paper: 'doi:10.1109/26.103043',
  assumes: { topology: 'tree', channels: 'unordered', failures: 'none', timing: 'asynchronous' },
  knows: ['parent', 'drift'],
  addresses: { values: ['by'] },
  synchronises: { to: 'root', begins: 'others' },
  bounds: [exactly(['poll', 'reply'], '2', 'an exchange', () => 2)],
  init,

  calls: {
    synchronise(s, p) {
      if (p.parent === null) return;
      s.T1 = p.clock();
      p.send(p.parent, { type: 'poll', T1: s.T1 });
    },
  },

  on: {
    poll(s, p, { T1 }, child) {
      s.asked.push({ by: child, T1, T2: p.clock() });
      if (s.stratum !== null) reply(s, p);
    },
    reply(s, p, m) {
      if (m.T1 !== s.T1) return; // a duplicate, or the answer to another poll
      s.T1 = null;
      const T4 = p.clock();
      const { offset, delay } = sampleOf([m.T1, m.T2, m.T3, T4]);
      s.samples = clockFilter(s.samples, { offset, delay: delay + 2 * m.distance, at: m.T1 }); // the clocks drift apart from T1 on
      s.chosen = filter(s.samples, T4, p.drift)!;
      s.stratum = m.stratum + 1;
      p.emit({ type: 'adjust', offset: s.chosen.offset, within: distance(s, p, T4) });
      reply(s, p);
    },
  },
});

/** Mills (1991): NTP between clients and servers, stratum by stratum; 2 messages per synchronisation. */
export const ntp = exchanging('ntp', bestSample);
