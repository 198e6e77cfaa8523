// An algorithm of your own: everybody shouts its position to everybody; the largest one leads. n(n-1) messages.
// One object in the contract is simulated, counted, traced, drawn and replayed.
import { type Algorithm, exactly, type Facts } from 'batonjs/core';
import { textDiagram } from 'batonjs-lab/diagram';
import { replay, simulate } from 'batonjs-lab/sim';

type Knows = ['me', 'n', 'neighbours']; // the facts this algorithm may read; others do not exist for it

const init = ({ me }: Facts<Knows>) => ({ started: false, heard: 0, largest: me });

type State = ReturnType<typeof init>;
type Message = { type: 'shout'; me: number };

const shouting: Algorithm<'election', State, Message, Knows> = {
  name: 'shouting',
  problem: 'election',
  paper: 'none',
  assumes: { topology: 'complete', channels: 'unordered', failures: 'none', timing: 'asynchronous' },
  knows: ['me', 'n', 'neighbours'],
  elects: 'largest',
  bounds: [exactly(['shout'], 'n(n-1)', 'everybody to everybody', ({ n }) => n * (n - 1))],
  init,

  calls: {
    start(s, p) {
      if (s.started) return;
      s.started = true;
      for (const j of p.neighbours) p.send(j, { type: 'shout', me: p.me });
      if (p.n === 1) p.emit({ type: 'elected', leader: p.me });
    },
  },

  on: {
    shout(s, p, { me }) {
      shouting.calls.start(s, p); // who is woken takes part
      s.heard += 1;
      s.largest = Math.max(s.largest, me);
      if (s.heard === p.n - 1) p.emit({ type: 'elected', leader: s.largest });
    },
  },
};

const run = simulate(shouting, { n: 3, start: [{ process: 0 }], seed: 1, events: true });

console.log(textDiagram(run));
console.log(
  `leader ${run.leader}, ${run.messages.total} messages, bounds ${run.bounds.atLeast} .. ${run.bounds.atMost}`,
);
console.log(`replayed ${replay(shouting, run.trace).events} events`);
// prints: leader 2, 6 messages, bounds 6 .. 6
// prints: replayed 7 events
