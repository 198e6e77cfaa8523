// K. Raymond: A Tree-Based Algorithm for Distributed Mutual Exclusion. ACM TOCS 7(1):61-77, 1989. A process knows its
// neighbours in a tree only; HOLDER points towards the token.

import type { Address, Algorithm, Place, Process } from '../../core/algorithm.ts';
import { atMost } from '../../core/bounds.ts';

type Knows = ['parent'];

const self = -1; // among the links 0, 1, ..

const init = ({ parent }: Place<Knows>) => ({
  holder: parent ?? self,
  using: false,
  requestQ: [] as Address[],
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

export const raymond: Algorithm<'mutex', State, Message, Knows> = {
  name: 'raymond',
  problem: 'mutex',
  paper: 'doi:10.1145/58564.59295',
  assumes: { topology: 'tree', channels: 'unordered', failures: 'none', timing: 'asynchronous' },
  knows: ['parent'],
  bounds: [
    atMost(['request'], 'd', source, ({ diameter }) => diameter),
    atMost(['privilege'], 'd', source, ({ diameter }) => diameter),
  ],
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

  invariants: {
    'one privilege': ({ states, inFlight }) =>
      states.filter((s) => s.holder === self).length +
        inFlight.filter(({ message }) => message.type === 'privilege').length ===
      1,
    'a process is in its own queue, and each neighbour, at most once': ({ states }) =>
      states.every(({ requestQ }) => new Set(requestQ).size === requestQ.length),
  },
};
