// G. Ricart, A. K. Agrawala: An Optimal Algorithm for Mutual Exclusion in Computer Networks.
// CACM 24(1):9-17, 1981. Names are the paper's: Our_Sequence_Number is ourSequenceNumber.

import type { Algorithm, Bypass, Facts } from '../../core/algorithm.ts';
import {
  aloneOfMany,
  eachOther,
  exactly,
  heavyLoad,
  synchronisationDelay,
  throughput,
  waitingTime,
} from '../../core/bounds.ts';
import { forEvery } from '../../core/world-queries.ts';

type Knows = ['me', 'n', 'neighbours'];

const init = ({ n }: Facts<Knows>) => ({
  requestingCriticalSection: false,
  ourSequenceNumber: 0,
  highestSequenceNumber: 0,
  outstandingReplyCount: 0,
  replyDeferred: Array<boolean>(n).fill(false),
});

type State = ReturnType<typeof init>;
type Message = { type: 'request'; k: number } | { type: 'reply' };

const isInside = (s: State) => s.requestingCriticalSection && s.outstandingReplyCount === 0;

const isFifo: Bypass['when'] = { condition: 'FIFO', holds: ({ channels }) => channels !== 'unordered' };
const raynal = 'Raynal, chapter 2, section 3.1';

/** Ricart and Agrawala (1981): a request to all, whose replies are delayed by older requests; 2(n-1) messages per entry. */
export const ricartAgrawala: Algorithm<'mutex', State, Message, Knows> = {
  name: 'ricart-agrawala',
  problem: 'mutex',
  paper: 'doi:10.1145/358527.358537',
  assumes: { topology: 'complete', channels: 'unordered', failures: 'none', timing: 'asynchronous' },
  knows: ['me', 'n', 'neighbours'],
  messages: { request: { k: 'count' }, reply: {} },
  addresses: { keys: ['replyDeferred'] },
  bounds: [
    exactly(['request'], 'n-1', raynal, ({ n }) => n - 1),
    exactly(['reply'], 'n-1', raynal, ({ n }) => n - 1),
    synchronisationDelay.exactly('T', 'lecture slides, unit 3', ({ T }) => T, heavyLoad),
    throughput.atMost('1/(T+E)', 'one delay for each entry', ({ T, E }) => 1 / (T + E), heavyLoad),
    waitingTime.exactly('2T', 'request, reply', ({ T }) => 2 * T, aloneOfMany),
    synchronisationDelay.atMost('3T', 'the oldest request may begin T after the release', ({ T }) => 3 * T),
  ],
  bypass: [
    eachOther(1, 'heard', 'who has heard asks with a larger number'),
    eachOther(2, 'request', 'our second reply comes after our request', isFifo),
  ],
  init,

  calls: {
    request(s, p) {
      s.requestingCriticalSection = true;
      s.ourSequenceNumber = s.highestSequenceNumber + 1;
      s.outstandingReplyCount = p.n - 1;
      const request: Message = { type: 'request', k: s.ourSequenceNumber };
      for (const j of p.neighbours) p.send(j, request);
      if (p.n === 1) p.emit({ type: 'entered' }); // no process to wait for
    },
    release(s, p) {
      s.requestingCriticalSection = false;
      for (const j of p.neighbours) {
        if (s.replyDeferred[j]) p.send(j, { type: 'reply' });
        s.replyDeferred[j] = false;
      }
    },
  },

  on: {
    request(s, p, { k }, j) {
      s.highestSequenceNumber = Math.max(s.highestSequenceNumber, k);
      const oursIsFirst = s.ourSequenceNumber < k || (s.ourSequenceNumber === k && p.me < j);
      if (s.requestingCriticalSection && oursIsFirst) s.replyDeferred[j] = true;
      else p.send(j, { type: 'reply' });
    },
    reply(s, p) {
      s.outstandingReplyCount -= 1;
      if (s.outstandingReplyCount === 0) p.emit({ type: 'entered' });
    },
  },

  invariants: {
    'who is inside made the first of all requests': forEvery(isInside, ({ states }, i) =>
      states.every((s, j) => {
        const k = states[i]!.ourSequenceNumber;
        return (
          !s.requestingCriticalSection || k < s.ourSequenceNumber || (k === s.ourSequenceNumber && i <= j)
        );
      }),
    ),
  },
};
