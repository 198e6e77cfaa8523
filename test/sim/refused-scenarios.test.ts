// Scenarios that were once accepted in silence.
import { expect, test } from 'vitest';
import { changRoberts } from '../../src/algorithms/index.ts';
import { check, randomWalk } from '../../src/check/index.ts';
import { withSnapshots } from '../../src/compositions/index.ts';
import { svgDiagram, textDiagram } from '../../src/diagram/index.ts';
import { simulate } from '../../src/sim/index.ts';

test('an unknown field is refused, with a suggestion', () => {
  const misspelt = { latncy: 'fixed:1' } as object;
  expect(() => simulate(changRoberts, misspelt)).toThrow(
    "a scenario has no field 'latncy'; did you mean latency",
  );
  expect(() => check(changRoberts, misspelt)).toThrow(
    "the space of a search has no option 'latncy': did you mean latency?",
  );
});

test('an unknown option is refused, with the one that was meant', () => {
  const unknown = (options: object) => options as never;
  const run = simulate(changRoberts, { n: 3, events: true });
  for (const [call, sentence] of [
    [
      () => simulate(changRoberts, {}, unknown({ invariant: true })),
      "simulate has no option 'invariant': did you mean invariants?",
    ],
    [
      () => check(changRoberts, {}, unknown({ maxstates: 5 })),
      "check has no option 'maxstates': did you mean maxStates?",
    ],
    [
      () => check(changRoberts, unknown({ loss: 0.5 })),
      /^the space of a search has no option 'loss': its options are n, ids, /,
    ],
    [
      () => randomWalk(changRoberts, {}, unknown({ run: 5 })),
      "randomWalk has no option 'run': did you mean runs?",
    ],
    [
      () => randomWalk(changRoberts, {}, unknown({ reduction: true })),
      /^randomWalk has no option 'reduction'/,
    ],
    [
      () => svgDiagram(run, unknown({ pallete: {} })),
      "svgDiagram has no option 'pallete': did you mean palette?",
    ],
    [
      () => textDiagram(run, unknown({ event: 5 })),
      "textDiagram has no option 'event': did you mean events?",
    ],
  ] as const)
    expect(call).toThrow(sentence);
  expect(check(changRoberts, { n: 2 }, { maxStates: undefined } as object).ok).toBe(true);
});

test('so is an unknown field of a fault, a start, a snapshot or a slow link', () => {
  const given = (scenario: object) => () => simulate(changRoberts, { n: 3, ...scenario });
  const pause = { type: 'pause', process: 0, at: 3 };
  expect(given({ faults: [{ ...pause, untill: 8 }] })).toThrow(
    "a fault of type pause has no option 'untill': did you mean until?",
  );
  expect(given({ faults: [pause] })).toThrow(/pause end/);
  expect(given({ faults: [{ type: 'crash', process: 0, at: 3, until: 8 }] })).toThrow(
    /^a fault of type crash/,
  );
  expect(given({ start: [{ process: 0, time: 9 }] })).toThrow(
    "a start has no option 'time': its options are process, at",
  );
  expect(given({ slow: [{ between: [0, 1], tick: 5 }] })).toThrow(
    "a slow link has no option 'tick': did you mean ticks?",
  );
  expect(given({ slow: [{ ticks: 5 }] })).toThrow('a slow link needs its two ends, like between: [0, 5]');
  const snapshots = withSnapshots(changRoberts);
  expect(() => simulate(snapshots, { snapshot: [{ process: 0, when: 9 } as never] })).toThrow(
    "a snapshot has no option 'when'",
  );
});

test('a fault without a type is refused in one sentence', () => {
  const faults = [{ process: 1, at: 3 } as never];
  expect(() => simulate(changRoberts, { faults })).toThrow(
    /^a fault needs a type: lose, .*; this one is \{"process":1,"at":3\}$/,
  );
});
