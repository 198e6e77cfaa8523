import { carvalhoRoucairol } from '../../src/algorithms/mutex/carvalho-roucairol.ts';
import { holdsEverywhere } from '../conformance/checked.ts';
import { conformsToMutex } from '../conformance/mutex.ts';

conformsToMutex(carvalhoRoucairol, {
  hash: 'c408d3b2789d4e4c',
  golden: {
    standing: {
      about: 'The second entry of 2 costs nothing: its permissions stand.',
      scenario: { n: 3, start: [{ process: 2, at: 0 }], entries: 2 },
    },
  },
  reaches: { best: { n: 4, start: [{ process: 0 }], entries: 3 }, worst: { n: 4, start: [{ process: 3 }] } },
  bypass: [{ n: 4, seed: 26 }],
});

holdsEverywhere(carvalhoRoucairol, [
  [{ n: 3, entries: 2 }, { lemmas: true }, 9601],
  [{ n: 4 }, {}, 4075],
  [{ n: 3, entries: 2 }, { bounds: true, bypass: true }, 20_554],
]);
