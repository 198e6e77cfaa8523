import { lamport } from '../../src/algorithms/mutex/lamport.ts';
import { conformsToMutex } from '../conformance/mutex.ts';

conformsToMutex(lamport, {
  hash: '77085e60a8e8cbac',
  reaches: { best: { n: 4, entries: 3 }, worst: { n: 4, entries: 3 } },
  survives: { 'no duplication': 'copies follow in order, and what they say is already known' },
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
