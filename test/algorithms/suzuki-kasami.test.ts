import { suzukiKasami } from '../../src/algorithms/mutex/suzuki-kasami.ts';
import { holdsEverywhere } from '../conformance/checked.ts';
import { conformsToMutex, countsExactly } from '../conformance/mutex.ts';

conformsToMutex(suzukiKasami, {
  hash: '09f779fadd7ce5ba',
  golden: {
    queue: {
      about: '1 and 2 ask while 0 is inside: both are queued in the token.',
      scenario: {
        n: 3,
        start: [
          { process: 0, at: 0 },
          { process: 1, at: 1 },
          { process: 2, at: 2 },
        ],
        hold: 'fixed:20',
      },
    },
  },
  reaches: { best: { n: 4, start: [{ process: 0 }], entries: 3 }, worst: { n: 4, start: [{ process: 2 }] } },
  bypass: [{ n: 4, seed: 5 }],
});

// An entry takes either no message or n messages.
countsExactly(suzukiKasami, ({ n, messages: { byType } }) => ({
  request: (n - 1) * byType.privilege!,
  privilege: byType.privilege!,
}));

holdsEverywhere(suzukiKasami, [
  [{ n: 3, entries: 2 }, { lemmas: true }, 62_103],
  [{ n: 4 }, {}, 42_611],
  [{ n: 3, entries: 2 }, { bounds: true, bypass: true }, 76_126],
]);
