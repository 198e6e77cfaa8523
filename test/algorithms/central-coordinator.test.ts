import { centralCoordinator } from '../../src/algorithms/mutex/central-coordinator.ts';
import { holdsEverywhere } from '../conformance/checked.ts';
import { conformsToMutex, countsExactly } from '../conformance/mutex.ts';

conformsToMutex(centralCoordinator, {
  hash: '4b75c1ed53bd8b0f',
  golden: {
    'er-11': {
      about: 'ER-11. The section is never marked occupied: two inside.',
      scenario: { n: 3, seed: 7 },
      of: 'central-coordinator-never-occupied',
    },
  },
  reaches: {
    best: { n: 4, start: [{ process: 0 }], entries: 3 },
    worst: { n: 4, start: [{ process: 2 }], entries: 3 },
  },
  bypass: [{ n: 4, seed: 5 }],
});

// Three messages for each entry of the n-1 clients, none for the entries of the coordinator.
countsExactly(centralCoordinator, ({ n }) => {
  const each = 3 * (n - 1);
  return { request: each, granted: each, release: each };
});

holdsEverywhere(centralCoordinator, [
  [{ n: 3, entries: 2 }, { lemmas: true }, 869],
  [{ n: 4 }, {}, 681],
  [{ n: 3, entries: 2 }, { bounds: true, bypass: true }, 1787],
]);
