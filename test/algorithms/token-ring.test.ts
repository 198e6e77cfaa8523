import { expect, test } from 'vitest';
import { tokenRing } from '../../src/algorithms/mutex/token-ring.ts';
import { simulate } from '../../src/sim/index.ts';
import { holdsEverywhere } from '../conformance/checked.ts';
import { conformsToMutex } from '../conformance/mutex.ts';

conformsToMutex(tokenRing, {
  hash: '32089d597a889e82',
  golden: {
    'er-10': {
      about:
        'ER-10. 0 asks just after it has passed the token on: n hops, where n-1 are printed as the most.',
      scenario: { n: 3, start: [{ process: 0, at: 1 }], latency: 'fixed:2' },
    },
    'two-enter': {
      about: 'The token goes round; 0 and 2 take their turn.',
      scenario: {
        n: 3,
        start: [
          { process: 0, at: 4 },
          { process: 2, at: 0 },
        ],
        latency: 'fixed:2',
      },
    },
  },
  reaches: {
    best: 'the token moves with or without requests',
    worst: 'there is none, for the same reason',
  },
  bypass: [{ n: 4 }],
});

test('ER-10: from request to entry the token makes 1 to n hops, of which 0 to n-1 begin after the request', () => {
  const n = 4;
  const seen = new Set<number>();
  for (let at = 0; at < 40; at += 1) {
    let hops = 0;
    let waiting = false;
    const trace = (line: string) => {
      if (/call request/.test(line)) waiting = true;
      if (waiting && /recv/.test(line)) hops += 1;
      if (/emit entered/.test(line)) waiting = false;
    };
    simulate(tokenRing, { n, start: [{ process: 2, at }], latency: 'fixed:5' }, { trace });
    seen.add(hops - 1); // the last one arrives here
  }
  expect(Math.min(...seen)).toBe(0);
  expect(Math.max(...seen)).toBe(n - 1);
});

holdsEverywhere(tokenRing, [
  [{ n: 3, entries: 2 }, { lemmas: true }, 525],
  [{ n: 4 }, {}, 432],
  [{ n: 3, entries: 2 }, { bounds: true, bypass: true }, 1041],
]);
