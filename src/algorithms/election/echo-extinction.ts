// E. J. H. Chang: Echo Algorithms: Depth Parallel Operations on General Graphs. IEEE Trans. Software Engineering SE-8(4):391-401,
// 1982; for elections with extinction as in G. Tel: Introduction to Distributed Algorithms, section 7.3. A wave spreads from its
// initiator and echoes back; a process takes part in the largest it has met. A process woken by a smaller wave starts its own, so
// the largest of all wins, not of the initiators. The leader is announced along the tree of the last wave, the usual addition.

import type { Address, Algorithm, Bound, Process } from '../../core/algorithm.ts';
import { atLeast, atMost, exactly } from '../../core/bounds.ts';

type Knows = ['id', 'neighbours'];

const init = () => ({
  wave: null as number | null, // the largest so far, by its initiator's id
  father: null as Address | null, // the neighbour it first came from
  heard: 0, // the number of neighbours that sent it
  sons: [] as Address[], // those of them that echoed it
});

type State = ReturnType<typeof init>;
type Message = { type: 'wave' | 'echo' | 'leader'; id: number };
type P = Process<'election', Message, Knows>;

function join(s: State, p: P, wave: number, father: Address | null) {
  s.wave = wave;
  s.father = father;
  s.heard = 0;
  s.sons = [];
  for (const link of p.neighbours) if (link !== father) p.send(link, { type: 'wave', id: wave });
}

function hear(s: State, p: P) {
  s.heard += 1;
  if (s.heard < p.neighbours.length) return;
  if (s.father === null) lead(s, p, p.id);
  else p.send(s.father, { type: 'echo', id: s.wave! });
}

function lead(s: State, p: P, id: number) {
  p.emit({ type: 'elected', leader: id });
  for (const son of s.sons) p.send(son, { type: 'leader', id });
}

const counted = ['wave', 'echo'] as const;
const isComplete: Bound['when'] = { condition: 'complete', holds: ({ topology }) => topology === 'complete' };
const own = 'by the rules: the i-th smallest wave gets i processes at most, and its echo does not come back';
const most = (n: number, e: number) => 2 * e * n - (n * (n - 1)) / 2 - Math.max(n - 2, 0);

/** Chang (1982) and Tel: the largest of several waves through a graph wins; 2e to 2en messages, and n-1 of the announcement. */
export const echoExtinction: Algorithm<'election', State, Message, Knows> = {
  name: 'echo-extinction',
  problem: 'election',
  paper: 'doi:10.1109/TSE.1982.235573',
  assumes: { topology: 'connected', channels: 'unordered', failures: 'none', timing: 'asynchronous' },
  knows: ['id', 'neighbours'],
  addresses: { values: ['father', 'sons'] },
  elects: 'largest',
  bounds: [
    atLeast(counted, '2e', 'Tel, section 7.3: the winning wave', ({ edges: e }) => 2 * e),
    atMost(counted, '2en - n(n-1)/2 - (n-2)', own, ({ n, edges: e }) => most(n, e)),
    atMost(counted, 'en + n-1', own, ({ n, edges: e }) => e * n + n - 1, isComplete),
    exactly(['leader'], 'n-1', 'announcement along the tree', ({ n }) => n - 1),
  ],
  init,

  calls: {
    start(s, p) {
      if (s.wave !== null) return;
      join(s, p, p.id, null);
      if (p.neighbours.length === 0) lead(s, p, p.id);
    },
  },

  on: {
    wave(s, p, { id }, link) {
      if (s.wave === null && id < p.id) join(s, p, p.id, null);
      if (s.wave === null || id > s.wave) join(s, p, id, link);
      if (id === s.wave) hear(s, p);
    },
    echo(s, p, { id }, link) {
      if (id !== s.wave) return;
      s.sons.push(link);
      hear(s, p);
    },
    leader: (s, p, { id }) => lead(s, p, id),
  },

  invariants: {
    'waves only grow: nobody is in a smaller one than it sent': ({ states, inFlight }) =>
      inFlight.every(({ from, message }) => message.id <= states[from]!.wave!),
    'a leader is told of when everybody is in its wave': ({ states, inFlight }) =>
      inFlight.every(({ message: { type, id } }) => type !== 'leader' || states.every((s) => s.wave === id)),
  },
};
