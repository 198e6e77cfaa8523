import { maekawa } from '../algorithms/mutex/maekawa.ts';
import type { Mutant } from './mutant.ts';

export const maekawaTellsOneOnly: Mutant = {
  ...maekawa,
  name: 'maekawa-tells-one-only',
  of: 'maekawa',
  lie: 'a request overtaken in the queue of an arbiter is not told FAILED (as in the paper, before Sanders 1987)',
  failingRun: { n: '4', seed: '106' },
  on: {
    ...maekawa.on,
    request(s, p, m, i) {
      const { waiting } = s;
      // The handler sends FAILED to the first waiter. We hide the waiters, then put them back behind the newcomer.
      const isOvertaken = s.locked !== null && waiting.length > 0 && isBefore({ t: m.t, i }, waiting[0]);
      if (!isOvertaken || !isBefore({ t: m.t, i }, s.locked)) {
        maekawa.on.request(s, p, m, i);
        return;
      }
      s.waiting = [];
      maekawa.on.request(s, p, m, i);
      s.waiting = [...s.waiting, ...waiting].sort((a, b) => (isBefore(a, b) ? -1 : 1));
    },
  },
};

type Stamp = { t: number; i: number };
const isBefore = (a: Stamp, b: Stamp) => a.t < b.t || (a.t === b.t && a.i < b.i);
