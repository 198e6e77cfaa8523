// K. Li, P. Hudak: Memory Coherence in Shared Virtual Memory Systems. ACM TOCS 7(4):321-359, 1989, the dynamic distributed manager for
// writes. Requests wait while the page's `lock` is taken. Deviation: waiting requests travel in the page, as in Suzuki and Kasami's token.
// probOwner becomes the receiver of the page, not the last requester, so our next request takes the same path as the page.

import type { Address, Algorithm, Bound, Facts, Process, World } from '../../core/algorithm.ts';
import { atMost, harmonic, onAverage, saturated, synchronisationDelay } from '../../core/bounds.ts';
import { countInFlight } from '../../core/world-queries.ts';

type Knows = ['me', 'parent'];
const init = ({ me, parent }: Facts<Knows>) => ({
  probOwner: parent ?? me, // our own id: we have the page or wait for it
  hasPage: parent === null,
  lock: false, // taken while we wait and while we are inside
  queue: [] as Address[], // processes waiting for the lock here; once we have the page, those that came with it are first
});
type State = ReturnType<typeof init>;
type Message = { type: 'request'; origin: Address } | { type: 'page'; queue: readonly Address[] };
type P = Process<'mutex', Message, Knows>;

function sendPage(s: State, p: P, [first, ...queue]: readonly Address[]) {
  s.hasPage = false;
  s.queue = [];
  s.probOwner = first!;
  p.send(first!, { type: 'page', queue });
}

/** Returns the next process on the path from i; from a waiter, the one that its request has reached or will reach next. */
function ahead({ states, inFlight }: World<State, Message>, i: Address): Address {
  if (states[i]!.probOwner !== i) return states[i]!.probOwner;
  const carrier = inFlight.find(({ message }) =>
    message.type === 'request' ? message.origin === i : message.queue.includes(i),
  );
  const keeper = states.findIndex(({ queue }) => queue.includes(i));
  return carrier?.to ?? (keeper < 0 ? i : keeper);
}

const isolated: Bound['when'] = { condition: 'isolated requests by anybody', holds: () => false }; // a run cannot tell this of itself

/** Li and Hudak (1989): a page has one owner, to which probOwner leads, as a lock has one holder; at most n messages per entry, H_n on average. */
export const liHudak: Algorithm<'mutex', State, Message, Knows> = {
  name: 'li-hudak',
  problem: 'mutex',
  paper: 'doi:10.1145/75104.75105',
  assumes: { topology: 'complete', channels: 'unordered', failures: 'none', timing: 'asynchronous' },
  knows: ['me', 'parent'],
  messages: { request: { origin: 'process' }, page: { queue: 'processes' } },
  addresses: { values: ['probOwner', 'queue', 'origin'] },
  bounds: [
    atMost(['request'], 'n-1', 'by the rules: nobody meets a request twice', ({ n }) => n - 1),
    onAverage(['request'], 'H_n - 1', 'then as naimi-trehel', ({ n }) => harmonic(n) - 1, isolated),
    atMost(['page'], '1', 'by the rules', () => 1),
    synchronisationDelay.exactly('T', 'the page goes to the next at once', ({ T }) => T, saturated),
  ],
  bypass: [
    {
      from: 'quiet',
      formula: '(a-1)(a-2)/2 + 1',
      source: 'by the rules: who waits behind one that waits joins the queue when that one enters',
      entries: ({ initiators: a }) => ((a - 1) * (a - 2)) / 2 + 1,
    },
  ],
  init,

  calls: {
    request(s, p) {
      s.lock = true;
      if (s.probOwner === p.me) return p.emit({ type: 'entered' });
      p.send(s.probOwner, { type: 'request', origin: p.me });
      s.probOwner = p.me;
    },
    release(s, p) {
      s.lock = false;
      if (s.queue.length > 0) sendPage(s, p, s.queue);
    },
  },

  on: {
    request(s, p, m) {
      if (s.lock) s.queue.push(m.origin);
      else if (s.probOwner === p.me) sendPage(s, p, [m.origin]);
      else {
        p.send(s.probOwner, m);
        s.probOwner = m.origin;
      }
    },
    page(s, p, { queue }) {
      s.hasPage = true;
      s.queue = [...queue, ...s.queue];
      p.emit({ type: 'entered' });
    },
  },

  token: {
    isHeld: (s) => s.hasPage,
    isIn: (m) => m.type === 'page',
    next: (m) => (m.type === 'page' ? m.queue[0] : undefined),
  },
  invariants: {
    'one page': (world) => world.states.filter((s) => s.hasPage).length + countInFlight(world, 'page') === 1,
    'who has the page or waits for it, and nobody else, is its own probOwner': ({ states }) =>
      states.every((s, i) => (s.probOwner === i) === (s.hasPage || s.lock)),
    'from everywhere, probOwner and the requests lead to the page': (world) =>
      world.states.every((_, i) => {
        let k = i;
        for (let steps = 1; steps < world.states.length; steps += 1) k = ahead(world, k);
        return world.states[k]!.hasPage || countInFlight(world, 'page', { to: k }) === 1;
      }),
    'who waits is in one queue, or its request or the page is on its way': (world) => {
      const queues = world.states.map(({ queue }) => queue);
      const requests: Address[] = [];
      for (const { to, message } of world.inFlight) {
        if (message.type === 'page') queues.push([...message.queue, to]);
        else requests.push(message.origin);
      }
      const coming = [...queues.flat(), ...requests].sort((i, k) => i - k);
      const waiting = world.states.flatMap((s, i) => (s.lock && !s.hasPage ? [i] : []));
      return coming.length === waiting.length && coming.every((i, k) => i === waiting[k]);
    },
  },
};
