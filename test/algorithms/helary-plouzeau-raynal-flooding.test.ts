import { describe, expect, test } from 'vitest';
import { helaryPlouzeauRaynal } from '../../src/algorithms/mutex/helary-plouzeau-raynal.ts';
import { helaryPlouzeauRaynalFlooding } from '../../src/algorithms/mutex/helary-plouzeau-raynal-flooding.ts';
import type { AnyAlgorithm } from '../../src/core/algorithm.ts';
import { type Scenario, simulate } from '../../src/sim/index.ts';
import { holdsEverywhere } from '../conformance/checked.ts';
import { conformsToMutex } from '../conformance/mutex.ts';

// The owner 0 is a neighbour of the requester 4, but the link between them is slow: the first copy comes the long way round.
const longWay: Scenario = {
  n: 5,
  topology: 'ring',
  root: 0,
  start: [{ process: 4, at: 0 }],
  entries: 1,
  latency: 'fixed:1',
  slow: [{ between: [0, 4], ticks: 100 }],
};

const triangle: Scenario = {
  n: 3,
  topology: 'complete',
  start: [{ process: 2, at: 0 }],
  entries: 1,
  latency: 'fixed:1',
  slow: [{ between: [0, 2], ticks: 10 }],
};

conformsToMutex(helaryPlouzeauRaynalFlooding, {
  hash: 'b5a22d084ee67031',
  bypass: [{ n: 4, seed: 115 }],
  reaches: {
    best: { n: 5, start: [{ process: 0 }], entries: 4 },
    worst: longWay,
  },
  scenarios: [
    { topology: 'ring' },
    { topology: 'complete' },
    { topology: 'tree' },
    { topology: 'random:3' },
    { topology: 'grid' },
    longWay,
  ],
  golden: {
    'long-way': {
      about:
        'Ring of 5, owner 0, requester 4, the link between them slow: 6 requests, and the token goes back the long way, 4 hops.',
      scenario: longWay,
    },
    'local-names': {
      about:
        'Names 0, 1, 2, 0, 1 on a line. 0 asks; the token, on its way back to the name 0, meets 3, which enters.',
      scenario: { n: 5, topology: 'line', root: 4, start: [{ process: 0, at: 0 }], latency: 'fixed:1' },
      of: 'helary-plouzeau-raynal-flooding-local-names',
    },
    'comes-back': {
      about: 'Triangle, owner 0, requester 2: the flood comes back to 2 by way of 1 and 0, and is dropped.',
      scenario: triangle,
    },
    'hears-itself': {
      about: 'The requester does not know its own request when it comes back, and floods it again.',
      scenario: triangle,
      of: 'helary-plouzeau-raynal-flooding-hears-itself',
    },
    'last-copy': {
      about: 'The last copy of a request, not the first, shows the way back: the token does not find it.',
      scenario: { n: 3, topology: 'complete', entries: 2, hold: 'fixed:20', latency: 'fixed:1' },
      of: 'helary-plouzeau-raynal-flooding-last-copy',
    },
  },
});

const count = (algorithm: AnyAlgorithm, scenario: Scenario) => {
  const run = simulate(algorithm, scenario);
  expect(run.violations).toEqual([]);
  return run.messages.byType;
};

const sizes = [3, 4, 5, 9, 16];
const edgesOf: Readonly<Record<string, (n: number) => number>> = {
  line: (n) => n - 1,
  star: (n) => n - 1,
  ring: (n) => n,
  complete: (n) => (n * (n - 1)) / 2,
};

describe('helary-plouzeau-raynal-flooding, section 3', () => {
  test.each(Object.entries(edgesOf))('%s: a request takes exactly 2e-(n-1) messages', (topology, edges) => {
    for (const n of sizes) {
      for (let seed = 0; seed < 20; seed += 1) {
        const alone = { n, topology, start: [{ process: n - 1 }], latency: 'uniform:1:50', seed };
        expect(count(helaryPlouzeauRaynalFlooding, alone).request).toBe(2 * edges(n) - (n - 1));
      }
    }
  });

  test('complete network: (n-1)² requests, where knowledge control needs n-1', () => {
    for (const n of sizes) {
      const scenario = { n, topology: 'complete', start: [{ process: n - 1 }], latency: 'fixed:1' };
      expect(count(helaryPlouzeauRaynalFlooding, scenario)).toEqual({ request: (n - 1) ** 2, token: 1 });
      expect(count(helaryPlouzeauRaynal, scenario)).toEqual({ request: n - 1, token: 1 });
    }
  });

  test('FIFO channels: every flood reaches everybody, so the requests are a multiple of 2e-(n-1)', () => {
    for (let seed = 0; seed < 50; seed += 1) {
      const scenario = { n: 6, topology: 'ring', channels: 'fifo', entries: 4, think: 'uniform:0:30', seed };
      expect(count(helaryPlouzeauRaynalFlooding, scenario as Scenario).request! % 7).toBe(0);
    }
  });

  test('tree: knowledge control saves nothing', () => {
    for (let seed = 0; seed < 50; seed += 1) {
      const scenario = { n: 7, topology: 'tree', entries: 3, think: 'uniform:0:30', seed };
      expect(count(helaryPlouzeauRaynalFlooding, scenario)).toEqual(count(helaryPlouzeauRaynal, scenario));
    }
  });

  test('the first copy can come the long way round: n-1 hops for the token, where knowledge control has one', () => {
    expect(count(helaryPlouzeauRaynalFlooding, longWay)).toEqual({ request: 6, token: 4 });
    expect(count(helaryPlouzeauRaynal, longWay).token).toBe(1);
    const slow = [
      { between: [0, 2], ticks: 100 },
      { between: [0, 3], ticks: 100 },
      { between: [1, 3], ticks: 100 },
    ] as const;
    const complete = { n: 4, topology: 'complete', start: [{ process: 3 }], latency: 'fixed:1', slow };
    expect(count(helaryPlouzeauRaynalFlooding, complete)).toEqual({ request: 9, token: 3 });
  });
});

holdsEverywhere(helaryPlouzeauRaynalFlooding, [
  [{ n: 3, topology: 'line' }, { lemmas: true }, 1758],
  [{ n: 3, start: [{ process: 1 }, { process: 2 }] }, { lemmas: true, bounds: true, bypass: true }, 5785],
  [{ n: 4, topology: 'ring', start: [{ process: 0 }, { process: 2 }] }, { bounds: true, bypass: true }, 5173],
  [{ n: 3 }, { lemmas: true }, 978_765],
  [{ n: 3, topology: 'line', entries: 2 }, {}, 755_543], // as with knowledge control: on a tree they are the same
]);
