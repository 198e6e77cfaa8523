import { describe, expect, test } from 'vitest';
import { petersonLock, sharedAlgorithms } from '../../src/algorithms/index.ts';
import { Random } from '../../src/core/random.ts';
import type { AnySharedAlgorithm } from '../../src/core/shared-algorithm.ts';
import { eventLine, parseTrace, traceText } from '../../src/core/trace.ts';
import { petersonLockTurnFirst } from '../../src/mutants/peterson-lock.ts';
import { type Intervention, replay, type Scenario, Simulation } from '../../src/sim/index.ts';
import {
  limitsAfter,
  openTrace,
  ReplayedTimeline,
  SimulatedTimeline,
  traceOfTimeline,
} from '../../src/timeline/index.ts';

const much = 3000; // events

function simulated(algorithm: AnySharedAlgorithm, scenario: Scenario): SimulatedTimeline {
  const timeline = new SimulatedTimeline(algorithm, scenario);
  timeline.advanceTo(much);
  return timeline;
}

function intervened(timeline: SimulatedTimeline, at: number, action: Intervention): SimulatedTimeline {
  const next = timeline.intervene(at, action);
  if (typeof next === 'string') throw new Error(next);
  return next;
}

describe.each(sharedAlgorithms.map((algorithm) => [algorithm.name, algorithm] as const))(
  '%s as a timeline',
  (_, algorithm) => {
    const scenario: Scenario = { n: Math.max(2, algorithm.processes?.min ?? 1), entries: 3, seed: 4 };

    test('without interventions it gives the trace of simulate', () => {
      const lines: string[] = [];
      const run = new Simulation(algorithm, scenario, { trace: (line) => lines.push(line) });
      while (run.advance(1000));
      expect(traceText(traceOfTimeline(simulated(algorithm, scenario)))).toBe(`${lines.join('\n')}\n`);
    });

    test('states at every position are those of a replay', () => {
      const timeline = simulated(algorithm, scenario);
      const recorded = new ReplayedTimeline(algorithm, parseTrace(traceText(traceOfTimeline(timeline))));
      for (let position = timeline.events.length; position >= 0; position -= 1)
        for (const i of [0, 1]) expect(timeline.stateAt(i, position)).toEqual(recorded.stateAt(i, position));
      expect(timeline.stateAt(0, 0)).toMatchObject({ at: 'noncritical section' });
    });

    test('after any interventions the trace replays, and without crashes the properties hold', () => {
      const random = new Random(7, algorithm.name);
      const verbs = ['step', 'step', 'step', 'ask', 'pause', 'resume'] as const;
      for (let round = 0; round < 60; round += 1) {
        let timeline = new SimulatedTimeline(algorithm, { ...scenario, seed: round });
        for (let k = 0; k < 12; k += 1) {
          const at = (timeline.interventions.at(-1)?.at ?? 0) + random.below(4);
          const next = timeline.intervene(at, {
            do: verbs[random.below(verbs.length)]!,
            process: random.below(2),
          });
          if (typeof next !== 'string') timeline = next;
        }
        timeline.advanceTo(much);
        expect(replay(algorithm, parseTrace(traceText(traceOfTimeline(timeline))))).toMatchObject({
          ok: true,
        });
        expect(timeline.verdict).not.toContain('at most one inside');
        const again = openTrace(algorithm, parseTrace(traceText(traceOfTimeline(timeline))));
        expect(again).toBeInstanceOf(SimulatedTimeline);
        again.advanceTo(much);
        expect(traceText(traceOfTimeline(again))).toBe(traceText(traceOfTimeline(timeline)));
      }
    });
  },
);

describe('interventions on shared memory', () => {
  const timeline = simulated(petersonLock, { n: 2, seed: 1 });

  test('a process makes its next access at once', () => {
    const asked = timeline.events.findIndex(({ input }) => input.kind === 'call') + 1;
    const { process } = timeline.events[asked - 1]!;
    const next = intervened(timeline, asked, { do: 'step', process });
    next.advanceTo(asked + 1);
    expect(next.events[asked]).toMatchObject({ process, input: { kind: 'step' } });
    expect(next.events[asked]!.time).toBe(timeline.events[asked - 1]!.time);
    expect(next.head.hand).toBe(`${asked}:step:${process}`);
  });

  test('impossible ones are refused', () => {
    expect(timeline.intervene(0, { do: 'step', process: 0 })).toBe('process 0 is at none of its lines');
    const none = 'its processes share memory: there are no messages and no links';
    expect(timeline.intervene(0, { do: 'drop', message: 0 })).toBe(none);
    expect(timeline.intervene(0, { do: 'cut', between: [0, 1] })).toBe(none);
    expect(timeline.intervene(0, { do: 'resume', process: 1 })).toBe('process 1 is not paused');
  });

  test('a process crashes', () => {
    const next = intervened(timeline, 3, { do: 'crash', process: 0 });
    next.advanceTo(much);
    expect(eventLine(next.events[3]!)).toMatch(/ 0 crash/);
  });

  test('a process that crashed in its program and restarted requests again and takes steps', () => {
    const slow = { n: 2, latency: 'fixed:9', think: 'fixed:0', seed: 1 };
    const crashed = intervened(new SimulatedTimeline(petersonLock, slow), 2, { do: 'crash', process: 0 });
    const restarted = intervened(crashed, 3, { do: 'restart', process: 0 });
    expect(restarted.intervene(4, { do: 'step', process: 0 })).toBe('process 0 is at none of its lines');
    const asked = intervened(restarted, 4, { do: 'ask', process: 0 });
    asked.advanceTo(5);
    expect(asked.events[4]).toMatchObject({ process: 0, input: { kind: 'call', name: 'request' } });
    expect(intervened(asked, 5, { do: 'step', process: 0 }).advanceTo(6)).toBe(true);
  });

  test('steps bring two processes of a broken lock inside', () => {
    let run: SimulatedTimeline = new SimulatedTimeline(petersonLockTurnFirst, {
      latency: 'fixed:100',
      think: 'fixed:0',
    });
    const steps = [0, 1, 1, 1, 0, 0, 0]; // 0 writes that it came last, then 1 does and enters, since 0 does not want to enter yet; then 0 does
    run.advanceTo(2);
    for (const process of steps) run = intervened(run, run.events.length, { do: 'step', process });
    run.advanceTo(much);
    expect(run.verdict).toMatch(/^at most one inside is violated/);
    expect(run.events).toHaveLength(9);
  });
});

test('accesses are within the bounds of the paper', () => {
  const timeline = simulated(petersonLock, { n: 2 });
  const [write] = limitsAfter(timeline, 2, 3, 2).filter(({ counts }) => counts.includes('write'));
  expect(write).toMatchObject({ atLeast: 6, atMost: 9 });
});
