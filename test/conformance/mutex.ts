import { describe, expect, test } from 'vitest';
import type { AnyAlgorithm, Message, Pid, Plain } from '../../src/core/algorithm.ts';
import { Random } from '../../src/core/random.ts';
import type { TraceEvent } from '../../src/core/trace.ts';
import { type Run, type Scenario, simulate } from '../../src/sim/index.ts';
import { Adversary } from './adversary.ts';
import { conforms, type Options } from './conformance.ts';

interface MutexOptions extends Options {
  /** For each bypass bound: a run that reaches it, or why none can. Without a bound: how often others enter. */
  readonly bypass: readonly (Scenario | string | ((times: number) => number))[];
}

/** The exact counts, by kind. */
export function countsExactly(algorithm: AnyAlgorithm, expected: (run: Run) => Record<string, number>): void {
  test.each([1, 2, 3, 5, 17, 100])(`${algorithm.name}: exact counts, n = %i, light and heavy load`, (n) => {
    for (const think of ['fixed:0', 'uniform:1000:100000']) {
      for (let seed = 0; seed < 3; seed += 1) {
        const run = simulate(algorithm, { n, entries: 3, think, seed });
        expect(run.messages.byType).toEqual(expected(run));
      }
    }
  });
}

export function conformsToMutex(algorithm: AnyAlgorithm, options: MutexOptions): void {
  describe(algorithm.name, () => {
    conforms(algorithm, options);

    test('every request enters: there are as many entries as requests', () => {
      for (let seed = 0; seed < 100; seed += 1) {
        const n = 1 + (seed % 6);
        const heavy = { think: 'fixed:0', hold: 'uniform:0:20' };
        const run = simulate(algorithm, {
          n,
          entries: 5,
          seed,
          ...(seed % 2 ? heavy : { think: 'uniform:100:1000' }),
        });
        expect(run.violations).toEqual([]);
        expect(run.entries).toBe(5 * n);
      }
    });

    test('only the processes of the scenario request', () => {
      const run = simulate(algorithm, { n: 5, start: [{ process: 3, at: 7 }], entries: 4, seed: 1 });
      expect(run.ok).toBe(true);
      expect(run.entries).toBe(4);
    });

    test.each([1, 2, 3, 5, 17, 100])(
      'counts per entry within the bounds, n = %i, light and heavy load',
      (n) => {
        for (const think of ['fixed:0', 'uniform:0:10', 'uniform:1000:100000']) {
          for (let seed = 0; seed < 5; seed += 1) {
            const run = simulate(algorithm, { n, entries: 3, think, seed });
            expect(run.violations).toEqual([]);
            expect(run.withinBounds).toBe(true);
          }
        }
      },
    );

    test('pauses and healed partitions only delay', () => {
      for (let seed = 0; seed < 100; seed += 1) {
        const faults = [
          { type: 'pause', process: 0, at: 10, until: 60 },
          { type: 'partition', side: [0, 1], at: 30, until: 200 },
        ] as const;
        const run = simulate(algorithm, { n: 4, entries: 3, faults, seed });
        expect(run.violations).toEqual([]);
        expect(run.entries).toBe(12);
      }
    });

    if (algorithm.token?.next !== undefined)
      test('the token goes to the process it names', () => {
        for (let seed = 0; seed < 50; seed += 1) expect(followed(algorithm, seed)).toBeGreaterThan(0);
      });

    describeBypass(algorithm, options);
  });
}

/** How often a token message named its next process and the token went there. */
function followed(algorithm: AnyAlgorithm, seed: number): number {
  const { isIn, next } = algorithm.token!;
  const said = new Map<Pid, Pid | undefined>(); // by token holder
  const kinds = new Set<string>();
  const heard: AnyAlgorithm['on'] = Object.fromEntries(
    Object.entries(algorithm.on).map(([type, handle]) => [
      type,
      (s: unknown, p: { me: Pid }, m: Message & Plain, from: Pid) => {
        if (isIn(m)) {
          kinds.add(type);
          said.set(p.me, next!(m));
        }
        handle(s, p, m, from);
      },
    ]),
  );
  let count = 0;
  const record = ({ process, outputs }: TraceEvent) => {
    for (const output of outputs) {
      if (output.kind !== 'send' || !kinds.has(output.message.type)) continue;
      const expected = said.get(process);
      said.delete(process);
      if (expected === undefined) continue;
      expect(output.to).toBe(expected);
      count += 1;
    }
  };
  simulate({ ...algorithm, on: heard }, { n: 5, entries: 6, think: 'uniform:0:30', seed }, { record });
  return count;
}

function describeBypass(algorithm: AnyAlgorithm, options: MutexOptions): void {
  const promises = algorithm.bypass ?? [];
  test('declares how often others may enter while a process waits', () => {
    expect(promises).not.toEqual([]);
    expect(options.bypass.length).toBe(promises.length);
    for (const { from } of promises) if (from !== 'request') expect(algorithm.on).toHaveProperty('request');
  });

  test('others do not enter more often: greedy neighbours, a slow link', () => {
    const shape = algorithm.assumes.topology === 'connected' ? { topology: 'ring' } : {};
    for (let seed = 0; seed < 200; seed += 1) {
      const random = new Random(seed, 'skewed');
      const n = 2 + random.below(5);
      const start = random.below(2) ? 'all' : [{ process: 0 }, { process: n - 1, at: random.below(100) }];
      const slow = random.below(2) ? [{ between: [0, 1] as const, ticks: 20 + random.below(200) }] : [];
      const hold = ['fixed:0', 'fixed:20', 'uniform:0:20'][random.below(3)]!;
      const scenario = {
        ...shape,
        n,
        root: random.below(n),
        start,
        slow,
        hold,
        entries: 12,
        think: 'fixed:0',
      };
      expect(simulate(algorithm, { ...scenario, seed } as Scenario).violations).toEqual([]);
    }
  });

  test('no invariant fails in random orders of steps', () => {
    for (let seed = 0; seed < 200; seed += 1) {
      const random = new Random(seed, 'adversary');
      const n = 1 + random.below(4);
      const adversary = new Adversary(algorithm, n, random.below(n));
      adversary.walk(random, 150);
      expect(adversary.broken, `seed ${seed}`).toEqual([]);
    }
  });

  describe.each(promises.map((promise, i) => ({ ...promise, i })))('$formula, $from', ({ from, i }) => {
    const scenario = options.bypass[i]!;
    if (typeof scenario === 'function') {
      return test.each([10, 40])('others enter without limit: %i', (times) => {
        expect(scenario(times)).toBeGreaterThanOrEqual(times);
      });
    }
    if (typeof scenario !== 'string') {
      return test('is reached', () => {
        const run = simulate(algorithm, scenario);
        expect(run.violations).toEqual([]);
        expect(run.bypassAtMost![from]).toBeGreaterThan(0);
        expect(run.bypass![from]).toBe(run.bypassAtMost![from]);
      });
    }
    return test(`is not reached: ${scenario}`, () => {
      for (let seed = 0; seed < 200; seed += 1) {
        const heavy = { n: 2 + (seed % 4), entries: 4, think: 'fixed:0', latency: 'uniform:1:50', seed };
        const run = simulate(algorithm, heavy);
        expect(run.bypass![from]).toBeLessThan(run.bypassAtMost![from]);
      }
    });
  });

  const isPromisedFromRequest = promises.some(({ from, when }) => from === 'request' && when === undefined);
  if (!isPromisedFromRequest) {
    test.each([10, 100])('until its request is received, a neighbour enters without limit: %i', (times) => {
      const [n, greedy, waiting] = [4, 0, 3];
      const adversary = new Adversary(algorithm, n, greedy);
      adversary.follow([`ask ${waiting}`]);
      adversary.walk(new Random(times, 'greedy'), 1_000_000, ({ name, sent }) => {
        const mayAsk = name === `ask ${greedy}` && adversary.monitor.entries < times;
        return name.startsWith('ask') ? mayAsk : sent?.requester !== waiting;
      });
      expect(adversary.monitor.entries).toBe(times);
      adversary.walk(new Random(times, 'heard'), 1_000_000, ({ name }) => !name.startsWith('ask'));
      expect(adversary.monitor.bypassed.request).toBe(times);
      expect(adversary.broken).toEqual([]);
    });
  }
}
