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

function staged(algorithm: AnySharedAlgorithm, scenario: Scenario): SimulatedTimeline {
  const stage = new SimulatedTimeline(algorithm, scenario);
  stage.advanceTo(much);
  return stage;
}

function acted(stage: SimulatedTimeline, at: number, action: Intervention): SimulatedTimeline {
  const next = stage.intervene(at, action);
  if (typeof next === 'string') throw new Error(next);
  return next;
}

describe.each(sharedAlgorithms.map((algorithm) => [algorithm.name, algorithm] as const))(
  '%s on the stage',
  (_, algorithm) => {
    const scenario: Scenario = { n: 2, entries: 3, seed: 4 };

    test('left alone it gives the trace of simulate', () => {
      const lines: string[] = [];
      const run = new Simulation(algorithm, scenario, { trace: (line) => lines.push(line) });
      while (run.advance(1000));
      expect(traceText(traceOfTimeline(staged(algorithm, scenario)))).toBe(`${lines.join('\n')}\n`);
    });

    test('states at every moment are those of a replay', () => {
      const stage = staged(algorithm, scenario);
      const recorded = new ReplayedTimeline(algorithm, parseTrace(traceText(traceOfTimeline(stage))));
      for (let position = stage.events.length; position >= 0; position -= 1)
        for (const i of [0, 1]) expect(stage.stateAt(i, position)).toEqual(recorded.stateAt(i, position));
      expect(stage.stateAt(0, 0)).toMatchObject({ at: 'noncritical section' });
    });

    test('whatever a hand does, the trace replays, and what is promised without crashes holds', () => {
      const random = new Random(7, algorithm.name);
      const verbs = ['step', 'step', 'step', 'ask', 'pause', 'resume'] as const;
      for (let round = 0; round < 60; round += 1) {
        let stage = new SimulatedTimeline(algorithm, { ...scenario, seed: round });
        for (let k = 0; k < 12; k += 1) {
          const at = (stage.interventions.at(-1)?.at ?? 0) + random.below(4);
          const next = stage.intervene(at, {
            do: verbs[random.below(verbs.length)]!,
            process: random.below(2),
          });
          if (typeof next !== 'string') stage = next;
        }
        stage.advanceTo(much);
        expect(replay(algorithm, parseTrace(traceText(traceOfTimeline(stage))))).toMatchObject({ ok: true });
        expect(stage.verdict).not.toContain('at most one inside');
        const again = openTrace(algorithm, parseTrace(traceText(traceOfTimeline(stage))));
        expect(again).toBeInstanceOf(SimulatedTimeline);
        again.advanceTo(much);
        expect(traceText(traceOfTimeline(again))).toBe(traceText(traceOfTimeline(stage)));
      }
    });
  },
);

describe('a hand', () => {
  const stage = staged(petersonLock, { n: 2, seed: 1 });

  test('lets a process make its next access, before its time', () => {
    const asked = stage.events.findIndex(({ input }) => input.kind === 'call') + 1;
    const { process } = stage.events[asked - 1]!;
    const next = acted(stage, asked, { do: 'step', process });
    next.advanceTo(asked + 1);
    expect(next.events[asked]).toMatchObject({ process, input: { kind: 'step' } });
    expect(next.events[asked]!.time).toBe(stage.events[asked - 1]!.time);
    expect(next.head.hand).toBe(`${asked}:step:${process}`);
  });

  test('is told what it cannot do', () => {
    expect(stage.intervene(0, { do: 'step', process: 0 })).toBe('process 0 is at none of its lines');
    const none = 'its processes share memory: there are no messages and no links';
    expect(stage.intervene(0, { do: 'drop', message: 0 })).toBe(none);
    expect(stage.intervene(0, { do: 'cut', between: [0, 1] })).toBe(none);
    expect(stage.intervene(0, { do: 'resume', process: 1 })).toBe('process 1 is not paused');
  });

  test('crashes a process', () => {
    const next = acted(stage, 3, { do: 'crash', process: 0 });
    next.advanceTo(much);
    expect(eventLine(next.events[3]!)).toMatch(/ 0 crash/);
  });

  test('asks again, and steps, at a process that crashed in the middle of its program and restarted', () => {
    const slow = { n: 2, latency: 'fixed:9', think: 'fixed:0', seed: 1 };
    const crashed = acted(new SimulatedTimeline(petersonLock, slow), 2, { do: 'crash', process: 0 });
    const restarted = acted(crashed, 3, { do: 'restart', process: 0 });
    expect(restarted.intervene(4, { do: 'step', process: 0 })).toBe('process 0 is at none of its lines');
    const asked = acted(restarted, 4, { do: 'ask', process: 0 });
    asked.advanceTo(5);
    expect(asked.events[4]).toMatchObject({ process: 0, input: { kind: 'call', name: 'request' } });
    expect(acted(asked, 5, { do: 'step', process: 0 }).advanceTo(6)).toBe(true);
  });

  test('steps two processes of a broken lock inside', () => {
    let run: SimulatedTimeline = new SimulatedTimeline(petersonLockTurnFirst, {
      latency: 'fixed:100',
      think: 'fixed:0',
    });
    const steps = [0, 1, 1, 1, 0, 0, 0]; // 0 says it came last, then 1 does and gets in, since 0 does not want to yet; then 0 does
    run.advanceTo(2);
    for (const process of steps) run = acted(run, run.events.length, { do: 'step', process });
    run.advanceTo(much);
    expect(run.verdict).toMatch(/^at most one inside is violated/);
    expect(run.events).toHaveLength(9);
  });
});

test('accesses are bounded as the paper has it', () => {
  const stage = staged(petersonLock, { n: 2 });
  const [write] = limitsAfter(stage, 2, 3, 2).filter(({ counts }) => counts.includes('write'));
  expect(write).toMatchObject({ atLeast: 6, atMost: 9 });
});
