import { martin } from '../../src/algorithms/mutex/martin.ts';
import { conformsToMutex } from '../conformance/mutex.ts';

conformsToMutex(martin, {
  hash: 'e266d2f0f69cb215',
  golden: {
    reflected: {
      about: '2 asks to the left; the privilege is reflected at 0 and comes back to the right.',
      scenario: { n: 3, start: [{ process: 2, at: 0 }] },
    },
  },
  reaches: { best: { n: 5, start: [{ process: 0 }], entries: 3 }, worst: { n: 5, start: [{ process: 4 }] } },
});
