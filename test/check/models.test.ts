// Numbers of states that others have published for their own models. We wrote these models in our contract.
import { expect, test } from 'vitest';
import { check } from '../../src/check/index.ts';
import { checkWithin } from './constrained.ts';
import { changRobertsByMerz } from './models/chang-roberts.ts';
import { lamportMutex } from './models/lamport-mutex.ts';
import { twoPhaseCommit } from './models/two-phase-commit.ts';

const nobodyAsks = { start: [] };

// The test in Stateright's examples/2pc.rs has these numbers.
test.each([
  [3, 288],
  [5, 8832],
])('two-phase commit, %i resource managers: %i states', (managers, states) => {
  const report = check(
    twoPhaseCommit(managers),
    { n: 1, ...nobodyAsks },
    { lemmas: true, reduction: false, progress: false },
  );
  expect(report).toMatchObject({ complete: true, states });
  if (managers === 3) expect(report).toMatchObject({ transitions: 1146 - 1, depth: 11 - 1 }); // TLA+ TwoPhase
});

// TLC's results are in manifest.json beside each specification in tlaplus/Examples. TLC counts the initial states among those
// generated, and its depth begins at 1.
test('TLA+ LamportMutex, N = 3, maxClock = 6: 724,274 distinct states', () => {
  const isWithin = ({ clock }: { clock: number }) => clock <= 6;
  const seen = checkWithin(lamportMutex, { n: 3, ...nobodyAsks }, isWithin);
  expect(seen).toMatchObject({ found: null, states: 724_274, depth: 61 - 1 });
  expect(seen.initial + seen.transitions + seen.leftOut).toBe(2_729_079); // states generated
});

test('TLA+ ChangRoberts, N = 3: 137 distinct states', () => {
  const isWithin = ({ tookTooEarly }: { tookTooEarly: boolean }) => !tookTooEarly;
  const seen = checkWithin(changRobertsByMerz, { ids: [1, 2, 3], ...nobodyAsks }, isWithin);
  expect(seen).toMatchObject({ found: null, states: 137, depth: 10 - 1 });
  expect(seen.initial + seen.transitions).toBe(227); // states generated
});
