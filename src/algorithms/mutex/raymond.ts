// K. Raymond: A Tree-Based Algorithm for Distributed Mutual Exclusion. ACM TOCS 7(1):61-77, 1989. A process knows only its
// neighbours in a tree; HOLDER points towards the token.

import type { Address, Algorithm, Facts, Pid, Process } from '../../core/algorithm.ts';
import { alone, atMost, eachOther, saturated, synchronisationDelay, waitingTime } from '../../core/bounds.ts';
import { countInFlight } from '../../core/world-queries.ts';

type Knows = ['parent'];

const self = 'me'; // among the links 0, 1, ..

const init = ({ parent }: Facts<Knows>) => ({
  holder: (parent ?? self) as Address | typeof self,
  using: false,
  requestQ: [] as (Address | typeof self)[],
  asked: false,
});

type State = ReturnType<typeof init>;
type Message = { type: 'request' } | { type: 'privilege' };
type P = Process<'mutex', Message, Knows>;

function assignPrivilege(s: State, p: P) {
  if (s.holder !== self || s.using || s.requestQ.length === 0) return;
  s.holder = s.requestQ.shift()!;
  s.asked = false;
  if (s.holder === self) {
    s.using = true;
    p.emit({ type: 'entered' });
  } else p.send(s.holder, { type: 'privilege' });
}

function makeRequest(s: State, p: P) {
  if (s.holder === self || s.requestQ.length === 0 || s.asked) return;
  p.send(s.holder, { type: 'request' });
  s.asked = true;
}

function assignAndAsk(s: State, p: P) {
  assignPrivilege(s, p);
  makeRequest(s, p);
}

const source = 'section 4: there and back on a path of the tree';

/** Raymond (1989): a token in a tree, where each process points towards it; at most 2d messages per entry, d the diameter. */
export const raymond: Algorithm<'mutex', State, Message, Knows> = {
  name: 'raymond',
  problem: 'mutex',
  paper: 'doi:10.1145/58564.59295',
  assumes: { topology: 'tree', channels: 'unordered', failures: 'none', timing: 'asynchronous' },
  knows: ['parent'],
  messages: { request: {}, privilege: {} },
  addresses: { values: ['holder', 'requestQ'] },
  bounds: [
    atMost(['request'], 'd', source, ({ diameter }) => diameter),
    atMost(['privilege'], 'd', source, ({ diameter }) => diameter),
    synchronisationDelay.atMost(
      'dT',
      'the privilege on its path',
      ({ diameter, T }) => diameter * T,
      saturated,
    ),
    synchronisationDelay.atMost('2dT', source, ({ diameter, T }) => 2 * diameter * T),
    waitingTime.atMost('2dT', source, ({ diameter, T }) => 2 * diameter * T, alone),
  ],
  bypass: [eachOther(1, 'quiet', 'the queues are FIFO')],
  init,

  calls: {
    request(s, p) {
      s.requestQ.push(self);
      assignAndAsk(s, p);
    },
    release(s, p) {
      s.using = false;
      assignAndAsk(s, p);
    },
  },

  on: {
    request(s, p, _m, neighbour) {
      s.requestQ.push(neighbour);
      assignAndAsk(s, p);
    },
    privilege(s, p) {
      s.holder = self;
      assignAndAsk(s, p);
    },
  },

  token: { isHeld: (s) => s.holder === self, isIn: (m) => m.type === 'privilege' },
  invariants: {
    'one privilege': (world) =>
      world.states.filter((s) => s.holder === self).length + countInFlight(world, 'privilege') === 1,
    'from everywhere, HOLDER leads to the privilege': (world) => {
      const isHere = (i: Pid) =>
        world.states[i]!.holder === self || countInFlight(world, 'privilege', { to: i }) > 0;
      return world.states.every((_, i) => {
        let k = i;
        for (let steps = 0; steps < world.states.length && !isHere(k); steps += 1)
          k = world.meant(k, world.states[k]!.holder as Address);
        return isHere(k);
      });
    },
    'who is asked for the privilege and lacks it has asked': ({ states }) =>
      states.every((s) => s.asked === (s.holder !== self && s.requestQ.length > 0)),
    'a process is in its own queue, and each neighbour, at most once': ({ states }) =>
      states.every(({ requestQ }) => new Set(requestQ).size === requestQ.length),
  },
};
