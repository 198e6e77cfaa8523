// An algorithm may emit only events of its problem; every host checks this.
import { expect, test } from 'vitest';
import { changRoberts, cristian, ricartAgrawala } from '../../src/algorithms/index.ts';
import { check } from '../../src/check/index.ts';
import type { AnyAlgorithm } from '../../src/core/algorithm.ts';
import { parseTrace } from '../../src/core/trace.ts';
import { replay, simulate } from '../../src/sim/index.ts';

const emitting = (algorithm: AnyAlgorithm, call: string, type: string): AnyAlgorithm => ({
  ...algorithm,
  calls: { ...algorithm.calls, [call]: (_, p) => p.emit({ type }) },
});

test.each([
  [changRoberts, 'start', 'won', 'an election'],
  [changRoberts, 'start', 'entered', 'an election'],
  [changRoberts, 'start', 'recorded', 'an election'],
  [ricartAgrawala, 'request', 'locked', 'mutual exclusion'],
  [ricartAgrawala, 'request', 'elected', 'mutual exclusion'],
] as const)('%#', (algorithm, call, type, problem) => {
  const wrong = emitting(algorithm, call, type);
  const property = 'the contract is kept';
  const why = `at process 0: it emits '${type}', which is not an event of ${problem}`;
  const { violation } = check(wrong);
  expect(violation).toMatchObject({ property, why });
  expect(replay(wrong, parseTrace(violation!.trace)).ok).toBe(true);

  const scenario = { start: [{ process: 0 }] };
  const lines: string[] = [];
  expect(simulate(wrong, scenario).violations).toEqual([{ property, why }]);
  simulate(wrong, scenario, { trace: (line) => lines.push(`${line}\n`) });
  expect(replay(wrong, parseTrace(lines.join(''))).ok).toBe(true);
});

test('clocks', () => {
  const { violations } = simulate(emitting(cristian, 'synchronise', 'set'));
  expect(violations).toMatchObject([{ why: expect.stringMatching(/'set', which is not an event of clock/) }]);
});
