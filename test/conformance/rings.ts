// Ring elections over FIFO channels in which each process sends first and then answers messages in order. Under every schedule
// and every set of initiators, each process handles the same messages in the same order. So the ring alone determines the
// number of messages, and one run per ring is enough.
import { describe, expect, test } from 'vitest';
import type { AnyAlgorithm } from '../../src/core/algorithm.ts';
import { type Run, type Scenario, simulate, type WatchOptions } from '../../src/sim/index.ts';
import { isQuick } from '../tiers.ts';
import { rings } from './conformance.ts';

const most = isQuick ? 5 : 6; // processes

export interface Counts {
  readonly largest: readonly number[]; // over all arrangements of 1, 2, .. processes, announcement apart
  readonly least: (n: number) => number;
  readonly onBitReversal: (n: number, k: number) => number; // of n = 2^k
  readonly slack?: (n: number) => number; // distance to the upper bound; defaults to 0
}

export function ringsDecide(algorithm: AnyAlgorithm, counts: Counts): void {
  describe(`${algorithm.name}: the ring determines the count`, () => {
    const cost = (ids: readonly number[], scenario: Scenario = {}): number =>
      costOf(elects(algorithm, { ids, latency: 'fixed:1', ...scenario }));

    test.each(counts.largest.map((_, i) => i + 1))('n = %i, all arrangements, all starting', (n) => {
      const costs = [...rings(n)].map((ids) => cost(ids));
      expect(Math.max(...costs)).toBe(counts.largest[n - 1]);
      expect(Math.min(...costs)).toBe(counts.least(n));
      const { bounds } = simulate(algorithm, { n });
      if (n > 1) expect(counts.least(n)).toBe(bounds.atLeast - n);
      expect(counts.largest[n - 1]).toBe(bounds.atMost - n - (counts.slack?.(n) ?? 0));
    });

    test(`every set of initiators, up to n = ${most}`, () => {
      for (let n = 1; n <= most; n += 1) {
        const starts = Array.from({ length: 2 ** n - 1 }, (_, i) => membersOf(i + 1, n));
        for (const ids of rings(n))
          expect(new Set(starts.map((start) => cost(ids, { start })))).toEqual(new Set([cost(ids)]));
      }
    });

    test('every schedule, and late initiators', () => {
      for (const ids of rings(6)) {
        const costs = new Set([cost(ids)]);
        for (let seed = 0; seed < 10; seed += 1) {
          const start = [{ process: seed % 6 }, { process: (seed + 2) % 6, at: 3 * seed }];
          costs.add(cost(ids, { latency: 'uniform:0:100', seed }));
          costs.add(cost(ids, { latency: 'uniform:0:30', seed, start }));
        }
        expect(costs.size).toBe(1);
      }
    });

    test('one initiator anywhere, n = 64', () => {
      const ids = bitReversal(6);
      for (let process = 0; process < 64; process += 1)
        expect(cost(ids, { start: [{ process }] })).toBe(cost(ids));
    });

    test.each([1, 2, 3, 4, 5, 6, 7, 8, 9, 10])('n = 2^%i, bit reversal', (k) => {
      expect(cost(bitReversal(k))).toBe(counts.onBitReversal(2 ** k, k));
    });
  });
}

/** For elections whose message count depends on the schedule: the leader does not. */
export function everyStartElects(algorithm: AnyAlgorithm): void {
  test(`${algorithm.name}: every arrangement up to n = ${most}, every set of initiators`, () => {
    for (let n = 1; n <= most; n += 1) {
      for (const ids of rings(n)) {
        const leader = algorithm.elects === 'smallest' ? 1 : n;
        for (let set = 1; set < 2 ** n; set += 1)
          expect(elects(algorithm, { ids, start: membersOf(set, n), seed: set }).leader).toBe(leader);
      }
    }
  });
}

/** A run without a violation. */
export function elects(algorithm: AnyAlgorithm, scenario: Scenario, watch: WatchOptions = {}): Run {
  const run = simulate(algorithm, scenario, watch);
  if (!run.ok) expect(run.violations, JSON.stringify(scenario)).toEqual([]);
  return run;
}

/** Without the announcement. */
export const costOf = ({ messages }: Run): number => messages.total - messages.byType.leader!;

/** The id at position p of 2^k is p with its bits reversed, plus 1: of two remaining neighbours, one always drops out. */
export function bitReversal(k: number): number[] {
  const reversed = (p: number) =>
    Array.from({ length: k }, (_, bit) => ((p >> bit) & 1) << (k - 1 - bit)).reduce((a, b) => a + b, 0);
  return Array.from({ length: 2 ** k }, (_, p) => 1 + reversed(p));
}

/** How often each process entered another round; `hasGoneOn` compares its states before and after an event. */
export function survivorsByRound<S>(
  algorithm: AnyAlgorithm,
  ids: readonly number[],
  hasGoneOn: (before: S, after: S) => boolean,
): number[] {
  const rounds = ids.map(() => 1);
  const last: S[] = [];
  const observe = (process: number, state: unknown) => {
    const before = last[process];
    if (before !== undefined && hasGoneOn(before, state as S)) rounds[process]! += 1;
    last[process] = structuredClone(state as S);
  };
  elects(algorithm, { ids, latency: 'fixed:1' }, { observe });
  return Array.from({ length: Math.max(...rounds) }, (_, r) => rounds.filter((round) => round > r).length);
}

const membersOf = (set: number, n: number) =>
  Array.from({ length: n }, (_, process) => ({ process })).filter(({ process }) => set & (2 ** process));
