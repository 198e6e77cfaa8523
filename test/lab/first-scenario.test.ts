import { expect, test } from 'vitest';
import { allMutants, failingRunOf, isMutant, listed } from '../../src/catalogue/index.ts';
import { firstScenario } from '../../src/lab/state/first-scenario.ts';
import { parseScenario, type Setup } from '../../src/sim/index.ts';
import { ClockHistory, SimulatedTimeline } from '../../src/timeline/index.ts';

test.each(
  listed
    .filter((algorithm) => !isMutant(algorithm) && algorithm.problem === 'clocks')
    .map((algorithm) => [algorithm.name, algorithm] as const),
)('%s: the first scenario ends without a violation, and brings the clocks closer', (_, algorithm) => {
  const timeline = new SimulatedTimeline(algorithm, parseScenario(firstScenario(algorithm)));
  timeline.advanceTo(5000);
  expect(timeline.verdict).toBe('ok');
  const clocks = new ClockHistory(timeline.setup as Setup);
  for (const event of timeline.events) clocks.add(event);
  const worst = (position: number) =>
    Math.max(...clocks.report(position).map(({ error }) => Math.abs(error) / 1_000_000));
  expect(worst(0)).toBeGreaterThan(150);
  expect(worst(timeline.events.length)).toBeLessThan(25);
});

test.each(allMutants.map((mutant) => [mutant.name, mutant] as const))(
  '%s: the first scenario shows the error, unless no run does',
  (_, mutant) => {
    const timeline = new SimulatedTimeline(mutant, parseScenario(firstScenario(mutant)));
    timeline.advanceTo(5000);
    if (failingRunOf(mutant) === null) expect(timeline.verdict).toBe('ok');
    else expect(timeline.verdict).toContain(' is violated');
  },
);
