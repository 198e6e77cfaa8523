import { describe, expect, test } from 'vitest';
import { dijkstraCentralDaemon } from '../../src/algorithms/index.ts';
import { centralDaemon } from '../../src/algorithms/shared/dijkstra-central-daemon.ts';
import { check } from '../../src/check/index.ts';
import { sharedMutants } from '../../src/mutants/index.ts';
import { type Scenario, simulate } from '../../src/sim/index.ts';
import { conformsToShared } from '../conformance/shared.ts';

const corruptAll = { type: 'corrupt', process: 'all', at: 0 } as const;
/** Pauses after which the machines take their steps from right to left, if each step takes 10 ticks. */
const rightToLeft = [2, 1, 0].map((process, k) => {
  return { type: 'pause', process, at: 5, until: 12 + 2 * k } as const;
});
const chase: Scenario = {
  n: 4,
  start: [],
  latency: 'fixed:10',
  faults: [corruptAll, ...rightToLeft],
  limit: 2000,
};

conformsToShared(dijkstraCentralDaemon, {
  hash: '58cb5a1fb7d4fd5c',
  registers: { 2: 2, 3: 3, 10: 10 },
  spaces: [
    { n: 3, entries: 1, states: 405 },
    { n: 3, states: 144 },
    { n: 4, entries: 1, states: 2160 },
  ],
  corrupted: [
    { n: 3, entries: 1, states: 1920 },
    { n: 4, entries: 0, states: 256 },
    { n: 5, entries: 0, states: 3125 },
    { n: 3, states: 1200 },
  ],
  bypass: {
    'two machines: at most once': { space: { n: 2 }, lines: ['wait for the privilege'], most: 1 },
    'three machines: at most once each': { space: { n: 3 }, lines: ['wait for the privilege'], most: 2 },
  },
  scenarios: [{ hold: 'uniform:1:60' }, chase],
  golden: {
    'one-asks': {
      about:
        'The privilege goes round. Machine 1 asks, keeps it while it is inside, and moves when it leaves.',
      scenario: { n: 3, start: [{ process: 1, at: 8 }], latency: 'fixed:3', hold: 'fixed:5' },
    },
    'too-few': {
      about:
        'Four machines with two values. The steps come from right to left, and 0, 1, 0, 1 goes round for ever: no value wins.',
      scenario: { ...chase, seed: 6, limit: 60 },
      of: 'dijkstra-central-daemon-too-few',
    },
    'moves-early': {
      about: 'Machine 0 moves when it enters, so machine 1 has the privilege too early.',
      scenario: { n: 3, think: 'fixed:0', hold: 'fixed:40', seed: 0 },
      of: 'dijkstra-central-daemon-moves-early',
    },
  },
});

describe('the number of states that K machines need', () => {
  test('from every state, every choice of the central daemon: K = n-1 is enough from n = 3 on, K = n-2 is not', () => {
    const isOver = (n: number, K: number) =>
      check(
        centralDaemon('with-k-states', () => K),
        { n, start: [] },
        { corrupted: true },
      ).ok;
    for (let n = 3; n <= 5; n += 1) expect(isOver(n, n - 1)).toBe(true);
    for (let n = 4; n <= 6; n += 1) expect(isOver(n, n - 2)).toBe(false);
  });

  test('too few states: the checker finds a loop, in which every machine goes on', () => {
    const mutant = sharedMutants.find(({ name }) => name === 'dijkstra-central-daemon-too-few')!;
    const { violation } = check(mutant, { n: 4, start: [] }, { corrupted: true });
    expect(violation).toMatchObject({
      property: 'the world becomes legitimate',
      why: 'the run goes round for ever, though everybody goes on',
    });
    expect(simulate(mutant, { ...chase, seed: 6 }).ok).toBe(false);
    expect(simulate(dijkstraCentralDaemon, { ...chase, seed: 6 }).ok).toBe(true);
  });
});

// The paper's model as such: states only, and a daemon that chooses among the privileged machines. The daemon need not be fair.
type Daemon = (S: readonly number[], K: number) => (readonly number[])[];

const privilegedIn = (S: readonly number[]) =>
  S.flatMap((s, i) => ((i === 0) === (s === S.at(i - 1)) ? [i] : []));

/** Returns the states after these machines have moved at once: all of them looked before. */
const moved = (S: readonly number[], K: number, movers: readonly number[]) =>
  S.map((s, i) => (!movers.includes(i) ? s : i === 0 ? (s + 1) % K : S[i - 1]!));

/** One machine moves. */
const central: Daemon = (S, K) => privilegedIn(S).map((i) => moved(S, K, [i]));

/** Any of the privileged machines move, at once. */
const distributed: Daemon = (S, K) => {
  const privileged = privilegedIn(S);
  const sets = Array.from({ length: 2 ** privileged.length - 1 }, (_, k) =>
    privileged.filter((_, bit) => ((k + 1) >> bit) % 2 === 1),
  );
  return sets.map((movers) => moved(S, K, movers));
};

/** Returns the most steps that the daemon can take before there is one privilege; Infinity if it can go on for ever. */
function mostSteps(machines: number, K: number, daemon: Daemon): number {
  const most = new Map<string, number>();
  // Values are relative to that of machine 0: states that differ only in that take the same steps.
  const longest = (given: readonly number[]): number => {
    if (privilegedIn(given).length === 1) return 0;
    const S = given.map((s) => (s + K - given[0]!) % K);
    const key = S.join();
    if (!most.has(key)) {
      most.set(key, Infinity); // until known: a run that returns here never ends
      most.set(key, 1 + Math.max(...daemon(S, K).map(longest)));
    }
    return most.get(key)!;
  };
  const every = Array.from({ length: K ** (machines - 1) }, (_, k) =>
    Array.from({ length: machines }, (_, i) => (i === 0 ? 0 : Math.floor(k / K ** (i - 1)) % K)),
  );
  return Math.max(...every.map(longest));
}

/** Returns the fewest states per machine with which every run becomes legitimate. */
function fewestStates(machines: number, daemon: Daemon): number {
  let K = 2;
  while (mostSteps(machines, K, daemon) === Infinity) K += 1;
  return K;
}

describe('daemons', () => {
  test('the fewest states per machine: n-1 with a central daemon, n with a distributed one', () => {
    expect([3, 4, 5].map((n) => fewestStates(n, central))).toEqual([2, 3, 4]);
    expect([3, 4, 5].map((n) => fewestStates(n, distributed))).toEqual([3, 4, 5]);
  });

  test('reads and writes that are separate steps: 2n-1, since a ring of states and copies has 2n machines', () => {
    expect([2, 3].map((n) => fewestStates(2 * n, central))).toEqual([3, 5]);
  });

  test('at most 3n(n-1)/2 - n - 1 steps from n = 4 on, with either daemon and any K that is enough', () => {
    const claimed = (n: number) => (3 * n * (n - 1)) / 2 - n - 1;
    for (const n of [4, 5, 6]) for (const K of [n - 1, n]) expect(mostSteps(n, K, central)).toBe(claimed(n));
    for (const n of [4, 5]) expect(mostSteps(n, n, distributed)).toBe(claimed(n));
    expect([2, 3].map((n) => mostSteps(n, n, central))).toEqual([0, 2]);
    expect([2, 3].map((n) => mostSteps(n, n, distributed))).toEqual([0, 3]);
  });
});
