import { expect, test } from 'vitest';
import { lamport } from '../../src/algorithms/mutex/lamport.ts';
import { Adversary } from '../conformance/adversary.ts';
import { holdsEverywhere } from '../conformance/checked.ts';
import { conformsToMutex, countsExactly } from '../conformance/mutex.ts';

conformsToMutex(lamport, {
  hash: '77085e60a8e8cbac',
  reaches: { best: { n: 4, entries: 3 }, worst: { n: 4, entries: 3 } },
  bypass: [{ n: 4 }, 'one other process can enter three times (see below), but not all of them'],
  survives: { 'no duplication': 'duplicates arrive in order, and their content is already known' },
  golden: {
    'two-ask': {
      about: 'Both ask at once: the smaller name goes first. 3(n-1) messages per entry.',
      scenario: { n: 2, think: 'fixed:0' },
    },
    'unordered-channels': {
      about: 'ER-04. Without FIFO an acknowledgement overtakes the request before it: two inside.',
      scenario: { n: 2, channels: 'unordered', seed: 5 },
    },
  },
});

countsExactly(lamport, ({ n, entries }) => {
  const each = (n - 1) * entries;
  return { request: each, acknowledge: each, release: each };
});

test('while 2 waits, 0 enters three times: with two earlier acknowledgements, and then with the request of 2', () => {
  const before = [
    ['ask 0', '0>1 request', 'ask 1', '1>2 request', '1>0 acknowledge', '0>2 request', '2>0 acknowledge'],
    ['ask 2', '2>1 acknowledge', '1>0 request', 'leave 0', '0>1 acknowledge', '2>0 request', '0>1 release'],
    ['ask 0', 'leave 1', '0>1 request', '2>1 request', '0>2 release', 'ask 1', '1>2 release', 'leave 2'],
    ['1>0 release', '2>1 release', '1>2 acknowledge', '2>0 release', '0>2 acknowledge', '0>2 request'],
    ['1>2 request'],
  ];
  const while2Waits = [
    ['ask 2', '1>0 acknowledge', 'leave 0', 'ask 0', '0>1 release', '0>1 request', '1>0 request'],
    ['2>1 acknowledge', '2>0 acknowledge', 'leave 0', '0>1 acknowledge', '0>1 release', 'leave 1'],
    ['ask 0', '2>0 request', '1>0 acknowledge', '1>0 release'],
  ];
  const adversary = new Adversary(lamport, 3, 0);
  adversary.follow(before.flat());
  const entries = (process: number) => adversary.entered.filter((one) => one === process).length;
  const earlier = entries(0);
  adversary.follow(while2Waits.flat());
  expect(adversary.monitor.phase(2)).toBe('waiting');
  expect(entries(0) - earlier).toBe(3);
});

holdsEverywhere(lamport, [
  [{ n: 3 }, { lemmas: true }, 946_914],
  [{ n: 2, entries: 3 }, { lemmas: true, bypass: true }, 22_283],
]);
