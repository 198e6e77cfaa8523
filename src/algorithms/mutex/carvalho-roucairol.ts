// O. S. F. Carvalho, G. Roucairol: On Mutual Exclusion in Computer Networks. CACM 26(2):146-147, 1983.
// Ricart and Agrawala's algorithm with lasting permissions: the reply of j stays valid until we reply to j. Names as there.

import type { Algorithm, Facts, Process } from '../../core/algorithm.ts';
import { atMost, eachOther, saturated, synchronisationDelay } from '../../core/bounds.ts';
import { countInFlight } from '../../core/world-queries.ts';

type Knows = ['me', 'n', 'neighbours'];

const init = ({ me, n }: Facts<Knows>) => ({
  requestingCriticalSection: false,
  inside: false,
  ourSequenceNumber: 0,
  highestSequenceNumber: 0,
  // In each pair exactly one side has the other's permission, or it is in flight; initially the smaller id has it.
  authorised: Array.from({ length: n }, (_, j) => me < j),
  replyDeferred: Array<boolean>(n).fill(false),
});

type State = ReturnType<typeof init>;
type Message = { type: 'request'; k: number } | { type: 'reply' };
type P = Process<'mutex', Message, Knows>;

function tryEnter(s: State, p: P) {
  if (!p.neighbours.every((j) => s.authorised[j])) return;
  s.inside = true;
  p.emit({ type: 'entered' });
}

const raynal = 'Raynal, chapter 2, section 3.1';

/** Carvalho and Roucairol (1983): permissions that last until they are given back; 0 to 2(n-1) messages per entry. */
export const carvalhoRoucairol: Algorithm<'mutex', State, Message, Knows> = {
  name: 'carvalho-roucairol',
  problem: 'mutex',
  paper: 'doi:10.1145/358024.358057',
  assumes: { topology: 'complete', channels: 'unordered', failures: 'none', timing: 'asynchronous' },
  knows: ['me', 'n', 'neighbours'],
  messages: { request: { k: 'count' }, reply: {} },
  addresses: { keys: ['authorised', 'replyDeferred'] },
  bounds: [
    atMost(['request'], 'n-1', raynal, ({ n }) => n - 1),
    atMost(['reply'], 'n-1', raynal, ({ n }) => n - 1),
    synchronisationDelay.exactly('T', 'the deferred reply', ({ T }) => T, saturated),
  ],
  bypass: [eachOther(1, 'heard', 'who has heard asks with a larger number')],
  init,

  calls: {
    request(s, p) {
      s.requestingCriticalSection = true;
      s.ourSequenceNumber = s.highestSequenceNumber + 1;
      for (const j of p.neighbours) {
        if (!s.authorised[j]) p.send(j, { type: 'request', k: s.ourSequenceNumber });
      }
      tryEnter(s, p);
    },
    release(s, p) {
      s.requestingCriticalSection = false;
      s.inside = false;
      for (const j of p.neighbours) {
        if (!s.replyDeferred[j]) continue;
        s.replyDeferred[j] = false;
        s.authorised[j] = false;
        p.send(j, { type: 'reply' });
      }
    },
  },

  on: {
    request(s, p, { k }, j) {
      s.highestSequenceNumber = Math.max(s.highestSequenceNumber, k);
      const oursIsFirst = s.ourSequenceNumber < k || (s.ourSequenceNumber === k && p.me < j);
      if (s.inside || (s.requestingCriticalSection && oursIsFirst)) {
        s.replyDeferred[j] = true;
        return;
      }
      const hadItsPermission = s.authorised[j];
      s.authorised[j] = false;
      p.send(j, { type: 'reply' });
      // We gave away a permission that we still need, so we request it again.
      if (s.requestingCriticalSection && hadItsPermission)
        p.send(j, { type: 'request', k: s.ourSequenceNumber });
    },
    reply(s, p, _m, j) {
      s.authorised[j] = true;
      tryEnter(s, p);
    },
  },

  invariants: {
    'one permission for each pair': (world) =>
      world.states.every((s, i) =>
        world.states.every((t, j) => {
          const replies =
            countInFlight(world, 'reply', { from: i, to: j }) +
            countInFlight(world, 'reply', { from: j, to: i });
          return i >= j || Number(s.authorised[j]) + Number(t.authorised[i]) + replies === 1;
        }),
      ),
    'a permission that is wanted and missing is asked for, deferred or on its way': (world) =>
      world.states.every((s, i) =>
        world.states.every((t, j) => {
          const isMissing = i !== j && s.requestingCriticalSection && !s.authorised[j];
          const asked = countInFlight(world, 'request', { from: i, to: j }) + Number(t.replyDeferred[i]);
          return !isMissing || asked + countInFlight(world, 'reply', { from: j, to: i }) === 1;
        }),
      ),
  },
};
