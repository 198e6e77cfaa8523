import { helaryPlouzeauRaynal } from '../algorithms/mutex/helary-plouzeau-raynal.ts';
import type { Mutant } from './mutant.ts';

export const helaryPlouzeauRaynalForgets: Mutant = {
  ...helaryPlouzeauRaynal,
  name: 'helary-plouzeau-raynal-forgets',
  of: 'helary-plouzeau-raynal',
  lie: 'a request that was served and deleted is accepted again when a late copy comes (ER-22, as printed in RR-0496, 4.3)',
  failingRun: {
    n: '6',
    topology: 'ring',
    root: '3',
    start: '0@0',
    latency: 'fixed:1',
    slow: '0-5:100,4-5:100,3-4:1000',
  },
  on: {
    ...helaryPlouzeauRaynal.on,
    request(s, p, m, j) {
      if (s.reqArray[m.origin] === undefined) delete s.youngest[m.origin];
      helaryPlouzeauRaynal.on.request(s, p, m, j);
    },
  },
};

export const helaryPlouzeauRaynalLetsGo: Mutant = {
  ...helaryPlouzeauRaynal,
  name: 'helary-plouzeau-raynal-lets-go',
  of: 'helary-plouzeau-raynal',
  lie: 'who is inside gives the token away when a request comes',
  on: {
    ...helaryPlouzeauRaynal.on,
    request(s, p, m, j) {
      const { inCS } = s;
      s.inCS = false;
      helaryPlouzeauRaynal.on.request(s, p, m, j);
      s.inCS = inCS;
    },
  },
};

export const helaryPlouzeauRaynalByName: Mutant = {
  ...helaryPlouzeauRaynal,
  name: 'helary-plouzeau-raynal-by-name',
  of: 'helary-plouzeau-raynal',
  lie: 'pending requests are ordered by origin, then time: large names starve (ER-20, as printed in RR-0496, 4.3)',
  calls: {
    ...helaryPlouzeauRaynal.calls,
    release: (s, p) => byName(s, () => helaryPlouzeauRaynal.calls.release(s, p)),
  },
  on: {
    ...helaryPlouzeauRaynal.on,
    request: (s, p, m, j) => byName(s, () => helaryPlouzeauRaynal.on.request(s, p, m, j)),
  },
};

/** Calls `run` with every request hidden whose origin is larger than the smallest eligible one. */
const byName = (s: Parameters<Mutant['calls'][string]>[0], run: () => void): void => {
  const pending = Object.keys(s.reqArray).map(Number);
  const chosen =
    s.lud === null ? undefined : pending.find((origin) => (s.lud[origin] ?? -1) < s.reqArray[origin].time);
  const hidden = pending
    .filter((origin) => chosen !== undefined && origin > chosen)
    .map((origin) => [origin, s.reqArray[origin]]);
  for (const [origin] of hidden) delete s.reqArray[origin];
  run();
  for (const [origin, request] of hidden) s.reqArray[origin] ??= request;
};
