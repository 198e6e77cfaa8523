// The groups that are searched. `counts.json` and docs/locks.md have their numbers of states. When src/member changes, write both anew:
// `npm test -- member/search --rewrite`, and with the large groups `BATON_REWRITE=1 npm run verify -- member/search` (some minutes).
import {
  lamport,
  liHudak,
  naimiTrehel,
  ricartAgrawala,
  suzukiKasami,
  tokenRing,
} from '../../../src/algorithms/index.ts';
import type { AnyAlgorithm } from '../../../src/core/algorithm.ts';
import { electionLock } from '../../../src/member/index.ts';
import type { Fault, Instance } from './instance.ts';

/** Faults that can come first. The others need a proposal, or a second view. */
const single: readonly Fault[] = ['leave', 'death', 'lease ends', 'broken', 'new epoch', 'wipe', 'cancel'];
const all: readonly Fault[] = [...single, 'lost proposal', 'backup'];

const li = liHudak as AnyAlgorithm;
const once = [['x'], ['x'], ['x']];

/** A small group with one algorithm, all members requesting one lock once. */
const pair = (algorithm: unknown, faults: readonly Fault[], atMost: number): Instance => ({
  algorithm: algorithm as AnyAlgorithm,
  members: 2,
  asks: once,
  faults,
  atMost,
});

/** Searched by `npm test`. */
export const quickInstances: Readonly<Record<string, Instance>> = {
  'li-hudak, two members, twice each, any one fault': {
    ...pair(li, single, 1),
    asks: [['x', 'x'], ['x', 'x']], // biome-ignore format: one list per process
  },
  'li-hudak, two members and one that joins': { ...pair(li, ['join'], 1), outside: 1 },
  'li-hudak, two members, two of: new epoch, lost proposal, backup': {
    ...pair(li, ['new epoch', 'lost proposal', 'backup'], 2),
    isInstalled: true,
  },
  'li-hudak, two locks, a new epoch': {
    ...pair(li, ['new epoch'], 1),
    asks: [['x', 'y'], ['y', 'x']], // biome-ignore format: one list per process
  },
  'li-hudak, a try and a request, a leave or a new epoch': {
    ...pair(li, ['leave', 'new epoch'], 1),
    asks: [['x?'], ['x']],
  },
  'li-hudak, an election, a death or a leave': {
    ...pair(li, ['death', 'leave'], 1),
    asks: [[electionLock('e')], [electionLock('e')]],
  },
  'ricart-agrawala, two members, any one fault': pair(ricartAgrawala, single, 1),
  'suzuki-kasami, two members, a death, a lease or a broken channel': pair(
    suzukiKasami,
    ['death', 'lease ends', 'broken'],
    1,
  ),
  'token-ring, two members, a leave or a death': pair(tokenRing, ['leave', 'death'], 1),
  'li-hudak, three members, a death': {
    ...pair(li, ['death'], 1),
    members: 3,
    isInstalled: true,
  },
  'naimi-trehel, three members, a death or a leave': {
    ...pair(naimiTrehel, ['death', 'leave'], 1),
    members: 3,
    isInstalled: true,
  },
};

/** Searched by `npm run verify`. */
export const largeInstances: Readonly<Record<string, Instance>> = {
  'li-hudak, two members, any two faults': { ...pair(li, all, 2), isInstalled: true },
  'li-hudak, two members request and one joins, also a leave or a death': {
    ...pair(li, ['join', 'leave', 'death'], 2),
    outside: 1,
    asks: [['x'], ['x'], []],
    isInstalled: true,
  },
  'li-hudak, two members, one unreachable': pair(li, ['unreachable'], 1),
  'li-hudak, three members, any one fault but a broken channel': {
    ...pair(li, ['leave', 'death', 'lease ends', 'new epoch', 'wipe', 'cancel'], 1),
    members: 3,
    isInstalled: true,
  },
  'li-hudak, three members, two of them request, a broken channel': {
    ...pair(li, ['broken'], 1),
    members: 3,
    asks: [['x'], ['x'], []],
    isInstalled: true,
  },
  'li-hudak, three members, two of: leave, death': {
    ...pair(li, ['leave', 'death'], 2),
    members: 3,
    isInstalled: true,
  },
  'ricart-agrawala, three members, a leave': {
    ...pair(ricartAgrawala, ['leave'], 1),
    members: 3,
    isInstalled: true,
  },
  'lamport, two members, a leave, a death, a lease or a broken channel': pair(
    lamport,
    ['leave', 'death', 'lease ends', 'broken'],
    1,
  ),
};
