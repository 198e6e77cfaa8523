import { ricartAgrawala } from '../../src/algorithms/mutex/ricart-agrawala.ts';
import { conformsToMutex } from '../conformance/mutex.ts';

conformsToMutex(ricartAgrawala, {
  hash: '73672c031ddc8379',
  reaches: { best: { n: 4, entries: 3 }, worst: { n: 4, entries: 3 } },
  golden: {
    'three-ask': {
      about: 'Three ask at once; equal numbers, so positions decide: 0, 1, 2.',
      scenario: { n: 3, think: 'fixed:0' },
    },
    'no-tie-break': {
      about: 'Without the tie-break each gives way to the other, and both enter.',
      scenario: { n: 2, think: 'fixed:0', seed: 4 },
      of: 'ricart-agrawala-no-tie-break',
    },
  },
});
