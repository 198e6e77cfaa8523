// An election of your own, on a ring. All processes must learn the same leader.
import { type Algorithm, type Facts, next } from '../../../core/index.ts';

type Knows = ['id']; // what a process knows before the first event

const init = ({ id }: Facts<Knows>) => ({ started: false, largest: id }); // its initial state: plain data

type State = ReturnType<typeof init>;
type Message = { type: 'hello'; id: number }; // the messages it sends

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
    // The process starts. Others may start too, or a message may wake them.
    start(s, p) {
      if (s.started) return;
      s.started = true;
      p.send(next, { type: 'hello', id: p.id });
      p.emit({ type: 'elected', leader: p.id }); // too early: what must come first?
    },
  },

  on: {
    // The process receives hello from its predecessor.
    hello(s, _p, { id }) {
      s.largest = Math.max(s.largest, id);
    },
  },
};
