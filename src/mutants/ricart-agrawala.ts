import { ricartAgrawala } from '../algorithms/mutex/ricart-agrawala.ts';
import type { Mutant } from './mutant.ts';

const { on } = ricartAgrawala;

export const ricartAgrawalaNoTieBreak: Mutant = {
  ...ricartAgrawala,
  name: 'ricart-agrawala-no-tie-break',
  of: 'ricart-agrawala',
  lie: 'of two requests with the same sequence number, each gives way to the other',
  failingRun: { n: '2' },
  on: {
    ...on,
    request(s, p, { k }, j) {
      s.highestSequenceNumber = Math.max(s.highestSequenceNumber, k);
      if (s.requestingCriticalSection && s.ourSequenceNumber < k) s.replyDeferred[j] = true;
      else p.send(j, { type: 'reply' });
    },
  },
};

export const ricartAgrawalaNoClockUpdate: Mutant = {
  ...ricartAgrawala,
  name: 'ricart-agrawala-no-clock-update',
  of: 'ricart-agrawala',
  lie: 'a received request does not raise the highest sequence number known, only our own do (ER-05, as printed in lecture slides)',
  calls: {
    ...ricartAgrawala.calls,
    request(s, p) {
      ricartAgrawala.calls.request(s, p);
      s.highestSequenceNumber = s.ourSequenceNumber;
    },
  },
  on: {
    ...on,
    request(s, p, m, j) {
      const { highestSequenceNumber } = s;
      on.request(s, p, m, j);
      s.highestSequenceNumber = highestSequenceNumber;
    },
  },
};
