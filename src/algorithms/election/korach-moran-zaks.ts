// E. Korach, S. Moran, S. Zaks: Tight Lower and Upper Bounds for Some Distributed Algorithms for a Complete Network of
// Processors. PODC 1984, 199-207. The messages are the paper's; the waiting is reconstructed. A process has one ask in progress and holds
// greater ones until it hears of a rank at least as great. A king beaten while it asks takes the answer, and sends the rank of its new king.

import type { Address, Algorithm, Process } from '../../core/algorithm.ts';
import { atLeast, atMost, exactly } from '../../core/bounds.ts';

type Knows = ['id', 'neighbours'];
type Rank = { readonly phase: number; readonly king: number };
type Ask = Rank & { readonly link: Address };

const init = () => ({
  state: 'asleep' as 'asleep' | 'king' | 'citizen',
  rank: { phase: -1, king: 0 } as Rank, // of our kingdom, as last heard
  tree: [] as Address[], // links within the kingdom
  father: null as Address | null, // the link towards the king
  asked: 0, // the number of links asked, as king
  asks: [] as Ask[], // we accept or forward the first, and hold the others
});
type State = ReturnType<typeof init>;
type Message =
  | ({ type: 'ask' | 'update' | 'leader' } & Rank)
  | { type: 'accept'; phase: number }
  | { type: 'yourCitizen' };
type P = Process<'election', Message, Knows>;

const isLess = (a: Rank, b: Rank) => a.phase < b.phase || (a.phase === b.phase && a.king < b.king);

function askNext(s: State, p: P) {
  if (s.state !== 'king') return;
  const link = p.neighbours[(p.id + s.asked) % p.neighbours.length]; // any order works; this one spreads the asks
  if (s.asked < p.neighbours.length) p.send(link!, { type: 'ask', ...s.rank });
  else {
    p.emit({ type: 'elected', leader: p.id });
    for (const member of p.neighbours) p.send(member, { type: 'leader', ...s.rank });
  }
  s.asked += 1;
}

function consider(s: State, p: P, ask: Ask) {
  const { link, phase, king } = ask;
  if (king === s.rank.king && !s.tree.includes(link)) p.send(link, { type: 'yourCitizen' });
  if (king === s.rank.king || isLess(ask, s.asks[0] ?? s.rank)) return; // no refusal: a greater king will come
  s.asks.push(ask);
  if (s.asks.length > 1) return;
  if (s.state === 'king') goOver(s, p, link, s.rank.phase);
  else p.send(s.father!, { type: 'ask', phase, king });
}

function goOver(s: State, p: P, link: Address, phase: number) {
  s.state = 'citizen';
  s.father = link;
  if (!s.tree.includes(link)) s.tree.push(link);
  p.send(link, { type: 'accept', phase });
}

const counted = ['ask', 'accept', 'yourCitizen', 'update'] as const;
const most = (n: number, k: number, F = 31 - Math.clz32(k)) => (5 * n - 3) * F + 2 * (n - 2 ** F);
const source = 'the paper, 5n log k + O(n) from k initiators; the rest by the rules';
const isKingFrom = (f: number) => (s: State) => s.state === 'king' && s.rank.phase >= f;

/** Korach, Moran and Zaks (1984): kings annex whole kingdoms, and citizens pass asks to their king; 5n log k + O(n) messages from k initiators. */
export const korachMoranZaks: Algorithm<'election', State, Message, Knows> = {
  name: 'korach-moran-zaks',
  problem: 'election',
  paper: 'doi:10.1145/800222.806747',
  assumes: { topology: 'complete', channels: 'fifo', failures: 'none', timing: 'asynchronous' },
  knows: ['id', 'neighbours'],
  addresses: { values: ['tree', 'father', 'link'] },
  bounds: [
    atLeast(counted, '2(n-1)', 'by the rules: all but one are asked and go over', ({ n }) => 2 * n - 2),
    atMost(counted, '(5n-3)F + 2(n-2^F), F = floor(log k)', source, ({ n, initiators: k }) => most(n, k)),
    exactly(['leader'], 'n-1', 'announcement', ({ n }) => n - 1),
  ],
  init,

  calls: {
    start(s, p) {
      if (s.state !== 'asleep') return;
      s.state = 'king';
      s.rank = { phase: 0, king: p.id };
      askNext(s, p);
    },
  },

  on: {
    ask(s, p, { phase, king }, link) {
      if (s.state !== 'asleep') return consider(s, p, { link, phase, king });
      s.rank = { phase, king };
      goOver(s, p, link, -1);
    },
    accept(s, p, { phase }, link) {
      if (s.tree.includes(link)) return goOver(s, p, s.asks[0]!.link, phase);
      s.tree.push(link);
      if (s.state !== 'king') {
        if (s.rank.king !== p.id) p.send(link, { type: 'update', ...s.rank }); // else it will come, and we forward it
        return;
      }
      const isEqual = phase === s.rank.phase;
      if (isEqual) s.rank = { phase: phase + 1, king: p.id };
      if (phase >= 0) for (const j of isEqual ? s.tree : [link]) p.send(j, { type: 'update', ...s.rank });
      askNext(s, p);
    },
    yourCitizen: (s, p) => askNext(s, p),
    update(s, p, m, link) {
      s.rank = { phase: m.phase, king: m.king };
      for (const member of s.tree) if (member !== link) p.send(member, m);
      if (s.asks[0] && isLess(s.rank, s.asks[0])) return;
      for (const ask of s.asks.splice(0)) consider(s, p, ask);
    },
    leader: (_s, p, { king }) => p.emit({ type: 'elected', leader: king }),
  },

  invariants: {
    'at most n/2^f kings are in phase f or beyond': ({ states }) =>
      states.every(({ rank: { phase: f } }) => states.filter(isKingFrom(f)).length * 2 ** f <= states.length),
    'whoever leads is the only king': ({ states, inFlight }) =>
      inFlight.every(({ message }) => message.type !== 'leader') || states.filter(isKingFrom(0)).length === 1,
  },
};
