// F. Cristian: Probabilistic Clock Synchronization. Distributed Computing 3(3):146-158, 1989.
// A client asks the time server, and assumes that the answer is half a round trip old. A shorter round trip leaves a smaller error,
// so the client keeps the best of several samples. The paper's 2 rho, the rate at which two clocks drift apart, is `drift`.

import type { Algorithm, Process } from '../../core/algorithm.ts';
import { exactly } from '../../core/bounds.ts';
import { bestSample, errorBound, type Sample, sampleOf } from '../../core/ntp-sample.ts';

type Knows = ['parent', 'minDelay', 'drift']; // the parent is the time server; null at the server itself

const init = () => ({
  T0: 0, // when we last asked
  samples: [] as Sample[],
});

type State = ReturnType<typeof init>;
type Message = { type: 'ask' } | { type: 'tell'; time: number };
type P = Process<'clocks', Message, Knows>;

const enough = 4; // samples

function ask(s: State, p: P, now: number) {
  s.T0 = now;
  p.send(p.parent!, { type: 'ask' });
}

export const asking = (
  name: string,
  choose: typeof bestSample,
): Algorithm<'clocks', State, Message, Knows> => ({
  name,
  problem: 'clocks',
  paper: 'doi:10.1007/BF01784024',
  assumes: { topology: 'complete', channels: 'unordered', failures: 'none', timing: 'asynchronous' },
  knows: ['parent', 'minDelay', 'drift'],
  synchronises: { to: 'root', begins: 'others' },
  bounds: [exactly(['ask', 'tell'], '2k', 'two per sample, k = 4', () => 2 * enough)],
  init,

  calls: {
    synchronise(s, p) {
      s.samples = [];
      if (p.parent !== null) ask(s, p, p.clock());
    },
  },

  on: {
    ask: (_s, p, _m, client) => p.send(client, { type: 'tell', time: p.clock() }),

    // The age of the answer is between minDelay and the round trip minus minDelay. The clocks drift apart from T0 on.
    tell(s, p, { time }) {
      const T1 = p.clock();
      s.samples.push({ ...sampleOf([s.T0, time, time, T1]), at: s.T0 });
      if (s.samples.length < enough) return ask(s, p, T1);
      const sample = choose(s.samples, T1, p.drift)!;
      const within = errorBound(sample, T1, p.drift) - p.minDelay;
      p.emit({ type: 'adjust', offset: sample.offset, within });
    },
  },
});

/** Cristian (1989): clients ask a time server and keep the best of four samples; 8 messages per synchronisation. */
export const cristian = asking('cristian', bestSample);
