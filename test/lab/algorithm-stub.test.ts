import { expect, test } from 'vitest';
import { resolve } from '../../src/catalogue/index.ts';
import { describeAlgorithm, stubAlgorithm } from '../../src/lab/run-worker/algorithm-stub.ts';
import { setupFor } from '../../src/lab/state/run-spec.ts';
import { kindsOf } from '../../src/lab/ui/context.ts';
import { declared } from '../../src/machine/index.ts';

test('a stub has the declarations of its algorithm, but none of its functions', () => {
  for (const name of ['dijkstra-k-state', 'raymond', 'bakery']) {
    const given = resolve(name);
    const described = describeAlgorithm(given);
    expect(structuredClone(described)).toEqual(described);
    const algorithm = stubAlgorithm(described);
    expect(setupFor({ algorithm, fields: { n: '4' } }).n).toBe(4);
    expect(setupFor({ algorithm, fields: { n: '4' } }).algorithm.addresses).toEqual(
      declared(given).addresses,
    );
    expect(kindsOf({ algorithm })).toEqual(kindsOf({ algorithm: given }));
    expect(() => algorithm.init({ me: 0, n: 4 })).toThrow('in a thread of its own');
  }
});
