// A new master for a group of synchronised clocks: synchronisation and election, by composition.
import { describe, expect, test } from 'vitest';
import { berkeley, bully, cristian } from '../../src/algorithms/index.ts';
import { withRecovery } from '../../src/compositions/index.ts';
import { Random } from '../../src/core/random.ts';
import { type Fault, type Scenario, simulate } from '../../src/sim/index.ts';
import { describeGolden } from '../conformance/conformance.ts';

const composed = withRecovery(berkeley, bully);
const crash: Fault = { type: 'crash', process: 0, at: 60 };

describe('berkeley+bully', () => {
  test('600 seeds of crashes and restarts: every living process is synchronised', () => {
    for (let seed = 0; seed < 600; seed += 1) {
      const random = new Random(seed, 'crashes');
      const n = 1 + random.below(6);
      const doomed = random.shuffle(Array.from({ length: n }, (_, i) => i)).slice(0, random.below(3));
      const faults = doomed.slice(0, n - 1).flatMap((process): Fault[] => {
        const at = random.below(400);
        const back: Fault = { type: 'restart', process, at: at + 1 + random.below(200) };
        return [{ type: 'crash', process, at }, ...(random.below(2) ? [back] : [])];
      });
      const scenario: Scenario = {
        n,
        faults,
        root: random.below(n),
        rounds: 1 + random.below(4),
        latency: ['uniform:1:10', 'fixed:1', 'uniform:0:100'][random.below(3)]!,
        think: random.below(2) ? 'fixed:0' : 'uniform:0:1000',
        seed,
        limit: 100_000,
      };
      expect(simulate(composed, scenario).violations, JSON.stringify(scenario)).toEqual([]);
    }
  });

  test('the master crashes, and the highest living process begins the next round', () => {
    const scenario = { n: 4, faults: [crash], rounds: 3, think: 'fixed:50', seed: 1 };
    const lines: string[] = [];
    const run = simulate(composed, scenario, { trace: (line) => lines.push(line) });
    expect(run.violations).toEqual([]);
    const rounds = lines.flatMap((line) => /emit adjust\(.*round="(\d)@/.exec(line)?.[1] ?? []);
    expect(rounds.slice(0, 4)).toEqual(['0', '0', '0', '0']);
    expect(new Set(rounds.slice(4))).toEqual(new Set(['3']));
    const alone = simulate(berkeley, scenario);
    expect(alone.messages.total).toBe(9);
  });

  test('a source cannot be replaced', () => {
    expect(() => withRecovery(cristian, bully)).toThrow('a source of time, not a master');
  });

  describeGolden(composed, {
    golden: {
      'master-dies': {
        about:
          'The master crashes in its second round. Who waits for a correction calls an election; 2 wins, and begins a round.',
        scenario: {
          n: 3,
          faults: [{ ...crash, at: 30 }],
          rounds: 2,
          think: 'fixed:20',
          latency: 'fixed:4',
          drift: 0,
        },
      },
    },
  });
});
