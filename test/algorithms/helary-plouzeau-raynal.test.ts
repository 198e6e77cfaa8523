import { describe, expect, test } from 'vitest';
import { helaryPlouzeauRaynal } from '../../src/algorithms/mutex/helary-plouzeau-raynal.ts';
import { check } from '../../src/check/index.ts';
import type { AnyAlgorithm } from '../../src/core/algorithm.ts';
import { Topology } from '../../src/core/topology.ts';
import {
  helaryPlouzeauRaynalByName,
  helaryPlouzeauRaynalForgets,
} from '../../src/mutants/helary-plouzeau-raynal.ts';
import {
  helaryPlouzeauRaynalFloodingLocalNames,
  helaryPlouzeauRaynalLocalNames,
} from '../../src/mutants/local-names.ts';
import { type Scenario, simulate } from '../../src/sim/index.ts';
import { holdsEverywhere } from '../conformance/checked.ts';
import { conformsToMutex } from '../conformance/mutex.ts';
import { thorough } from '../tiers.ts';

// The wave 0-1-2-3 is fast. The wave over 5 and 4 is slow, and reaches the owner after the token has left.
const slow = (a: number, b: number, ticks: number) => ({ between: [a, b] as const, ticks });
const w8: Scenario = {
  n: 6,
  topology: 'ring',
  root: 3,
  start: [{ process: 0, at: 0 }],
  entries: 1,
  latency: 'fixed:1',
  slow: [slow(0, 5, 100), slow(4, 5, 100), slow(3, 4, 1000)],
};

const wheel: Scenario = {
  n: 11,
  topology: 'wheel',
  root: 6,
  start: [{ process: 1, at: 0 }],
  latency: 'fixed:1',
  slow: Array.from({ length: 10 }, (_, i) => slow(0, i + 1, 1000)),
};

conformsToMutex(helaryPlouzeauRaynal, {
  hash: '791a854b130142be',
  bypass: [{ n: 4, seed: 115 }],
  reaches: {
    best: { n: 5, start: [{ process: 0 }], entries: 4 },
    worst: { n: 5, topology: 'line', start: [{ process: 4 }] },
  },
  scenarios: [
    { topology: 'ring' },
    { topology: 'complete' },
    { topology: 'tree' },
    { topology: 'random:3' },
    { topology: 'grid' },
    w8,
  ],
  golden: {
    w8: {
      about: 'W8. Ring of 6, owner 3, requester 0: 7 requests; the late copy is dropped at 3.',
      scenario: w8,
    },
    'er-20': {
      about: 'ER-20. The smallest name is served first: 2 enters after all entries of 0 and 1.',
      scenario: {
        n: 3,
        topology: 'complete',
        entries: 3,
        think: 'fixed:0',
        hold: 'fixed:3',
        latency: 'fixed:1',
      },
      of: 'helary-plouzeau-raynal-by-name',
    },
    'er-22': {
      about: 'ER-22. The printed rule accepts the late copy again: 8 requests on a ring of 6.',
      scenario: w8,
      of: 'helary-plouzeau-raynal-forgets',
    },
    'er-23': {
      about:
        'ER-23. A wheel, d = 2, with slow spokes: the request runs half round the rim, and the token comes back that way, 5 hops.',
      scenario: wheel,
    },
    'er-24': {
      about:
        'ER-24. A ring of four: n requests and n+1 messages in all, where n-1 and n are printed as the least.',
      scenario: { n: 4, topology: 'ring', start: [{ process: 1, at: 0 }], latency: 'fixed:1' },
    },
    'local-names': {
      about:
        'Names 0, 1, 2, 0 on a line. 3 asks, and its name stands on the list: 1 does not pass the request on to 0, which has the token.',
      scenario: { n: 4, topology: 'line', start: [{ process: 3, at: 0 }], latency: 'fixed:1' },
      of: 'helary-plouzeau-raynal-local-names',
    },
    line: {
      about: 'A line: the token returns on the path of the request.',
      scenario: { n: 4, topology: 'line', start: [{ process: 3, at: 0 }] },
    },
  },
});

const one = (topology: string | Topology, root: number, asker: number, scenario: Scenario = {}) => {
  const n = typeof topology === 'string' ? scenario.n : topology.n;
  const run = simulate(helaryPlouzeauRaynal, {
    ...scenario,
    n: n!,
    topology,
    root,
    start: [{ process: asker, at: 0 }],
  });
  expect(run.violations).toEqual([]);
  return run.messages.byType as { request: number; token: number };
};

describe('helary-plouzeau-raynal, section 6', () => {
  test('W8: 7 requests; the printed rule makes 8', () => {
    expect(simulate(helaryPlouzeauRaynal, w8).messages.byType).toEqual({ request: 7, token: 3 });
    const printed = simulate(helaryPlouzeauRaynalForgets, w8);
    expect(printed.messages.byType.request).toBe(8);
    expect(printed.violations).toMatchObject([{ property: 'the message bound' }]);
  });

  test('ER-20: in the order of names, 2 waits while 0 and 1 enter again and again; in the order of age it does not', () => {
    const greedy = { n: 3, topology: 'complete', entries: 20, think: 'fixed:0', hold: 'fixed:3' };
    const printed = simulate(helaryPlouzeauRaynalByName, greedy);
    expect(printed.violations).toMatchObject([{ property: 'the bypass bound' }]);
    expect(simulate(helaryPlouzeauRaynal, greedy)).toMatchObject({ ok: true, bypass: { heard: 2 } });
  });

  test('tree: n-1 requests, and one token message for each hop', () => {
    for (let n = 3; n <= 9; n += 1) {
      expect(one('line', 0, n - 1, { n })).toEqual({ request: n - 1, token: n - 1 });
      expect(one('star', 1, n - 1, { n })).toEqual({ request: n - 1, token: 2 });
    }
  });

  test('complete network: n-1 requests and one token message', () => {
    for (let n = 2; n <= 9; n += 1)
      expect(one('complete', 0, n - 1, { n })).toEqual({ request: n - 1, token: 1 });
  });

  thorough(
    'ring, n >= 4: n .. n+1 requests, both attained from n = 5 on; n+1 .. 2n-2 messages in total',
    () => {
      for (let n = 4; n <= 10; n += 1) {
        const totals = new Set<number>();
        const requests = new Set<number>();
        for (let asker = 1; asker < n; asker += 1) {
          for (let seed = 0; seed < 200; seed += 1) {
            const { request, token } = one('ring', 0, asker, { n, seed, latency: 'uniform:1:50' });
            requests.add(request);
            totals.add(request + token);
          }
        }
        expect([...requests].sort((a, b) => a - b)).toEqual(n === 4 ? [4] : [n, n + 1]); // for n = 4, the opposite process receives both at once
        expect(Math.min(...totals)).toBe(n + 1);
        expect(Math.max(...totals)).toBeLessThanOrEqual(2 * n - 2);
      }
    },
  );

  test('the owner enters again without a message', () => {
    expect(one('grid', 4, 4, { n: 9, entries: 5 })).toEqual({ request: 0, token: 0 });
  });

  test('ER-23: the token can take more hops than the diameter: wheel with a slow hub', () => {
    expect(simulate(helaryPlouzeauRaynal, wheel).messages.byType.token).toBe(5);
  });

  test('accepts any graph from a list of edges', () => {
    const graph = Topology.graph(5, [
      [0, 1],
      [1, 2],
      [2, 0],
      [2, 3],
      [3, 4],
    ]);
    expect(one(graph, 4, 0).token).toBe(3);
  });
});

/** Returns the properties that runs with local names violate, on rings and lines on which a process and its neighbours have distinct names. */
function violatedWith(mutant: AnyAlgorithm): string[] {
  const violated = new Set<string>();
  for (let seed = 0; seed < 1000; seed += 1) {
    const n = [4, 5, 6, 7, 9][seed % 5]!;
    const run = simulate(
      mutant,
      {
        n,
        topology: n % 3 === 0 && seed % 2 ? 'ring' : 'line',
        root: seed % n,
        entries: 1 + (seed % 4),
        think: seed % 2 ? 'fixed:0' : 'uniform:0:60',
        latency: ['uniform:1:10', 'uniform:0:100', 'fixed:1'][seed % 3]!,
        seed,
      },
      { invariants: true },
    );
    for (const { property } of run.violations) violated.add(property);
  }
  return [...violated].sort();
}

describe('section 2.2: only a process and its neighbours have distinct names', () => {
  test('with knowledge control mutual exclusion holds, and requests are lost', () => {
    expect(violatedWith(helaryPlouzeauRaynalLocalNames)).toEqual(['every request enters']);
  });

  test('with plain flooding mutual exclusion holds, and a process enters that has not asked', () => {
    expect(violatedWith(helaryPlouzeauRaynalFloodingLocalNames)).toEqual([
      'every request enters',
      'only who asked enters',
      'the handlers do not fail',
    ]);
  });

  test('even if one process asks alone, its request does not reach the owner', () => {
    const start = [{ process: 3, at: 0 }];
    const run = simulate(helaryPlouzeauRaynalLocalNames, { n: 6, topology: 'ring', start });
    expect(run.messages.byType.request).toBe(2); // its neighbours: with itself, all names
    expect(run.violations).toMatchObject([{ property: 'every request enters' }]);
  });

  test('two requests with the same name and time are taken for one', () => {
    const start = [{ process: 0 }, { process: 3 }];
    const { violation } = check(helaryPlouzeauRaynalLocalNames, { n: 4, topology: 'line', root: 1, start });
    expect(violation).toMatchObject({ property: 'every request enters' });
  });
});

holdsEverywhere(helaryPlouzeauRaynal, [
  [{ n: 3 }, { lemmas: true }, 3257],
  [{ n: 3, topology: 'line', entries: 2 }, {}, 755_543],
  [{ n: 4, topology: 'ring', start: [{ process: 0 }, { process: 2 }] }, { bounds: true, bypass: true }, 649],
]);
