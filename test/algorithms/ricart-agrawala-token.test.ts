import { ricartAgrawalaToken } from '../../src/algorithms/mutex/ricart-agrawala-token.ts';
import { holdsEverywhere } from '../conformance/checked.ts';
import { conformsToMutex, countsExactly } from '../conformance/mutex.ts';

conformsToMutex(ricartAgrawalaToken, {
  hash: '3711a4130f897560',
  golden: {
    'er-06': {
      about:
        "ER-06. The scan uses the holder's own entry: a request is not seen, and who made it waits for ever.",
      scenario: { n: 3, entries: 2, seed: 3 },
      of: 'ricart-agrawala-token-wrong-entry',
    },
    'er-07': {
      about:
        'ER-07. The token is here but not held: a request takes it away, and its owner enters all the same.',
      scenario: { n: 2, entries: 2, seed: 26, hold: 'fixed:20' },
      of: 'ricart-agrawala-token-gap',
    },
    'er-08': {
      about: 'ER-08. Who waits and dies takes the token with it, though it was not the holder.',
      scenario: {
        n: 3,
        start: [
          { process: 0, at: 0 },
          { process: 1, at: 1 },
          { process: 2, at: 30 },
        ],
        hold: 'fixed:15',
        faults: [{ type: 'crash', process: 1, at: 12 }],
      },
    },
    'er-37': {
      about: 'ER-37. The stamp is taken before the clock ticks: the first request looks served.',
      scenario: { n: 2, start: [{ process: 1, at: 0 }] },
      of: 'ricart-agrawala-token-late-tick',
    },
  },
  reaches: { best: { n: 4, start: [{ process: 0 }], entries: 3 }, worst: { n: 4, start: [{ process: 2 }] } },
  bypass: [{ n: 4, seed: 5 }],
});

// An entry takes either no message or n messages.
countsExactly(ricartAgrawalaToken, ({ n, messages: { byType } }) => ({
  request: (n - 1) * byType.access!,
  access: byType.access!,
}));

holdsEverywhere(ricartAgrawalaToken, [
  [{ n: 3, entries: 2 }, { lemmas: true }, 39_421],
  [{ n: 4 }, {}, 31_468],
  [{ n: 3, entries: 2 }, { bounds: true, bypass: true }, 48_251],
]);
