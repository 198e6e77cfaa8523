// The suite for every algorithm on shared memory: properties of single runs, and of every interleaving of small instances.
import { createHash } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import { check } from '../../src/check/index.ts';
import { decode, encode } from '../../src/core/plain-data.ts';
import { Random } from '../../src/core/random.ts';
import { type AnySharedAlgorithm, registersOf } from '../../src/core/shared-algorithm.ts';
import { parseTrace } from '../../src/core/trace.ts';
import { MemoryMachine, noSink, type RegisterAccess } from '../../src/machine/index.ts';
import { sharedMutants } from '../../src/mutants/index.ts';
import { type Fault, replay, type Scenario, simulate } from '../../src/sim/index.ts';
import { bypasses, deadlock, explore, type Space } from '../explore.ts';
import { seedsOf } from '../tiers.ts';
import { describeGolden, type Options, traceOf } from './conformance.ts';

export interface SharedOptions extends Pick<Options, 'golden'> {
  /** Accesses of an entry without contention, by n. Not for a perpetual algorithm, whose processes always read. */
  readonly alone?: Readonly<Record<number, { readonly read: number; readonly write: number }>>;
  /** The number of registers, by n. */
  readonly registers: Readonly<Record<number, number>>;
  /** Instances that are checked in every interleaving, and their number of states. */
  readonly spaces: readonly (Space & { readonly states: number })[];
  /** Instances that are checked from every value of the registers, if the algorithm stabilises. */
  readonly corrupted?: readonly (Space & { readonly states: number })[];
  /** The most entries of others while a process is at these lines, also by process. */
  readonly bypass: Readonly<
    Record<
      string,
      { readonly space: Space; readonly lines: readonly string[]; readonly most: number | readonly number[] }
    >
  >;
  /** Scenarios in which mutants fail and the algorithm does not. */
  readonly scenarios?: readonly Scenario[];
  /** The trace of entries 2, seed 42 has this hash, on every machine. */
  readonly hash: string;
}

const seeds = seedsOf(1000);
const quick: Scenario = { limit: 50_000 };

export function conformsToShared(algorithm: AnySharedAlgorithm, options: SharedOptions): void {
  const { min = 1, max = 5 } = algorithm.processes ?? {};
  const survivesCrashes = algorithm.assumes.failures === 'crash';
  const own = sharedMutants.filter(({ of }) => of === algorithm.name);

  /** A random scenario by seed, each field independent. */
  const mixed = (seed: number): Scenario => {
    const random = new Random(seed, 'mixture');
    const one = <T>(items: readonly T[]): T => items[random.below(items.length)]!;
    const n = min + random.below(max - min + 1);
    const at = random.below(60);
    const pause: Fault = { type: 'pause', process: random.below(n), at, until: at + 1 + random.below(200) };
    return {
      ...quick,
      n,
      latency: one(['uniform:1:10', 'fixed:1', 'uniform:0:100', 'exponential:20']),
      entries: 1 + random.below(4),
      think: one(['fixed:0', 'uniform:0:10', 'uniform:0:300']),
      hold: one(['fixed:0', 'uniform:1:5', 'uniform:0:60']),
      faults: random.below(3) === 0 ? [pause] : [],
      seed,
    };
  };

  const findFailure = (one: AnySharedAlgorithm): Scenario | null => {
    for (let seed = 0; seed < 300; seed += 1) {
      const random = new Random(seed, 'search');
      const n = Math.min(max, 2 + random.below(3));
      for (const extra of options.scenarios ?? [{}]) {
        const scenario = { ...quick, n, entries: 1 + random.below(3), ...extra, seed };
        if (!simulate(one, scenario).ok) return scenario;
      }
    }
    return null;
  };

  describe(algorithm.name, () => {
    test(`${seeds} seeds: every property and every bound holds, every request enters`, () => {
      for (let seed = 0; seed < seeds; seed += 1) {
        const scenario = mixed(seed);
        const run = simulate(algorithm, scenario);
        expect(run.violations, `seed ${seed}: ${JSON.stringify(scenario)}`).toEqual([]);
        expect(run.entries).toBe(scenario.n! * scenario.entries!);
        expect(run.withinBounds).toBe(true);
      }
    });

    test('after every event, invariants hold and states survive encoding', () => {
      for (let seed = 0; seed < seedsOf(30); seed += 1) {
        let isPlain = true;
        const observe = (_process: number, state: unknown) => {
          isPlain &&= JSON.stringify(decode(encode(state))) === encode(state);
        };
        const run = simulate(algorithm, mixed(seed), { invariants: true, observe });
        expect(isPlain).toBe(true);
        expect(run.violations).toEqual([]);
      }
    });

    test.runIf(algorithm.invariants)('its invariants can fail: a mutant breaks one', () => {
      const lemmas = Object.keys(algorithm.invariants!);
      const broken = new Set<string>();
      for (let seed = 0; seed < 100; seed += 1) {
        for (const mutant of own) {
          const run = simulate(mutant, { ...mixed(seed), limit: 2000 }, { invariants: true });
          for (const { property } of run.violations) broken.add(property);
        }
      }
      expect(lemmas.some((lemma) => broken.has(lemma))).toBe(true);
    });

    test('its traces replay, and replay finds a change in them', () => {
      for (let seed = 0; seed < 20; seed += 1) {
        const trace = parseTrace(traceOf(algorithm, mixed(seed)));
        expect(replay(algorithm, trace)).toEqual({
          ok: true,
          events: trace.events.length,
          firstDifference: null,
        });
        const reads = trace.events.findIndex(({ outputs }) => outputs[0]?.kind === 'read');
        if (reads < 0) continue;
        const events = trace.events.map((event, i) => (i === reads ? { ...event, outputs: [] } : event));
        const changed = replay(algorithm, { ...trace, events });
        expect(changed.firstDifference?.line).toBe(trace.firstLine + reads);
        // A look in the noncritical section that leads to nothing is not missed.
        const enters = trace.events.findIndex(({ outputs }) => outputs.some(({ kind }) => kind === 'emit'));
        const missed = algorithm.perpetual ? enters : reads;
        const without = trace.events.filter((_, i) => i !== missed);
        expect(replay(algorithm, { ...trace, events: without }).ok).toBe(false);
      }
    });

    test('the same seed gives the same trace, on every machine', () => {
      const text = traceOf(algorithm, { entries: 2, seed: 42 });
      expect(traceOf(algorithm, { entries: 2, seed: 42 })).toBe(text);
      expect(createHash('sha256').update(text).digest('hex').slice(0, 16)).toBe(options.hash);
    });

    test.each(Object.entries(options.alone ?? {}))(
      'one request among %s processes: exact number of accesses',
      (n, accesses) => {
        const run = simulate(algorithm, { n: Number(n), start: [{ process: 1 % Number(n) }], entries: 3 });
        expect(run.violations).toEqual([]);
        expect(run.messages.byType).toEqual({ read: 3 * accesses.read, write: 3 * accesses.write });
        expect(run.messages.total).toBe(run.bounds.atLeast);
        expect(run.messages.total).toBe(run.bounds.atMost);
      },
    );

    test.each(Object.entries(options.registers))('for %s processes: %i registers, all used', (n, count) => {
      expect(registersOf(algorithm.registers(Number(n))).length).toBe(count);
      const used = new Set<string>();
      for (let seed = 0; seed < 3; seed += 1) {
        const { events } = parseTrace(traceOf(algorithm, { n: Number(n), entries: 2, seed }));
        for (const { outputs } of events)
          for (const output of outputs) if ('register' in output) used.add(output.register);
      }
      expect(used.size).toBe(count);
    });

    test.each(options.spaces)('every interleaving, %j', ({ states, ...space }) => {
      const { n, entries = Infinity, crashes = 0 } = space;
      const report = check(algorithm, { n, entries }, { crashes, lemmas: true });
      expect(report).toMatchObject({ violation: null, complete: true, states });
      expect(report.sometimes.every(({ seen }) => seen)).toBe(true);
      const graph = explore(algorithm, space);
      expect(graph.states.length).toBe(states);
      expect(graph.edges.flat().length).toBe(report.transitions);
      expect(deadlock(graph)).toBeUndefined();
    });

    test.each(options.corrupted ?? [])('from every value of the registers, %j', ({ states, ...space }) => {
      const { n, entries = Infinity } = space;
      const report = check(algorithm, entries === 0 ? { n, start: [] } : { n, entries }, { corrupted: true });
      expect(report).toMatchObject({ violation: null, complete: true, states });
    });

    test.runIf(algorithm.stabilises)(
      `${seeds} seeds: it becomes legitimate after every corruption, and every request enters`,
      () => {
        for (let seed = 0; seed < seeds; seed += 1) {
          const { faults = [], ...scenario } = mixed(seed);
          const random = new Random(seed, 'corruptions');
          const corruptions = Array.from({ length: random.below(4) }, (): Fault => {
            return { type: 'corrupt', process: random.below(scenario.n!), at: 1 + random.below(200) };
          });
          const atFirst = { type: 'corrupt', process: 'all', at: 0 } as const;
          const all = [atFirst, ...corruptions, ...faults];
          const run = simulate(algorithm, { ...scenario, faults: all });
          expect(run.violations, `seed ${seed}: ${JSON.stringify(all)}`).toEqual([]);
          expect(run.entries).toBe(scenario.n! * scenario.entries!);
        }
      },
    );

    test('the accesses of a step are known in advance', () => {
      const { n, ...space } = options.spaces[0]!;
      const machine = new MemoryMachine(algorithm, { n });
      let foretold = 0;
      let steps = 0;
      for (const state of explore(algorithm, { n, ...space }).states) {
        for (let i = 0; i < n; i += 1) {
          const before = JSON.stringify(state);
          machine.memory = state.memory;
          const next = machine.next(i, state.processes[i]!);
          if (next.length === 0 || JSON.stringify(state) !== before) continue;
          const { memory, processes } = decode(before) as typeof state;
          const done: RegisterAccess[] = [];
          const access = (accessed: RegisterAccess) => done.push(accessed);
          machine.memory = memory;
          machine.step(i, processes[i]!, { kind: 'step', line: processes[i]!.at }, { ...noSink, access });
          const isNext = ({ kind, register }: RegisterAccess, k: number) =>
            kind === next[k]!.kind && register === next[k]!.register;
          const isComplete = next.slice(done.length).every(({ kind }) => kind === 'write'); // that of a composite line is conditional
          if (done.every(isNext) && isComplete) foretold += 1;
        }
        steps += state.processes.filter((process) => machine.hasStep(process)).length;
      }
      expect(foretold).toBe(steps);
    });

    test.each(Object.entries(options.bypass))('bypass: %s', (_name, { space, lines, most }) => {
      const graph = explore(algorithm, space);
      const all = Array.from({ length: space.n }, (_, i) => bypasses(graph, i, lines));
      expect(all).toEqual(typeof most === 'number' ? Array(space.n).fill(most) : most);
    });

    test(
      survivesCrashes ? 'crashes and restarts do not harm other processes' : 'a crash can block the others',
      () => {
        let blocked = 0;
        for (let seed = 0; seed < 300; seed += 1) {
          const n = Math.max(2, mixed(seed).n!);
          const process = seed % n;
          const faults: Fault[] = [{ type: 'crash', process, at: seed % 90 }];
          if (seed % 2 === 1) faults.push({ type: 'restart', process, at: 100 + seed });
          const scenario = { ...mixed(seed), n, faults, think: 'uniform:0:10' };
          const { violations } = simulate(algorithm, scenario, { invariants: survivesCrashes });
          // Where the others go on reading without end, only the limit ends the run.
          const blockedText = algorithm.perpetual
            ? /^(every request enters|the run ends)$/
            : /^every request enters$/;
          for (const { property } of violations) expect(property).toMatch(blockedText);
          blocked += violations.length;
        }
        if (survivesCrashes) expect(blocked).toBe(0);
        else expect(blocked).toBeGreaterThan(0);
      },
    );

    test('has mutants', () => expect(own).not.toEqual([]));
    test.each(own.map((mutant) => [mutant.name, mutant] as const))('%s is detected', (_name, mutant) => {
      expect(findFailure(mutant)).not.toBeNull();
    });
    test('it does not fail in the scenarios of its mutants', () => expect(findFailure(algorithm)).toBeNull());

    describeGolden(algorithm, options);
  });
}

/** The most entries of others between a process's first step at `doorway` and its own entry, over these seeds. */
export function mostPassed(
  algorithm: AnySharedAlgorithm,
  scenario: Scenario,
  doorway: string,
  tries: number,
) {
  let most = 0;
  for (let seed = 0; seed < tries; seed += 1) {
    const passed = new Map<number, number>();
    for (const { process, input, outputs } of parseTrace(traceOf(algorithm, { ...scenario, seed })).events) {
      if (input.kind === 'step' && input.line === doorway && !passed.has(process)) passed.set(process, 0);
      if (!outputs.some(({ kind }) => kind === 'emit')) continue;
      most = Math.max(most, passed.get(process) ?? 0);
      passed.delete(process);
      for (const [other, count] of passed) passed.set(other, count + 1);
    }
  }
  return most;
}
