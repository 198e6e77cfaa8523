import { expect, test } from 'vitest';
import { raymond } from '../../src/algorithms/index.ts';
import { parseSweep, sizesUpTo, sweepText, toggleAlgorithm } from '../../src/lab/measure/sweep.ts';
import { ricartAgrawalaNoTieBreak } from '../../src/mutants/ricart-agrawala.ts';

test('a sweep survives its text in a permalink; invalid parts become defaults', () => {
  const sweep = { names: ['lamport', 'maekawa'], max: 64, runs: 5 };
  expect(parseSweep(sweepText(sweep), raymond)).toEqual(sweep);
  const defaults = { names: ['raymond', 'ricart-agrawala', 'maekawa'], max: 128, runs: 20 };
  expect(parseSweep('', raymond)).toEqual(defaults);
  expect(parseSweep('nobody:1e9:x', raymond)).toEqual(defaults);
  expect(parseSweep('lamport,chang-roberts:16:5', raymond).names).toEqual(['lamport']); // one problem at a time
  expect(parseSweep('', ricartAgrawalaNoTieBreak).names).toEqual(['ricart-agrawala', 'maekawa', 'raymond']);
  expect(toggleAlgorithm(defaults, 'maekawa').names).toEqual(['raymond', 'ricart-agrawala']);
  expect(toggleAlgorithm({ ...defaults, names: ['raymond'] }, 'raymond').names).toEqual(['raymond']); // at least one stays
  expect(sizesUpTo(16)).toEqual([2, 4, 8, 16]);
});
