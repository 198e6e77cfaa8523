// The reported memory is what the process uses, as far as objects can be estimated.
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { expect, test } from 'vitest';
import { lamport } from '../../src/algorithms/index.ts';
import { Check } from '../../src/check/index.ts';

setFlagsFromString('--expose-gc');
const collect = runInNewContext('gc') as () => void;

function used(): number {
  collect();
  const { heapUsed, external } = process.memoryUsage();
  return heapUsed + external;
}

test('lamport, n = 3', () => {
  const before = used();
  const search = new Check(lamport, { n: 3 }, { lemmas: false, maxStates: 300_000 });
  while (search.advance(100_000));
  const ratio = search.bytes / (used() - before);
  expect(ratio).toBeGreaterThan(0.5);
  expect(ratio).toBeLessThan(1.5);
});
