// A lock of your own. Every process that asks must enter at some point, and never two at once.
import type { Algorithm, Facts } from '../../../core/index.ts';

type Knows = ['me', 'n', 'neighbours']; // what a process knows before the first event

const init = (_facts: Facts<Knows>) => ({ wants: false }); // its initial state: plain data

type State = ReturnType<typeof init>;
type Message = { type: 'hello'; from: number }; // the messages it sends

export const mine: Algorithm<'mutex', State, Message, Knows> = {
  name: 'mine',
  problem: 'mutex',
  paper: 'none',
  assumes: { topology: 'complete', channels: 'unordered', failures: 'none', timing: 'asynchronous' },
  knows: ['me', 'n', 'neighbours'],
  bounds: [],
  init,

  calls: {
    // The application asks for the lock. It enters when the process emits `entered`.
    request(s, p) {
      s.wants = true;
      for (const j of p.neighbours) p.send(j, { type: 'hello', from: p.me });
      p.emit({ type: 'entered' }); // too early: what must come first?
    },
    // The application leaves.
    release(s) {
      s.wants = false;
    },
  },

  on: {
    // The process receives hello from j.
    hello(_s, _p, _m, _j) {},
  },
};
