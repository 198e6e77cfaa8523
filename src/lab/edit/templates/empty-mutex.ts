// A lock of your own. Whoever asks must enter some day, and never two at once.
import type { Algorithm, Facts } from '../../../core/index.ts';

type Knows = ['me', 'n', 'neighbours']; // what a process knows before the first event

const init = (_place: Facts<Knows>) => ({ wants: false }); // what it remembers: plain data

type State = ReturnType<typeof init>;
type Message = { type: 'hello'; from: number }; // what it sends

export const mine: Algorithm<'mutex', State, Message, Knows> = {
  name: 'mine',
  problem: 'mutex',
  paper: 'none',
  assumes: { topology: 'complete', channels: 'unordered', failures: 'none', timing: 'asynchronous' },
  knows: ['me', 'n', 'neighbours'],
  bounds: [],
  init,

  calls: {
    // The application asks for the lock, and is let in when `entered` is emitted.
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
    // When hello is received from j.
    hello(_s, _p, _m, _j) {},
  },
};
