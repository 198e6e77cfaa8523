import { describe, expect } from 'vitest';
import { helaryPlouzeauRaynalRelinking as relinking } from '../../src/algorithms/mutex/helary-plouzeau-raynal-relinking.ts';
import type { AnyAlgorithm, Pid } from '../../src/core/algorithm.ts';
import { Random } from '../../src/core/random.ts';
import { type Fault, type Scenario, simulate } from '../../src/sim/index.ts';
import { conformsToMutex } from '../conformance/mutex.ts';
import { thorough } from '../tiers.ts';

/** Returns a scenario with a fixed tree, and further links that appear and disappear. */
function changing(seed: number): Scenario {
  const random = new Random(seed, 'links');
  const n = 3 + random.below(5);
  const edges = Array.from({ length: n - 1 }, (_, i): [Pid, Pid] => [random.below(i + 1), i + 1]);
  const faults: Fault[] = [];
  for (let a = 0; a < n; a += 1) {
    for (let b = a + 1; b < n; b += 1) {
      if (edges.some(([c, d]) => c === a && d === b) || random.below(2) === 0) continue;
      edges.push([a, b]);
      let at = random.below(2) ? 0 : 1 + random.below(100);
      for (let change = 0; change <= random.below(4); change += 1) {
        faults.push({ type: change % 2 ? 'link' : 'cut', between: [a, b], at });
        at += 1 + random.below(80);
      }
    }
  }
  return {
    topology: `edges:${edges.map((edge) => edge.join('-')).join(',')}`,
    root: random.below(n),
    faults,
    entries: 1 + random.below(4),
    think: 'uniform:0:60',
    latency: random.below(2) ? 'uniform:1:10' : 'uniform:1:40',
    seed,
    limit: 200_000,
  };
}

/** Runs a scenario, and reports whether a link disappeared with the token on it. */
function run(algorithm: AnyAlgorithm, scenario: Scenario) {
  const tokens = new Set<string>();
  let isTokenLost = false;
  const trace = (line: string) => {
    for (const [, serial] of line.matchAll(/#(\d+) to \d+ token/g)) tokens.add(serial!);
    const [, lost] = / lose #(\d+)/.exec(line) ?? [];
    if (lost !== undefined && tokens.has(lost)) isTokenLost = true;
  };
  return { ...simulate(algorithm, scenario, { trace }), isTokenLost };
}

// ER-25: C = 0, A = 1, B = 2, D = 3. B joins A and D, and C joins when A already waits.
const er25: Scenario = {
  n: 4,
  topology: 'edges:1-2,2-3,0-2',
  root: 3,
  start: [
    { process: 3, at: 1 },
    { process: 1, at: 5 },
    { process: 0, at: 40 },
  ],
  hold: 'fixed:60',
  latency: 'fixed:2',
  faults: [
    { type: 'cut', between: [0, 2], at: 0 },
    { type: 'link', between: [0, 2], at: 30 },
  ],
};

const shapes: Scenario[] = ['ring', 'complete', 'tree', 'random:3', 'grid'].map((topology) => ({ topology }));

// Before the first request, one link goes and comes more often than there are processes.
const flapping: Scenario = {
  n: 3,
  topology: 'edges:0-1,1-2,0-2',
  channels: 'fifo',
  faults: Array.from({ length: 6 }, (_, k) => ({ type: k % 2 ? 'link' : 'cut', between: [0, 2], at: k + 1 })),
  start: [0, 1, 2].map((process) => ({ process, at: 10 })),
};

conformsToMutex(relinking, {
  hash: '7601e72dfb900d54',
  scenarios: [...shapes, { ...er25, channels: 'fifo' }, flapping],
  reaches: {
    best: { n: 5, start: [{ process: 0 }], entries: 4 },
    worst: 'there is none: links may change forever',
  },
  bypass: [{ n: 4, seed: 115 }],
  golden: {
    'link-appears': {
      about:
        'ER-25, mended: the wave of the new link makes A = 1 ask again, and C = 0 learns of it before it has the token.',
      scenario: er25,
    },
    'er-25': {
      about:
        'ER-25. Both ends only update their neighbours: C = 0 gets the token and does not know that A = 1 waits.',
      scenario: er25,
      of: 'helary-plouzeau-raynal-relinking-neighbours-only',
    },
  },
});

describe('links that appear and disappear', () => {
  thorough('every request enters, unless a link disappears with the token on it', () => {
    let lost = 0;
    for (let seed = 0; seed < 2000; seed += 1) {
      const { violations, isTokenLost } = run(relinking, changing(seed));
      if (isTokenLost) lost += 1;
      const wrong = violations.map(({ property }) => property);
      expect(wrong, JSON.stringify(changing(seed))).toEqual(isTokenLost ? ['every request enters'] : []);
    }
    expect(lost).toBeGreaterThan(100);
  });
});
