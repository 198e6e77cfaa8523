// An election of your own, on a ring. Everybody must learn of one and the same leader.
import { type Algorithm, type Facts, next } from '../../../core/index.ts';

type Knows = ['id']; // what a process knows before the first event

const init = ({ id }: Facts<Knows>) => ({ started: false, largest: id }); // what it remembers: plain data

type State = ReturnType<typeof init>;
type Message = { type: 'hello'; id: number }; // what it sends

export const mine: Algorithm<'election', State, Message, Knows> = {
  name: 'mine',
  problem: 'election',
  paper: 'none',
  assumes: { topology: 'ring', channels: 'fifo', failures: 'none', timing: 'asynchronous' },
  knows: ['id'],
  elects: 'any',
  bounds: [],
  init,

  calls: {
    // Somebody starts; others may, too, or may be woken by a message.
    start(s, p) {
      if (s.started) return;
      s.started = true;
      p.send(next, { type: 'hello', id: p.id });
      p.emit({ type: 'elected', leader: p.id }); // too early: what must come first?
    },
  },

  on: {
    // When hello is received from the process before.
    hello(s, _p, { id }) {
      s.largest = Math.max(s.largest, id);
    },
  },
};
