// M. Naimi, M. Trehel, A. Arnold: A log(N) Distributed Mutual Exclusion Algorithm Based on Path Reversal. J. Parallel and
// Distributed Computing 34(1):1-13, 1996. `last` leads to the last requester; `next` is the process that enters after us.

import type { Address, Algorithm, Bound, Facts } from '../../core/algorithm.ts';
import {
  atMost,
  eachOther,
  harmonic,
  onAverage,
  saturated,
  synchronisationDelay,
} from '../../core/bounds.ts';
import { countInFlight } from '../../core/world-queries.ts';

type Knows = ['me', 'parent'];

const init = ({ parent }: Facts<Knows>) => ({
  last: parent as Address | null, // null: we are the root, the last requester
  next: null as Address | null,
  tokenPresent: parent === null,
  requestingCs: false,
});

type State = ReturnType<typeof init>;
type Message = { type: 'request'; origin: Address } | { type: 'token' };

const isolated: Bound['when'] = { condition: 'isolated requests by anybody', holds: () => false }; // a run cannot tell this of itself
const source = 'section 2: the path to the root, and one token';

/** Naimi, Trehel and Arnold (1996): a token, and paths to the last requester that shorten; at most n messages per entry, H_n on average. */
export const naimiTrehel: Algorithm<'mutex', State, Message, Knows> = {
  name: 'naimi-trehel',
  problem: 'mutex',
  paper: 'doi:10.1006/jpdc.1996.0041',
  assumes: { topology: 'complete', channels: 'unordered', failures: 'none', timing: 'asynchronous' },
  knows: ['me', 'parent'],
  messages: { request: { origin: 'process' }, token: {} },
  addresses: { values: ['last', 'next', 'origin'] },
  bounds: [
    atMost(['request'], 'n-1', source, ({ n }) => n - 1),
    // The mean depth of a random recursive tree.
    onAverage(['request'], 'H_n - 1', 'by the rules', ({ n }) => harmonic(n) - 1, isolated),
    atMost(['token'], '1', source, () => 1),
    synchronisationDelay.exactly('T', 'the token goes to the next at once', ({ T }) => T, saturated),
    synchronisationDelay.atMost('nT', 'the path of a request, and the token', ({ n, T }) => n * T),
  ],
  bypass: [eachOther(1, 'quiet', 'the queue that next makes is FIFO')],
  init,

  calls: {
    request(s, p) {
      s.requestingCs = true;
      if (s.last !== null) {
        p.send(s.last, { type: 'request', origin: p.me });
        s.last = null;
      } else p.emit({ type: 'entered' }); // a root that is not requesting has the token
    },
    release(s, p) {
      s.requestingCs = false;
      if (s.next === null) return;
      p.send(s.next, { type: 'token' });
      s.tokenPresent = false;
      s.next = null;
    },
  },

  on: {
    request(s, p, m) {
      if (s.last !== null) p.send(s.last, m);
      else if (s.requestingCs) s.next = m.origin;
      else {
        s.tokenPresent = false;
        p.send(m.origin, { type: 'token' });
      }
      s.last = m.origin;
    },
    token(s, p) {
      s.tokenPresent = true;
      p.emit({ type: 'entered' });
    },
  },

  token: { isHeld: (s) => s.tokenPresent, isIn: (m) => m.type === 'token' },
  invariants: {
    'one token': (world) =>
      world.states.filter((s) => s.tokenPresent).length + countInFlight(world, 'token') === 1,
    'from everywhere, last leads to a root': ({ states }) =>
      states.every((_, i) => {
        let k: Address | null = i;
        for (let steps = 0; steps < states.length && k !== null; steps += 1) k = states[k]!.last;
        return k === null;
      }),
    'who waits is next of one, or its request or the token is on its way': (world) =>
      world.states.every((s, i) => {
        const requests = world.inFlight.filter(
          ({ message }) => message.type === 'request' && message.origin === i,
        );
        const coming = requests.length + countInFlight(world, 'token', { to: i });
        const after = world.states.filter(({ next }) => next === i).length;
        return coming + after === Number(s.requestingCs && !s.tokenPresent);
      }),
  },
};
