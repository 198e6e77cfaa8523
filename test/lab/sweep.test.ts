import { expect, test } from 'vitest';
import { raymond } from '../../src/algorithms/index.ts';
import { ownAlgorithmOf } from '../../src/lab/measure/own-algorithm.ts';
import {
  parseSweep,
  sizesUpTo,
  sweepText,
  toggleAlgorithm,
  withOwn,
  withProblem,
} from '../../src/lab/measure/sweep.ts';
import { sweepFileName } from '../../src/lab/measure/sweep-files.ts';
import { ricartAgrawalaNoTieBreak } from '../../src/mutants/ricart-agrawala.ts';

const own = ownAlgorithmOf({ algorithm: raymond, code: '', text: '', packed: '' })!;

test('a sweep survives its text in a permalink; invalid parts become defaults', () => {
  const sweep = { names: ['lamport', 'maekawa'], max: 64, runs: 5, measure: 'messages' } as const;
  expect(sweepText(sweep, null)).toBe('lamport,maekawa:64:5');
  expect(parseSweep(sweepText(sweep, null), raymond, null)).toEqual(sweep);
  const names = ['raymond', 'ricart-agrawala', 'maekawa'];
  const defaults = { names, max: 128, runs: 20, measure: 'messages' } as const;
  expect(parseSweep('', raymond, null)).toEqual(defaults);
  expect(parseSweep('nobody:1e9:x:y', raymond, null)).toEqual(defaults);
  expect(parseSweep('lamport,chang-roberts:16:5', raymond, null).names).toEqual(['lamport']); // one problem at a time
  expect(parseSweep('', ricartAgrawalaNoTieBreak, null).names).toEqual([
    'ricart-agrawala',
    'maekawa',
    'raymond',
  ]);
  expect(toggleAlgorithm(defaults, 'maekawa').names).toEqual(['raymond', 'ricart-agrawala']);
  expect(toggleAlgorithm({ ...defaults, names: ['raymond'] }, 'raymond').names).toEqual(['raymond']); // at least one stays
  expect(sizesUpTo(16)).toEqual([2, 4, 8, 16]);
});

test('a measure is part of the text if it applies to the problem', () => {
  const sweep = parseSweep('lamport,maekawa:64:5:delay', raymond, null);
  expect(sweep.measure).toBe('delay');
  expect(sweepText(sweep, null)).toBe('lamport,maekawa:64:5:delay');
  expect(parseSweep('chang-roberts:64:5:delay', raymond, null).measure).toBe('messages');
  expect(withProblem(sweep, 'election', null).measure).toBe('messages');
  expect(withProblem({ ...sweep, measure: 'bits' }, 'election', null).measure).toBe('bits');
});

test('the algorithm from the editor is compared with that of the catalogue with the same name', () => {
  const sweep = parseSweep('raymond,own:64:5:delay', raymond, own);
  expect(sweep.names).toEqual(['raymond', 'raymond (yours)']);
  expect(sweepText(sweep, own)).toBe('raymond,own:64:5:delay');
  expect(parseSweep('raymond,own:64:5', raymond, null).names).toEqual(['raymond']); // it is gone
  expect(parseSweep('', raymond, own).names).toEqual(['raymond (yours)', 'ricart-agrawala', 'maekawa']);
  expect(withOwn(parseSweep('lamport:64:5', raymond, own), own).names).toEqual([
    'raymond (yours)',
    'lamport',
  ]);
  expect(withOwn(parseSweep('peterson:64:5:elected', raymond, own), own)).toMatchObject({
    names: ['raymond (yours)', 'ricart-agrawala', 'maekawa'],
    measure: 'messages',
  });
});

test('the name of a file says what is in it', () => {
  const few = { names: ['raymond', 'raymond (yours)'], measure: 'delay' } as const;
  expect(sweepFileName(few)).toBe('synchronisation-delay-of-raymond-raymond-yours');
  expect(sweepFileName({ names: ['a', 'b', 'c', 'd'], measure: 'busiest' })).toBe(
    'busiest-process-s-share-of-4-algorithms',
  );
});
