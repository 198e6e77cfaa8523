// A. J. Martin: Distributed Mutual Exclusion on a Ring of Processes. Science of Computer Programming 5:265-276, 1985: the
// reflecting privilege. Requests travel left, and the privilege travels back to the right. A process that wants the privilege
// while its right neighbour asks for it serves the two in turn.

import { type Algorithm, type Facts, left, type Process, right } from '../../core/algorithm.ts';
import { alone, atMost, eachOther, waitingTime } from '../../core/bounds.ts';
import { countInFlight } from '../../core/world-queries.ts';

type Knows = ['root'];

const init = ({ root }: Facts<Knows>) => ({
  privilege: root,
  asked: false, // we asked the left neighbour for the privilege
  selfWants: false,
  rightWants: false,
  turn: 'self' as 'self' | 'right',
  inside: false,
});

type State = ReturnType<typeof init>;
type Message = { type: 'request' } | { type: 'privilege' };
type P = Process<'mutex', Message, Knows>;

function step(s: State, p: P) {
  if (s.privilege && !s.inside && (s.selfWants || s.rightWants)) {
    const contested = s.selfWants && s.rightWants;
    const served = contested ? s.turn : s.selfWants ? 'self' : 'right';
    if (contested) s.turn = s.turn === 'self' ? 'right' : 'self';
    if (served === 'self') {
      s.selfWants = false;
      s.inside = true;
      p.emit({ type: 'entered' });
    } else {
      s.rightWants = false;
      s.privilege = false;
      p.send(right, { type: 'privilege' });
    }
  }
  if (!s.privilege && !s.asked && (s.selfWants || s.rightWants)) {
    s.asked = true;
    p.send(left, { type: 'request' });
  }
}

const contended = 'over all entries: after a round in which all let it pass, all are served';

/** Martin (1985): requests travel round a ring and the privilege travels back; at most 2n messages per entry, over all entries. */
export const martin: Algorithm<'mutex', State, Message, Knows> = {
  name: 'martin',
  problem: 'mutex',
  paper: 'doi:10.1016/0167-6423(85)90003-8',
  assumes: { topology: 'two-way ring', channels: 'unordered', failures: 'none', timing: 'asynchronous' },
  knows: ['root'],
  messages: { request: {}, privilege: {} },
  bounds: [
    atMost(['request'], 'n', contended, ({ n }) => n),
    atMost(['privilege'], 'n', contended, ({ n }) => n),
    atMost(['request'], 'n-1', 'there and back: 2k, the holder k away', ({ n }) => n - 1, alone),
    atMost(['privilege'], 'n-1', 'there and back: 2k, the holder k away', ({ n }) => n - 1, alone),
    waitingTime.atMost('2(n-1)T', 'there and back', ({ n, T }) => 2 * (n - 1) * T, alone),
  ],
  bypass: [eachOther(1, 'quiet', 'two that want it are served in turn')],
  init,

  calls: {
    request(s, p) {
      s.selfWants = true;
      step(s, p);
    },
    release(s, p) {
      s.inside = false;
      step(s, p);
    },
  },

  on: {
    request(s, p) {
      s.rightWants = true;
      step(s, p);
    },
    privilege(s, p) {
      s.privilege = true;
      s.asked = false;
      step(s, p);
    },
  },

  token: { isHeld: (s) => s.privilege, isIn: (m) => m.type === 'privilege' },
  invariants: {
    'one privilege': (world) =>
      world.states.filter((s) => s.privilege).length + countInFlight(world, 'privilege') === 1,
    'who has asked is heard, or the request or the privilege is on its way': (world) =>
      world.states.every((s, i) => {
        const isHeard = world.states[world.meant(i, left)]!.rightWants;
        const coming =
          countInFlight(world, 'request', { from: i }) + countInFlight(world, 'privilege', { to: i });
        return Number(s.asked) === Number(isHeard) + coming;
      }),
  },
};
