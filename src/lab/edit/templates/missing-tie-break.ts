// G. Ricart, A. K. Agrawala: An Optimal Algorithm for Mutual Exclusion in Computer Networks, 1981.
// With one mistake.
import { type Algorithm, exactly, type Facts } from '../../../core/index.ts';

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

export const mine: Algorithm<'mutex', State, Message, Knows> = {
  name: 'ricart-agrawala-exercise',
  problem: 'mutex',
  paper: 'doi:10.1145/358527.358537',
  assumes: { topology: 'complete', channels: 'unordered', failures: 'none', timing: 'asynchronous' },
  knows: ['me', 'n', 'neighbours'],
  addresses: { keys: ['replyDeferred'] },
  bounds: [
    exactly(['request'], 'n-1', 'one to each of the others', ({ n }) => n - 1),
    exactly(['reply'], 'n-1', 'one from each of the others', ({ n }) => n - 1),
  ],
  init,

  calls: {
    request(s, p) {
      s.requestingCriticalSection = true;
      s.ourSequenceNumber = s.highestSequenceNumber + 1;
      s.outstandingReplyCount = p.n - 1;
      for (const j of p.neighbours) p.send(j, { type: 'request', k: s.ourSequenceNumber });
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
      const oursIsFirst = s.ourSequenceNumber < k;
      if (s.requestingCriticalSection && oursIsFirst) s.replyDeferred[j] = true;
      else p.send(j, { type: 'reply' });
    },
    reply(s, p) {
      s.outstandingReplyCount -= 1;
      if (s.outstandingReplyCount === 0) p.emit({ type: 'entered' });
    },
  },
};
