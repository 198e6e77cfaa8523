import { expect, test } from 'vitest';
import { resolve } from '../../src/catalogue/index.ts';
import { describeAlgorithm, stubAlgorithm } from '../../src/lab/run-worker/algorithm-stub.ts';
import { setupFor } from '../../src/lab/state/run-spec.ts';
import { kindsOf } from '../../src/lab/ui/context.ts';

test('of an algorithm that somebody wrote, the page has no function', () => {
  for (const name of ['dijkstra-k-state', 'bakery']) {
    const given = resolve(name);
    const described = describeAlgorithm(given);
    expect(structuredClone(described)).toEqual(described);
    const algorithm = stubAlgorithm(described);
    expect(setupFor({ algorithm, fields: { n: '4' } }).n).toBe(4);
    expect(kindsOf({ algorithm })).toEqual(kindsOf({ algorithm: given }));
    expect(() => algorithm.init({ me: 0, n: 4 })).toThrow('in a thread of its own');
  }
});
