// A. S. Tanenbaum, M. van Steen: Distributed Systems: Principles and Paradigms. 2nd edition, 2007, section 6.5.1, the ring
// algorithm. A list goes round, every process adds its number, and the initiator picks the largest and has it announced. The ring
// contains the live processes. Initiators do not know of each other: each collects and announces for itself.

import { type Algorithm, next } from '../../core/algorithm.ts';
import { exactly } from '../../core/bounds.ts';

const init = () => ({ coordinator: null as number | null });

type State = ReturnType<typeof init>;
type Message =
  | { type: 'election'; list: readonly number[] }
  | { type: 'coordinator'; number: number; by: number };

const slides = 'lecture slides, steps 2 to 11';

/** Tanenbaum and van Steen (2007): a list of ids goes round the ring, then the largest; 2n messages for each initiator. */
export const listCarryingRing: Algorithm<'election', State, Message, ['id']> = {
  name: 'list-carrying-ring',
  problem: 'election',
  paper: 'Tanenbaum, van Steen 2007, section 6.5.1',
  assumes: { topology: 'ring', channels: 'unordered', failures: 'none', timing: 'asynchronous' },
  knows: ['id'],
  elects: 'largest',
  bounds: [
    exactly(['election'], 'n per initiator', slides, ({ n, initiators }) => n * initiators),
    exactly(['coordinator'], 'n per initiator', slides, ({ n, initiators }) => n * initiators),
  ],
  init,

  calls: {
    start(_s, p) {
      p.send(next, { type: 'election', list: [p.id] });
    },
  },

  on: {
    election(_s, p, { list }) {
      if (list[0] !== p.id) p.send(next, { type: 'election', list: [...list, p.id] });
      else p.send(next, { type: 'coordinator', number: list.reduce((a, b) => Math.max(a, b)), by: p.id });
    },
    coordinator(s, p, m) {
      s.coordinator = m.number;
      p.emit({ type: 'elected', leader: m.number });
      if (m.by !== p.id) p.send(next, m);
    },
  },

  invariants: {
    'all announcements name the same': ({ states, inFlight }) => {
      const announced = inFlight.flatMap(({ message }) =>
        message.type === 'coordinator' ? [message.number] : [],
      );
      const known = states.flatMap(({ coordinator }) => (coordinator === null ? [] : [coordinator]));
      return new Set([...announced, ...known]).size <= 1;
    },
  },
};
