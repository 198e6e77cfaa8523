import { helaryPlouzeauRaynalComplete as complete } from '../algorithms/mutex/helary-plouzeau-raynal-complete.ts';
import type { Mutant } from './mutant.ts';

const { calls, on } = complete;

export const helaryPlouzeauRaynalCompleteCounters: Mutant = {
  ...complete,
  name: 'helary-plouzeau-raynal-complete-counters',
  of: 'helary-plouzeau-raynal-complete',
  lie: "a request carries a counter of its creator's own, as in ricart-agrawala-token: a request that is received does not move the clock",
  failingRun: {
    n: '4',
    start: '0@0,1@1,2@6,3@6',
    entries: '3',
    think: 'fixed:0',
    hold: 'fixed:3',
    latency: 'fixed:1',
  },
  on: {
    ...on,
    request(s, p, m, j) {
      const { C, inCS } = s;
      s.inCS = true; // the token stays until the clock is what it was
      on.request(s, p, m, j);
      s.C = C;
      s.inCS = inCS;
      if (s.lud !== null && !inCS) calls.release(s, p);
    },
  },
};

export const helaryPlouzeauRaynalCompleteLetsGo: Mutant = {
  ...complete,
  name: 'helary-plouzeau-raynal-complete-lets-go',
  of: 'helary-plouzeau-raynal-complete',
  lie: 'a process that is inside gives the token away when a request comes',
  failingRun: { n: '3', entries: '2', hold: 'fixed:20' },
  calls: {
    ...calls,
    release(s, p) {
      s.inCS = false;
      if (s.lud !== null) calls.release(s, p);
    },
  },
  on: {
    ...on,
    request(s, p, m, j) {
      const { inCS } = s;
      s.inCS = false;
      on.request(s, p, m, j);
      s.inCS = inCS;
    },
  },
};

export const helaryPlouzeauRaynalCompleteNoTick: Mutant = {
  ...complete,
  name: 'helary-plouzeau-raynal-complete-no-tick',
  of: 'helary-plouzeau-raynal-complete',
  lie: 'the clock does not tick when the token is given away (line A): the next request can look served',
  calls: { ...calls, release: (s, p) => withoutTick(s, () => calls.release(s, p)) },
  on: { ...on, request: (s, p, m, j) => withoutTick(s, () => on.request(s, p, m, j)) },
};

/** Calls `run`, and takes the tick back if the token has left. */
const withoutTick = (s: Parameters<Mutant['calls'][string]>[0], run: () => void): void => {
  const hadToken = s.lud !== null;
  run();
  if (hadToken && s.lud === null) s.C -= 1;
};
