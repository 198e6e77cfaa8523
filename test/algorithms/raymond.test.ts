import { raymond } from '../../src/algorithms/mutex/raymond.ts';
import { holdsEverywhere } from '../conformance/checked.ts';
import { conformsToMutex } from '../conformance/mutex.ts';

conformsToMutex(raymond, {
  hash: '5fc228be3148c30b',
  golden: {
    line: {
      about: 'A line: the request goes to the holder, the privilege comes back, pointers turn.',
      scenario: {
        n: 4,
        topology: 'line',
        start: [
          { process: 3, at: 0 },
          { process: 1, at: 2 },
        ],
      },
    },
  },
  scenarios: [{ topology: 'tree' }, { topology: 'line' }, { topology: 'star' }],
  reaches: {
    best: { n: 5, start: [{ process: 0 }], entries: 3 },
    worst: { n: 5, topology: 'line', start: [{ process: 4 }] },
  },
  bypass: [{ n: 4, seed: 47 }],
});

holdsEverywhere(raymond, [
  [{ n: 3, entries: 2 }, { lemmas: true }, 1004],
  [{ n: 4 }, {}, 1104],
  [{ n: 3, entries: 2 }, { bounds: true, bypass: true }, 2560],
]);
