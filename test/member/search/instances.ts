// The groups that are searched. `counts.json` and docs/locks.md have their numbers of states. When src/member changes, write both anew:
// `npm test -- member/search --rewrite`, and with the large groups `BATON_REWRITE=1 npm run verify -- member/search` (some minutes).
import {
  lamport,
  liHudak,
  naimiTrehel,
  ricartAgrawala,
  singhal,
  suzukiKasami,
  tokenRing,
} from '../../../src/algorithms/index.ts';
import type { AnyAlgorithm } from '../../../src/core/algorithm.ts';
import { electionLock } from '../../../src/member/index.ts';
import type { Fault, Instance } from './instance.ts';

/** Any one fault. */
const single: readonly Fault[] = ['leave', 'death', 'lease ends', 'broken', 'new epoch', 'wipe', 'cancel'];

// The home of a lock follows from the hash of its name and of the ids of the members. `search.test.ts` tests it.
export const homes = {
  x: { a1b1: 'a1', a1b1c1: 'a1', b1c1: 'c1', a1c1: 'a1' }, // the first member
  p: { a1b1: 'b1', a1b1c1: 'b1', b1c1: 'b1', a1c1: 'c1' }, // the second
  d: { a1b1: 'a1', a1b1c1: 'c1', b1c1: 'c1', a1c1: 'c1' }, // the third, once it has joined
  q: { a1b1c1: 'a1', a1b1c1d1: 'd1' }, // the fourth, once it has joined
} as const;

/** A small group with one algorithm, all members requesting one lock once. */
const pair = (algorithm: unknown, faults: readonly Fault[], atMost: number): Instance => ({
  algorithm: algorithm as AnyAlgorithm,
  members: 2,
  asks: [['x'], ['x'], ['x']],
  faults,
  atMost,
});

/** As `pair`, and the search starts when all know the first view. */
const installed = (algorithm: unknown, faults: readonly Fault[], atMost: number): Instance => ({
  ...pair(algorithm, faults, atMost),
  isInstalled: true,
});

/** Three members, of which the first two request the lock. */
const three = (algorithm: unknown, faults: readonly Fault[], atMost: number, lock = 'x'): Instance => ({
  ...installed(algorithm, faults, atMost),
  members: 3,
  asks: [[lock], [lock], []],
});

/** Two members, and a third process that may join. */
const joining = (algorithm: unknown, faults: readonly Fault[], atMost: number, lock: string): Instance => ({
  ...installed(algorithm, faults, atMost),
  outside: 1,
  asks: [[lock], [lock], []],
});

const twice = [['x', 'x'], ['x', 'x']]; // biome-ignore format: one list per process
const li = liHudak;

/** Searched by `npm test`. */
export const quickInstances: Readonly<Record<string, Instance>> = {
  'li-hudak, two members, any one fault': installed(li, single, 1),
  'li-hudak, two members, the second is home, a leave, a death or a new epoch': {
    ...pair(li, ['leave', 'death', 'new epoch'], 1),
    asks: [['p'], ['p']],
  },
  'li-hudak, three members, all request': { ...three(li, [], 0), asks: [['x'], ['x'], ['x']] },
  'li-hudak, two members, impatient': installed(li, ['impatient'], 1),
  'li-hudak, three members, two request, impatient': three(li, ['impatient'], 1),
  'li-hudak, two members, one hangs': installed(li, ['hang'], 1),
  'li-hudak, three members, two request, one hangs': three(li, ['hang'], 1),
  'li-hudak, three members, two request, two deaths': three(li, ['death'], 2),
  'li-hudak, three members, two request, one leaves': three(li, ['leave'], 1),
  'li-hudak, two members and one that joins': joining(li, ['join'], 1, 'x'),
  'li-hudak, two members and one that joins, and is home': joining(li, ['join'], 1, 'd'),
  'li-hudak, two members, three times idle': { ...installed(li, ['sweep'], 3), asks: [['x', 'x'], ['x']] },
  'li-hudak, two members, one requests twice, two of: idle, new epoch': {
    ...installed(li, ['sweep', 'new epoch'], 2),
    asks: [['p', 'p'], []],
  },
  'li-hudak, two members, two new epochs': installed(li, ['new epoch'], 2),
  'li-hudak, two locks, a new epoch': {
    ...installed(li, ['new epoch'], 1),
    asks: [['x', 'p'], ['p', 'x']], // biome-ignore format: one list per process
  },
  'li-hudak, a try and a request, a leave or a new epoch': {
    ...installed(li, ['leave', 'new epoch'], 1),
    asks: [['x?'], ['x']],
  },
  'li-hudak, an election, a death, a leave or a new epoch': {
    ...installed(li, ['death', 'leave', 'new epoch'], 1),
    asks: [[electionLock('e')], [electionLock('e')]],
  },
  'ricart-agrawala, two members, a leave, a death or a new epoch': installed(
    ricartAgrawala,
    ['leave', 'death', 'new epoch'],
    1,
  ),
  'ricart-agrawala, two members, one hangs': installed(ricartAgrawala, ['hang'], 1),
  'suzuki-kasami, two members, a death, a lease or a broken channel': installed(
    suzukiKasami,
    ['death', 'lease ends', 'broken'],
    1,
  ),
  'token-ring, two members, a leave or a death': installed(tokenRing, ['leave', 'death'], 1),
  'singhal, two members, one hangs': installed(singhal, ['hang'], 1),
  'naimi-trehel, three members, two request, a death': three(naimiTrehel, ['death'], 1),
  'li-hudak, an old and a new member, the old one leaves': { ...pair(li, ['leave'], 1), old: [0] },
  'li-hudak, two new members and an old one that joins': { ...joining(li, ['join'], 1, 'x'), old: [2] },
  'li-hudak, two old members, any one fault': { ...pair(li, single, 1), old: [0, 1] },
  'li-hudak, two old members and one that joins': { ...pair(li, ['join'], 1), outside: 1, old: [0, 1, 2] },
  'ricart-agrawala, two old members, a death or a new epoch': {
    ...pair(ricartAgrawala, ['death', 'new epoch'], 1),
    old: [0, 1],
  },
};

/** Searched by `npm run verify`. */
export const largeInstances: Readonly<Record<string, Instance>> = {
  'li-hudak, two members, twice each, any one fault': { ...pair(li, single, 1), asks: twice },
  'li-hudak, two members, the second is home, any one fault': {
    ...pair(li, single, 1),
    asks: [['p'], ['p']],
  },
  'li-hudak, two members, two of: new epoch, lost proposal, backup': installed(
    li,
    ['new epoch', 'lost proposal', 'backup'],
    2,
  ),
  'li-hudak, two members, two of: leave, death, new epoch, wipe, cancel': installed(
    li,
    ['leave', 'death', 'new epoch', 'wipe', 'cancel'],
    2,
  ),
  'li-hudak, two members, two of: impatient, speak again': installed(li, ['impatient', 'speak again'], 2),
  'ricart-agrawala, two members, any one fault': installed(ricartAgrawala, single, 1),
  'li-hudak, two members, two of: a lease, a hang': installed(li, ['hang', 'lease ends'], 2),
  'li-hudak, two members, two of: a hang, speak again': installed(li, ['hang', 'speak again'], 2),
  'ricart-agrawala, two members, two of: a hang, speak again': installed(
    ricartAgrawala,
    ['hang', 'speak again'],
    2,
  ),
  'ricart-agrawala, two members, two of: a hang, a new epoch': installed(
    ricartAgrawala,
    ['hang', 'new epoch'],
    2,
  ),
  'li-hudak, two members, two of: a hang, a broken channel': installed(li, ['hang', 'broken'], 2),
  'li-hudak, two members, one unreachable': installed(li, ['unreachable'], 1),
  'li-hudak, two members, three of: idle, new epoch': {
    ...installed(li, ['sweep', 'new epoch'], 3),
    asks: [['x', 'x'], ['x']],
  },
  'li-hudak, three members, a death': { ...installed(li, ['death'], 1), members: 3 },
  'li-hudak, three members, one requests, two of: a hang, a death, a leave': {
    ...three(li, ['hang', 'death', 'leave'], 2),
    asks: [[], ['x'], []],
  },
  'li-hudak, three members, two request, a broken channel': three(li, ['broken'], 1),
  'li-hudak, two members and one that joins and is home, two of: a join, a death': joining(
    li,
    ['join', 'death'],
    2,
    'd',
  ),
  'li-hudak, two members, of which one requests, and one that joins and is home, two of: a join, a hang': {
    ...joining(li, ['join', 'hang'], 2, 'd'),
    asks: [[], ['d'], []],
  },
  'ricart-agrawala, two members and one that joins, and is home': joining(ricartAgrawala, ['join'], 1, 'd'),
  'ricart-agrawala, three members, two request, a death or a hang': three(
    ricartAgrawala,
    ['death', 'hang'],
    1,
  ),
  'naimi-trehel, three members, two request, a death or a leave': three(naimiTrehel, ['death', 'leave'], 1),
  'singhal, two members, two of: a death, a new epoch': installed(singhal, ['death', 'new epoch'], 2),
  'singhal, three members, two request, one hangs': three(singhal, ['hang'], 1, 'p'),
  'lamport, two members, a leave, a death, a lease or a broken channel': installed(
    lamport,
    ['leave', 'death', 'lease ends', 'broken'],
    1,
  ),
  'li-hudak, two new members, and an old one that joins and perhaps leaves': {
    ...joining(li, ['join', 'leave'], 2, 'x'),
    old: [2],
  },
  'li-hudak, an old and two new members, the old one leaves or dies': {
    ...installed(li, ['leave', 'death'], 1),
    members: 3,
    old: [0],
  },
  'li-hudak, two old members, two of: new epoch, lost proposal, backup': {
    ...installed(li, ['new epoch', 'lost proposal', 'backup'], 2),
    old: [0, 1],
  },
  'li-hudak, three old members, two of: leave, death': {
    ...installed(li, ['leave', 'death'], 2),
    members: 3,
    old: [0, 1, 2],
  },
};
