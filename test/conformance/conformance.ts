// The suite for every algorithm. Each algorithm's test file calls the suite of its problem, which calls this one. Options state the
// differences, and a reason for each exception.
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { describe, expect, test } from 'vitest';
import type { AnyAlgorithm, ChannelKind } from '../../src/core/algorithm.ts';
import { decode, encode } from '../../src/core/plain-data.ts';
import { Random } from '../../src/core/random.ts';
import type { AnySharedAlgorithm } from '../../src/core/shared-algorithm.ts';
import { parseTrace } from '../../src/core/trace.ts';
import { clockMutants, mutants as ordinary, sharedMutants } from '../../src/mutants/index.ts';
import { replay, type Scenario, simulate } from '../../src/sim/index.ts';
import { seedsOf } from '../tiers.ts';
import { describeMessageShapes } from './message-shapes.ts';

export interface Options {
  /** Assumptions that can be dropped without harm, and why. Dropping any other must cause a violation. */
  readonly survives?: Partial<Record<Drop, string>>;
  /** Further scenarios for dropped assumptions, mutants and seeds. */
  readonly scenarios?: readonly Scenario[];
  /** Golden traces: what each shows, its scenario, the mutant that runs it, and whether a broken invariant ends it. */
  readonly golden?: Readonly<
    Record<
      string,
      {
        readonly about: string;
        readonly scenario: Scenario;
        readonly of?: string;
        readonly lemmas?: true;
      }
    >
  >;
  /** Runs that reach the lower and the upper bound; or why none can. */
  readonly reaches: { readonly best: Scenario | string; readonly worst: Scenario | string };
  /** Mutants that no property of a single run refutes, and what detects them instead. */
  readonly foundOut?: Readonly<Record<string, (mutant: AnyAlgorithm) => boolean>>;
  /** The trace of n = 4, entries 2, seed 42 has this hash, on every machine. */
  readonly hash: string;
}

export type Drop =
  | 'channels'
  | 'reliability'
  | 'no duplication'
  | 'no crash'
  | 'bounded delay'
  | 'equal clocks';

const seeds = seedsOf(1000);
const mutants = [...ordinary, ...clockMutants];
const quick: Scenario = { limit: 50_000 };
const overtaking: Scenario = { channels: 'unordered', latency: 'uniform:1:100' };
const forgetting: Scenario = {
  faults: [
    { type: 'crash', process: 1, at: 5 },
    { type: 'restart', process: 1, at: 6 },
  ],
};

export function conforms(algorithm: AnyAlgorithm, options: Options): void {
  const scenarios = options.scenarios ?? [{}];
  const strongerChannels: ChannelKind[] = (
    { unordered: ['unordered', 'fifo', 'causal'], fifo: ['fifo', 'causal'], causal: ['causal'] } as const
  )[algorithm.assumes.channels].slice();
  const bounded = ['bounded', 'synchronous'].includes(algorithm.assumes.timing);
  const latencies = [
    'uniform:1:10',
    'fixed:1',
    'uniform:0:100',
    bounded ? 'uniform:1:1000' : 'exponential:20',
  ];

  /** A random scenario by seed, each field independent. */
  const mixed = (seed: number, largest = 9): Scenario => {
    const random = new Random(seed, 'mixture');
    const one = <T>(items: readonly T[]): T => items[random.below(items.length)]!;
    const drawn = {
      n: 1 + random.below(largest),
      latency: one(latencies),
      channels: one(strongerChannels),
      entries: 1 + random.below(4),
      think: one(['fixed:0', 'uniform:0:10', 'uniform:0:300']),
    };
    return { ...quick, ...drawn, ...one(scenarios), seed };
  };

  test(`${seeds} seeds: every property and every bound holds`, () => {
    for (let seed = 0; seed < seeds; seed += 1) {
      const run = simulate(algorithm, mixed(seed));
      expect(run.violations, `seed ${seed}: ${JSON.stringify(mixed(seed))}`).toEqual([]);
      expect(run.withinBounds).toBe(true);
    }
  });

  test('after every event, messages are frozen, invariants hold and states survive encoding', () => {
    for (let seed = 0; seed < seedsOf(60); seed += 1) {
      const observe = (_process: number, state: unknown) => expect(decode(encode(state))).toEqual(state);
      const run = simulate(algorithm, mixed(seed, 5), { freeze: true, invariants: true, observe });
      expect(run.violations).toEqual([]);
    }
  });

  if (algorithm.invariants) {
    test.each(Object.entries(algorithm.invariants))('its invariant can fail: %s', (lemma, holds) => {
      const own = mutants.filter((mutant) => mutant.of === algorithm.name);
      const tries = [algorithm, ...own].flatMap((one) => {
        const drops =
          one === algorithm ? [{ duplication: 0.3 }, { loss: 0.1 }, overtaking, forgetting] : [{}];
        return drops.map((drop) => ({ one: { ...one, invariants: { [lemma]: holds } }, drop }));
      });
      const fails = (seed: number) => {
        const drawn = { n: 3 + (seed % 6), entries: 3, ...scenarios[seed % scenarios.length] };
        return tries.some(({ one, drop }) => {
          const scenario = { ...drawn, ...drop, limit: 2000, seed };
          const { violations } = simulate(one, scenario, { invariants: true });
          return violations.some(({ property }) => property === lemma);
        });
      };
      const isBroken = Array.from({ length: 200 }, (_, seed) => seed).some(fails);
      expect(
        isBroken,
        'no lost, copied or reordered message, no restart and no mutant breaks it: add a mutant that does, or drop the lemma',
      ).toBe(true);
    });
  }

  test('a process can read only the facts that its paper allows', () => {
    const seen = new Set<string>();
    const spy: AnyAlgorithm = {
      ...algorithm,
      init: (place) => {
        for (const key of [...Object.keys(place), ...Reflect.ownKeys(place).map(String)]) seen.add(key);
        return algorithm.init(place);
      },
    };
    simulate(spy, mixed(4));
    expect(seen).toEqual(new Set(algorithm.knows));
  });

  test('its bounds count each of its kinds once', () => {
    const counted = algorithm.bounds.filter(({ measures }) => measures === 'messages');
    const groups = new Set(counted.map(({ counts }) => counts.join(' ')));
    const kinds = Object.keys(algorithm.on).filter(
      (type) => type !== algorithm.crashNotice && !algorithm.timers?.includes(type),
    );
    expect([...groups].flatMap((group) => group.split(' ')).sort()).toEqual(kinds.sort());
  });

  test('its traces replay, and replay finds a change in them', () => {
    for (let seed = 0; seed < seedsOf(30); seed += 1) {
      const text = traceOf(algorithm, mixed(seed));
      const trace = parseTrace(text);
      expect(replay(algorithm, trace)).toEqual({
        ok: true,
        events: trace.events.length,
        firstDifference: null,
      });
      const sends = trace.events.findIndex(({ outputs }) => outputs.some(({ kind }) => kind === 'send'));
      if (sends < 0) continue;
      const events = trace.events.map((event, i) => (i === sends ? { ...event, outputs: [] } : event));
      const changed = replay(algorithm, { ...trace, events });
      expect(changed.firstDifference?.line).toBe(trace.firstLine + sends);
    }
  });

  test('the same seed gives the same trace, on every machine', () => {
    const text = traceOf(algorithm, { n: 4, entries: 2, seed: 42 });
    expect(traceOf(algorithm, { n: 4, entries: 2, seed: 42 })).toBe(text);
    expect(createHash('sha256').update(text).digest('hex').slice(0, 16)).toBe(options.hash);
  });

  describe.each(['best', 'worst'] as const)('the %s case', (which) => {
    const scenario = options.reaches[which];
    if (typeof scenario === 'string') {
      return test(`is not reached: ${scenario}`, () => {
        const limit = which === 'best' ? 'atLeast' : 'atMost';
        for (let seed = 0; seed < seedsOf(300); seed += 1) {
          const { messages, bounds } = simulate(algorithm, mixed(seed));
          if (messages.total > 0) expect(messages.total).not.toBe(bounds[limit]);
        }
      });
    }
    return test('is reached', () => {
      const run = simulate(algorithm, scenario);
      expect(run.violations).toEqual([]);
      expect(run.messages.total).toBe(which === 'best' ? run.bounds.atLeast : run.bounds.atMost);
    });
  });

  describeMessageShapes(algorithm, mixed);
  describeDrops(algorithm, options, scenarios);
  describeMutants(algorithm, options, scenarios);
  describeGolden(algorithm, options);
}

export function traceOf(
  algorithm: AnyAlgorithm | AnySharedAlgorithm,
  scenario: Scenario,
  invariants = false,
): string {
  const lines: string[] = [];
  simulate(algorithm, scenario, { trace: (line) => lines.push(line), invariants });
  return `${lines.join('\n')}\n`;
}

/** The first run, by seed, that violates a property, over small networks. Bounds count only if every assumption is kept. */
export function findFailure(
  algorithm: AnyAlgorithm,
  scenarios: readonly Scenario[],
  tries = 2000,
): Scenario | null {
  for (let seed = 0; seed < tries; seed += 1) {
    const random = new Random(seed, 'search');
    const drawn = { n: 2 + random.below(4), entries: 1 + random.below(3) };
    const scenario = { ...quick, ...drawn, ...scenarios[random.below(scenarios.length)], seed };
    if (!simulate(algorithm, scenario).ok) return scenario;
  }
  return null;
}

function describeDrops(
  algorithm: AnyAlgorithm,
  { survives = {} }: Options,
  scenarios: readonly Scenario[],
): void {
  const { assumes } = algorithm;
  const drops: Record<Drop, Scenario | null> = {
    channels: assumes.channels === 'unordered' ? null : overtaking,
    reliability: { loss: 0.1 },
    'no duplication': { duplication: 0.3 },
    'no crash': assumes.failures === 'crash' ? null : { faults: [{ type: 'crash', process: 1, at: 5 }] },
    'bounded delay': ['bounded', 'synchronous'].includes(assumes.timing)
      ? { latency: 'exponential:20' }
      : null,
    'equal clocks': assumes.timing === 'synchronous' ? { n: 3, clocks: [1, 2, 3] } : null,
  };
  describe.each(Object.entries(drops))('without: %s', (name, drop) => {
    const reason = survives[name as Drop];
    if (drop === null) return test('is not assumed', () => expect(reason).toBeUndefined());
    const dropped = scenarios.map((scenario) => ({ ...scenario, ...drop }));
    if (reason === undefined)
      return test('it fails', () => expect(findFailure(algorithm, dropped)).not.toBeNull());
    return test(`it survives: ${reason}`, () => expect(findFailure(algorithm, dropped)).toBeNull());
  });
}

function describeMutants(
  algorithm: AnyAlgorithm,
  { foundOut = {} }: Options,
  scenarios: readonly Scenario[],
): void {
  const own = mutants.filter((mutant) => mutant.of === algorithm.name);
  test('has mutants', () => expect(own).not.toEqual([]));
  test.each(own.map((mutant) => [mutant.name, mutant] as const))('%s is detected', (_name, mutant) => {
    const isFoundOut = foundOut[mutant.name] ?? ((one: AnyAlgorithm) => findFailure(one, scenarios) !== null);
    expect(isFoundOut(mutant)).toBe(true);
    expect(isFoundOut(algorithm)).toBe(false);
  });
}

/** Expects a trace of test/golden to be this text, byte for byte. */
export function expectGolden(name: string, text: string): void {
  const path = new URL(`../golden/${name}.trace`, import.meta.url);
  if (process.env.BATON_REWRITE === '1') {
    mkdirSync(dirname(path.pathname), { recursive: true });
    writeFileSync(path, text);
  }
  expect(existsSync(path), `${path.pathname} is missing: npm test -- NAME --rewrite makes it`).toBe(true);
  expect(readFileSync(path, 'utf8')).toBe(text);
}

export function describeGolden(
  algorithm: AnyAlgorithm | AnySharedAlgorithm,
  { golden = {} }: Pick<Options, 'golden'>,
): void {
  test.each(Object.entries(golden))('golden: %s', (name, { about, scenario, of, lemmas }) => {
    const runs = [...mutants, ...sharedMutants].find((mutant) => mutant.name === of) ?? algorithm;
    const text = `${about
      .split('\n')
      .map((line) => `# ${line}\n`)
      .join('')}${traceOf(runs, scenario, lemmas)}`;
    expectGolden(`${algorithm.name}/${name}`, text);
    expect(replay(runs, parseTrace(text)).ok).toBe(true);
    if (of !== undefined) expect(parseTrace(text).verdict, 'a mutant is shown to fail').not.toBe('ok');
  });
}

/** All orders of 1..n in which n comes first: every ring up to rotation. */
export function* rings(n: number): Iterable<number[]> {
  const rest = Array.from({ length: n - 1 }, (_, i) => i + 1);
  for (const order of orders(rest)) yield [n, ...order];
}

function* orders(items: number[]): Iterable<number[]> {
  if (items.length === 0) yield [];
  for (const [i, item] of items.entries()) {
    for (const rest of orders([...items.slice(0, i), ...items.slice(i + 1)])) yield [item, ...rest];
  }
}
