// Scenarios that were once accepted in silence.
import { expect, test } from 'vitest';
import { changRoberts } from '../../src/algorithms/index.ts';
import { check } from '../../src/check/index.ts';
import { simulate } from '../../src/sim/index.ts';

test('an unknown field is refused, with a suggestion', () => {
  const misspelt = { latncy: 'fixed:1' } as object;
  expect(() => simulate(changRoberts, misspelt)).toThrow(
    "a scenario has no field 'latncy'; did you mean latency",
  );
  expect(() => check(changRoberts, misspelt)).toThrow("a scenario has no field 'latncy'");
});

test('a fault without a type is refused in one sentence', () => {
  const faults = [{ process: 1, at: 3 } as never];
  expect(() => simulate(changRoberts, { faults })).toThrow(
    /^a fault needs a type: lose, .*; this one is \{"process":1,"at":3\}$/,
  );
});
