// An exercise: Ricart and Agrawala's algorithm, but for one mistake. Who asks first goes first; who has asked before the
// request of another arrives defers its reply until it leaves. What is wrong?
//   baton check examples/exercises/equal-numbers.ts
import type { Algorithm, Facts } from 'batonjs/core';

type Knows = ['me', 'n', 'neighbours'];

const init = ({ n }: Facts<Knows>) => ({
  asking: false,
  number: 0,
  highest: 0,
  missing: 0,
  deferred: Array<boolean>(n).fill(false),
});

type State = ReturnType<typeof init>;
type Message = { type: 'request'; number: number } | { type: 'reply' };

export const equalNumbers: Algorithm<'mutex', State, Message, Knows> = {
  name: 'equal-numbers',
  problem: 'mutex',
  paper: 'none',
  assumes: { topology: 'complete', channels: 'unordered', failures: 'none', timing: 'asynchronous' },
  knows: ['me', 'n', 'neighbours'],
  addresses: { keys: ['deferred'] },
  bounds: [],
  init,

  calls: {
    request(s, p) {
      s.asking = true;
      s.number = s.highest + 1;
      s.missing = p.n - 1;
      for (const j of p.neighbours) p.send(j, { type: 'request', number: s.number });
      if (p.n === 1) p.emit({ type: 'entered' });
    },
    release(s, p) {
      s.asking = false;
      for (const j of p.neighbours) if (s.deferred[j]) p.send(j, { type: 'reply' });
      s.deferred.fill(false);
    },
  },

  on: {
    request(s, p, { number }, j) {
      s.highest = Math.max(s.highest, number);
      if (s.asking && s.number <= number) s.deferred[j] = true;
      else p.send(j, { type: 'reply' });
    },
    reply(s, p) {
      s.missing -= 1;
      if (s.missing === 0) p.emit({ type: 'entered' });
    },
  },
};
