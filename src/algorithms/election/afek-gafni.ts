// Y. Afek, E. Gafni: Time and Message Bounds for Election in Synchronous and Asynchronous Complete Networks. SIAM J. Comput.
// 20(2):376-394, 1991. A captured process asks its owner before it changes owner. These are not the paper's rules but those of our
// collection, in the manner of its asynchronous algorithms, with one correction. A beaten owner still defends with its level. If
// it yielded to every king, kings would capture the same subjects in turn, and messages would grow like n^2.

import type { Address, Algorithm, Process } from '../../core/algorithm.ts';
import { atLeast, atMost, exactly } from '../../core/bounds.ts';

type Knows = ['id', 'neighbours'];
type Rank = { readonly level: number; readonly id: number };
type Claim = Rank & { readonly link: Address };

const init = () => ({
  state: 'asleep' as 'asleep' | 'king' | 'beaten',
  level: 0, // the number of processes we captured
  asked: 0,
  owner: null as Claim | null,
  claims: [] as Claim[], // we ask the owner about the first; the others wait
});
type State = ReturnType<typeof init>;
type Message =
  | ({ type: 'ask' | 'yield?' } & Rank)
  | { type: 'accept' | 'reject' | 'yes' | 'no' }
  | { type: 'leader'; id: number };
type P = Process<'election', Message, Knows>;

const isLess = (a: Rank, b: Rank) => a.level < b.level || (a.level === b.level && a.id < b.id);

function askNext(s: State, p: P) {
  const link = p.neighbours[(p.id + s.asked) % p.neighbours.length]; // any order works; this one spreads the asks
  if (s.asked < p.neighbours.length) p.send(link!, { type: 'ask', level: s.level, id: p.id });
  else {
    p.emit({ type: 'elected', leader: p.id });
    for (const j of p.neighbours) p.send(j, { type: 'leader', id: p.id });
  }
  s.asked += 1;
}

function start(s: State, p: P) {
  s.state = 'king';
  askNext(s, p);
}

function consider(s: State, p: P) {
  const claim = s.claims[0];
  if (claim === undefined) return;
  if (isLess(claim, s.owner ?? { level: s.level, id: p.id })) settle(s, p, false);
  else if (s.owner === null) settle(s, p, true);
  else p.send(s.owner.link, { type: 'yield?', level: claim.level, id: claim.id });
}

function settle(s: State, p: P, isCaptured: boolean) {
  const claim = s.claims.shift()!;
  p.send(claim.link, { type: isCaptured ? 'accept' : 'reject' });
  if (isCaptured) {
    s.state = 'beaten';
    s.owner = claim;
  } else if (s.state === 'asleep') start(s, p);
  consider(s, p);
}

const counted = ['ask', 'accept', 'reject', 'yield?', 'yes', 'no'] as const;
// A process that reaches level m-1 holds m processes, itself included, and no two hold the same one: at most n/m ask there. Of these,
// n take two messages, not four: the first capture of each process but the winner, and the only ask of the smallest id.
const asks = (n: number) => Array.from({ length: n - 1 }, (_, i) => Math.floor(n / (i + 1)));
const most = (n: number) => asks(n).reduce((sum, k) => sum + 4 * k, n > 1 ? -2 * n : 0);

/** Afek and Gafni (1991): a king captures one process after another, which is its level; below 4n H_n messages, and n-1 of the announcement. */
export const afekGafni: Algorithm<'election', State, Message, Knows> = {
  name: 'afek-gafni',
  problem: 'election',
  paper: 'doi:10.1137/0220023',
  assumes: { topology: 'complete', channels: 'unordered', failures: 'none', timing: 'asynchronous' },
  knows: ['id', 'neighbours'],
  addresses: { values: ['link'] },
  bounds: [
    atLeast(counted, '2(n-1)', 'by the rules: the winner captures all others', ({ n }) => 2 * n - 2),
    atMost(counted, '4 sum(floor(n/m), m < n) - 2n', 'by the rules; below 4n H_n', ({ n }) => most(n)),
    exactly(['leader'], 'n-1', 'announcement', ({ n }) => n - 1),
  ],
  init,

  calls: {
    start(s, p) {
      if (s.state === 'asleep') start(s, p);
    },
  },

  on: {
    ask(s, p, { level, id }, link) {
      s.claims.push({ link, level, id });
      if (s.claims.length === 1) consider(s, p);
    },
    'yield?'(s, p, m, link) {
      const stays = isLess(m, { level: s.level, id: p.id });
      if (!stays) s.state = 'beaten';
      p.send(link, { type: stays ? 'no' : 'yes' });
    },
    yes: (s, p) => settle(s, p, true),
    no: (s, p) => settle(s, p, false),
    accept(s, p) {
      if (s.state !== 'king') return;
      s.level += 1;
      askNext(s, p);
    },
    reject(s) {
      s.state = 'beaten';
    },
    leader: (_s, p, { id }) => p.emit({ type: 'elected', leader: id }),
  },

  invariants: {
    'at most n/m processes reach level m-1': ({ states }) =>
      states.every(
        ({ level }) => states.filter((s) => s.level >= level).length <= states.length / (level + 1),
      ),
    'once somebody started there is a king': ({ states }) =>
      states.every(({ state }) => state === 'asleep') || states.some(({ state }) => state === 'king'),
  },
};
