// Attempts at the third algorithm of Dolev, Klawe and Rodeh (1982), with at most 1.356n log n messages. Its text is not among our sources.
// docs/findings.md says what follows from these figures. None of these algorithms is in the catalogue.
import { describe, expect, test } from 'vitest';
import { petersonImproved } from '../../src/algorithms/election/peterson-improved.ts';
import { type AnyAlgorithm, next } from '../../src/core/algorithm.ts';
import { fibonacciIndex } from '../../src/core/bounds.ts';
import { simulate } from '../../src/sim/index.ts';
import { rings } from '../conformance/conformance.ts';
import { fibonacciRing } from './fibonacci-ring.ts';

// biome-ignore-start lint/suspicious/noExplicitAny: the handlers are those of `AnyAlgorithm`
type S = any;
type P = any;
type M = any;
// biome-ignore-end lint/suspicious/noExplicitAny: above

const fibonacci = (k: number): number => (k <= 2 ? 1 : fibonacci(k - 1) + fibonacci(k - 2));

/** `peterson-improved`, in whose even steps an id travels `limit` hops at most. The relay that it reaches takes it over. */
function withLimit(limit: (step: number) => number): AnyAlgorithm {
  const newStep = (s: S, p: P, tid: number, step: number) => {
    Object.assign(s, { state: 'active', tid, step });
    p.send(next, { type: 'tid', id: tid, step, left: step % 2 === 0 ? limit(step) : -1 });
  };
  const start = (s: S, p: P) => {
    if (s.state === 'idle') newStep(s, p, p.id, 1);
  };
  return {
    ...petersonImproved,
    name: 'with-limit',
    bounds: [],
    invariants: {},
    init: ({ id }) => ({ state: 'idle', tid: id, step: 0, leader: null }),
    calls: { start },
    on: {
      ...petersonImproved.on,
      tid(s: S, p: P, m: M) {
        start(s, p);
        if (s.state === 'active' && m.step > s.step) s.state = 'relay'; // a relay has taken over the id of this step
        const isOdd = s.step % 2 === 1;
        if (s.state === 'relay') {
          if (m.left === 1) newStep(s, p, m.id, m.step + 1);
          else p.send(next, { ...m, left: m.left - 1 });
        } else if (m.id === s.tid) {
          s.leader = s.tid;
          p.emit({ type: 'elected', leader: s.tid });
          p.send(next, { type: 'leader', id: s.tid });
        } else if (isOdd && s.tid > m.id) newStep(s, p, s.tid, s.step + 1);
        else if (!isOdd && m.id > s.tid) newStep(s, p, m.id, s.step + 1);
        else s.state = 'relay';
      },
    },
  };
}

const cost = (algorithm: AnyAlgorithm, ids: readonly number[]): number => {
  const run = simulate(algorithm, { ids, latency: 'fixed:1' });
  expect(run.violations, ids.join()).toEqual([]);
  return run.messages.byType.tid!;
};

describe('a limit on the distance in even steps', () => {
  test.each([1, 2, 3])('F(step + %i): it elects the largest on every ring up to n = 7', (k) => {
    const limited = withLimit((step) => fibonacci(step + k));
    for (let n = 1; n <= 7; n += 1) for (const ids of rings(n)) cost(limited, ids);
  });

  test('F(step + 2): the worst case up to n = 7 is that of peterson-improved', () => {
    const limited = withLimit((step) => fibonacci(step + 2));
    for (let n = 2; n <= 7; n += 1) {
      const worst = Math.max(...[...rings(n)].map((ids) => cost(limited, ids)));
      expect(worst).toBe(n * (fibonacciIndex(n) - 1));
    }
  });

  test.each([1, 2, 3])(
    'F(step + %i): no message is saved on Fibonacci rings, so it is 1.44n log n still',
    (k) => {
      const limited = withLimit((step) => fibonacci(step + k));
      for (const n of [5, 8, 13, 21, 34, 55, 89, 144, 233, 377]) {
        const ids = fibonacciRing(n);
        expect(cost(limited, ids)).toBe(cost(petersonImproved, ids));
        expect(cost(limited, ids)).toBe(n * (fibonacciIndex(n) - 1));
      }
    },
  );

  test('F(step + 1): it costs more than no limit on a ring of 6', () => {
    const limited = withLimit((step) => fibonacci(step + 1));
    expect(Math.max(...[...rings(6)].map((ids) => cost(limited, ids)))).toBe(29);
    expect(6 * (fibonacciIndex(6) - 1)).toBe(24);
  });
});

/**
 * Counts messages of the same algorithm told by its messages: an id goes on until it comes to where another began the same round. In odd rounds
 * the smaller one goes on, in even rounds the larger one. Processes remember the id and round that they passed on last. With a witness, an
 * odd round ends early for an id that meets a larger one of the round before.
 */
function costOfRounds(ids: readonly number[], hasWitness: boolean): number {
  const seen = ids.map((id) => ({ id, round: 1 }));
  let travelling = ids.map((id, at) => ({ id, round: 1, at }));
  let messages = 0;
  for (;;) {
    messages += travelling.length;
    for (const one of travelling) one.at = (one.at + 1) % ids.length;
    const ended = new Set<object>();
    for (const one of travelling) {
      const { id, round } = seen[one.at]!;
      if (round === one.round) {
        if (id === one.id) return messages;
        if (one.round % 2 === 1 ? one.id < id : one.id > id) one.round += 1;
        else ended.add(one);
      } else if (hasWitness && one.round % 2 === 1 && round === one.round - 1 && one.id < id) one.round += 1;
      if (!ended.has(one)) seen[one.at] = { id: one.id, round: one.round };
    }
    travelling = travelling.filter((one) => !ended.has(one));
  }
}

test('an odd round that ends early, at a larger id of the round before, does save messages', () => {
  const worst = (n: number, hasWitness: boolean) =>
    Math.max(...[...rings(n)].map((ids) => costOfRounds(ids, hasWitness)));
  const sizes = [2, 3, 4, 5, 6, 7, 8];
  expect(sizes.map((n) => worst(n, false))).toEqual(sizes.map((n) => n * (fibonacciIndex(n) - 1)));
  expect(sizes.map((n) => worst(n, true))).toEqual([4, 9, 12, 18, 22, 26, 36]);
});
