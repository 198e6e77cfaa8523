import { describe, expect, test } from 'vitest';
import { misra } from '../../src/algorithms/mutex/misra.ts';
import { Random } from '../../src/core/random.ts';
import type { Fault, Scenario } from '../../src/sim/index.ts';
import { simulate } from '../../src/sim/index.ts';
import { conformsToMutex } from '../conformance/mutex.ts';

const lose = (message: number): Fault => ({ type: 'lose', message });

conformsToMutex(misra, {
  hash: '2cacca74137b3f17',
  scenarios: [{ hold: 'uniform:1:200' }, { hold: 'uniform:1:200', faults: [lose(9)] }, {}],
  reaches: {
    best: 'the tokens move whether somebody asks or not',
    worst: 'there is none, for the same reason',
  },
  golden: {
    'ping-lost': {
      about:
        'Ping is lost on its way from 1 to 2; pong, coming round, finds its own number at 2 and makes a new ping there.',
      scenario: { n: 3, start: [{ process: 0, at: 30 }], latency: 'fixed:2', faults: [lose(3)] },
    },
    'er-17': {
      about: 'ER-17. Number 0 is the same for both: pong finds it and makes a second ping; two inside.',
      scenario: { n: 2, entries: 2, hold: 'uniform:1:60', seed: 262 },
      of: 'misra-modulo',
    },
  },
});

describe('misra', () => {
  test('whichever token is lost, again and again, everybody is served and nobody twice at once', () => {
    const random = new Random(1, 'losses');
    for (let seed = 0; seed < 1000; seed += 1) {
      const n = 1 + random.below(5);
      const gap = 8 * (n + 1);
      const faults = Array.from({ length: 3 }, (_, k) => lose(k * gap + random.below(gap / 2)));
      const scenario: Scenario = {
        n,
        faults,
        entries: 8,
        think: 'uniform:0:60',
        hold: 'uniform:0:60',
        seed,
        limit: 100_000,
      };
      const run = simulate(misra, scenario, { invariants: seed % 10 === 0 });
      expect(run.violations, JSON.stringify(scenario)).toEqual([]);
      expect(run.entries).toBe(8 * n);
    }
  });

  test('both tokens lost: nothing brings them back', () => {
    const run = simulate(misra, { n: 3, start: [{ process: 1, at: 5 }], faults: [lose(0), lose(1)] });
    expect(run.violations[0]?.property).toBe('every request enters');
  });

  test('ER-18: the loss is found within n+1 hops of the survivor, not one turn', () => {
    for (let n = 1; n <= 6; n += 1) {
      let most = 0;
      for (let lost = 0; lost < 4 * n; lost += 1) {
        let hops = 0;
        let found = false;
        const trace = (line: string) => {
          if (line.includes(`lose #${lost}`)) hops = 0;
          if (/ recv /.test(line) && !found) hops += 1;
          if ((line.match(/#\d+ to/g)?.length ?? 0) > 1 && !line.includes('begin')) found = true;
        };
        simulate(
          misra,
          { n, latency: 'fixed:1', start: [{ process: 0, at: 20 * n }], faults: [lose(lost)] },
          { trace },
        );
        expect(found).toBe(true);
        most = Math.max(most, hops);
      }
      expect(most).toBe(n + 1);
    }
  });
});
