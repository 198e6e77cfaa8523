// Folklore: a central coordinator. Here after lecture slides, corrected: the coordinator records the holder (printed: it never
// marks the section occupied or free, ER-11). The slides' DENIED is in central-coordinator-denied. The coordinator's own requests cost
// no message.

import type { Address, Algorithm, Facts, Process } from '../../core/algorithm.ts';
import {
  alone,
  atMost,
  busiestShare,
  eachOther,
  synchronisationDelay,
  waitingTime,
} from '../../core/bounds.ts';
import { countInFlight } from '../../core/world-queries.ts';

type Knows = ['parent']; // the coordinator; null at the coordinator itself
type Client = Address | 'me';

const init = ({ parent }: Facts<Knows>) => ({
  coordinator: parent,
  holder: null as Client | null,
  queue: [] as Client[],
});

type State = ReturnType<typeof init>;
type Message = { type: 'request' | 'granted' | 'release' };
type P = Process<'mutex', Message, Knows>;

function request(s: State, p: P, client: Client) {
  if (s.holder === null) grant(s, p, client);
  else s.queue.push(client);
}

function grant(s: State, p: P, client: Client) {
  s.holder = client;
  if (client === 'me') p.emit({ type: 'entered' });
  else p.send(client, { type: 'granted' });
}

function release(s: State, p: P) {
  s.holder = null;
  const client = s.queue.shift();
  if (client !== undefined) grant(s, p, client);
}

/** Folklore: a coordinator grants the lock in the order of requests; at most 3 messages per entry. */
export const centralCoordinator: Algorithm<'mutex', State, Message, Knows> = {
  name: 'central-coordinator',
  problem: 'mutex',
  paper: 'folklore',
  assumes: { topology: 'complete', channels: 'unordered', failures: 'none', timing: 'asynchronous' },
  knows: ['parent'],
  messages: { request: {}, granted: {}, release: {} },
  addresses: { values: ['coordinator', 'holder', 'queue'] },
  bounds: [
    atMost(['request'], '1', 'by the rules', () => 1),
    atMost(['granted'], '1', 'by the rules', () => 1),
    atMost(['release'], '1', 'by the rules', () => 1),
    synchronisationDelay.atMost('2T', 'release, grant', ({ T }) => 2 * T),
    waitingTime.atMost('2T', 'request, grant', ({ T }) => 2 * T, alone),
    busiestShare.exactly('1/2', 'the coordinator is an end of every message', () => 1 / 2),
  ],
  bypass: [eachOther(1, 'heard', 'the queue is FIFO')],
  init,

  calls: {
    request(s, p) {
      if (s.coordinator === null) request(s, p, 'me');
      else p.send(s.coordinator, { type: 'request' });
    },
    release(s, p) {
      if (s.coordinator === null) release(s, p);
      else p.send(s.coordinator, { type: 'release' });
    },
  },

  on: {
    request: (s, p, _m, client) => request(s, p, client),
    release: (s, p) => release(s, p),
    granted: (_s, p) => p.emit({ type: 'entered' }),
  },

  invariants: {
    'one grant or release on its way, and only while somebody holds': (world) =>
      countInFlight(world, 'granted') + countInFlight(world, 'release') <=
      world.states.filter(({ holder }) => holder !== null).length,
    'nobody waits twice, or while nobody holds': ({ states }) =>
      states.every(({ holder, queue }) => queue.length <= (holder === null ? 0 : new Set(queue).size)),
  },
};
