import { describe, expect, test } from 'vitest';
import { algorithms, ricartAgrawala, sharedAlgorithms } from '../../src/algorithms/index.ts';
import { algorithmInfo, resolve } from '../../src/catalogue/index.ts';
import type { TraceEvent } from '../../src/core/trace.ts';
import type { EitherAlgorithm } from '../../src/machine/index.ts';
import { type Measures, prepare, type Scenario, Simulation } from '../../src/sim/index.ts';
import { MeasureHistory, measuringPlanOf } from '../../src/timeline/index.ts';

const planOf = (algorithm: EitherAlgorithm, scenario: Scenario, isChanged = false) => {
  const { hasLinks, kinds } = algorithmInfo(algorithm);
  return measuringPlanOf(prepare(algorithm, scenario), hasLinks ? kinds : [], isChanged);
};

/** Simulates a run, with what the simulator has measured after each event. */
function measuredRun(algorithm: EitherAlgorithm, scenario: Scenario) {
  const events: TraceEvent[] = [];
  const measures: (Measures | null)[] = [];
  const simulation = new Simulation(algorithm, scenario, { record: (event) => events.push(event) });
  do measures[events.length] = simulation.result().measures;
  while (simulation.advance(1));
  const run = simulation.result();
  measures[events.length] = run.measures;
  return { events, measures, run };
}

const scenarioOf = ({ problem }: EitherAlgorithm, seed: number): Scenario => ({
  seed,
  latency: ['fixed:1', 'uniform:1:9', 'fixed:40'][seed % 3]!,
  ...(problem === 'mutex' && {
    entries: 3,
    hold: 'uniform:0:6',
    think: seed % 2 ? 'fixed:0' : 'uniform:0:60',
  }),
});

/** Expects the history to have, at every position, what the simulator had measured there. */
function expectSame(algorithm: EitherAlgorithm, scenario: Scenario): void {
  const { events, measures, run } = measuredRun(algorithm, scenario);
  if (!run.ok) return; // an entry that breaks a promise is not measured
  const history = new MeasureHistory(planOf(algorithm, scenario));
  for (const event of events) history.add(event);
  const positions = events.map((_, k) => k + 1);
  for (const position of [...positions, ...positions.toReversed()]) {
    if (measures[position] === undefined) continue; // two events in one step
    expect(history.at(position), `${algorithm.name} at ${position}`).toEqual(measures[position]);
  }
}

describe('the measures at every position are those of the simulator', () => {
  test.each([...algorithms, ...sharedAlgorithms].map((algorithm) => [algorithm.name, algorithm] as const))(
    '%s',
    (_, algorithm) => {
      for (let seed = 1; seed <= 3; seed += 1) expectSame(algorithm, scenarioOf(algorithm, seed));
    },
  );

  test('with crashes, pauses, losses and duplicates, and with a snapshot', () => {
    const pause = { type: 'pause', process: 1, at: 5, until: 300 } as const;
    expectSame(ricartAgrawala, { n: 4, entries: 3, faults: [pause] });
    expectSame(resolve('raymond+chandy-lamport'), { n: 5, snapshot: [{ process: 0, at: 20 }] });
    const crash = { type: 'crash', process: 2, at: 30 } as const;
    for (let seed = 1; seed <= 5; seed += 1)
      expectSame(resolve('bully'), { n: 6, seed, duplication: 0.3, faults: [crash] });
    for (const name of ['chang-roberts', 'itai-rodeh', 'franklin'])
      for (let seed = 1; seed <= 5; seed += 1)
        expectSame(resolve(`${name}+rounds`), { n: 4, seed, faults: [crash] });
  });
});

test('checkpoints change nothing: a long run, read backwards and at random', () => {
  const scenario = { n: 5, entries: 12, latency: 'uniform:1:9' };
  const { events } = measuredRun(ricartAgrawala, scenario);
  expect(events.length).toBeGreaterThan(512);
  const plan = planOf(ricartAgrawala, scenario);
  const history = new MeasureHistory(plan);
  for (const event of events) history.add(event);
  for (const position of [events.length, 511, 512, 513, 256, 255, 0, 300, 299, 40, 511]) {
    const fresh = new MeasureHistory(plan);
    for (const event of events.slice(0, position)) fresh.add(event);
    expect(history.at(position), `${position}`).toEqual(fresh.at(position));
  }
});

test('a run that somebody changed, or that drops an assumption, is not judged', () => {
  const bounded = { n: 3, latency: 'fixed:10', think: 'fixed:0', hold: 'fixed:3' };
  expect(planOf(ricartAgrawala, bounded)).toMatchObject({
    isJudged: true,
    bounds: [{ formula: 'T' }, { formula: '1/(T+E)' }, { formula: '3T' }],
  });
  expect(planOf(ricartAgrawala, bounded, true)).toMatchObject({ isJudged: false, bounds: [] });
  expect(planOf(ricartAgrawala, { ...bounded, loss: 0.1 })).toMatchObject({ isJudged: false, bounds: [] });
});
