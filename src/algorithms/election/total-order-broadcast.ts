// L. Lamport: Time, Clocks, and the Ordering of Events in a Distributed System. CACM 21(7):558-565, 1978: rules 1, 2 and 5 of the
// section on mutual exclusion, without the release. Acknowledgements go to all processes, so that all of them deliver: A. S.
// Tanenbaum, M. van Steen: Distributed Systems, 2nd edition, 6.2.1. A process broadcasts one message, when it starts. All deliver
// the same message first, and elect its sender.

import type { Algorithm, Facts, Pid, Process } from '../../core/algorithm.ts';
import { electionEnd, electionTime, elementsOf, exactly, longestChain } from '../../core/bounds.ts';

type Knows = ['me', 'n', 'neighbours'];

const init = ({ n }: Facts<Knows>) => ({
  clock: 0,
  queue: Array<number | null>(n).fill(null), // the time of the message of each process; null before it is here, and once it is delivered
  latest: Array<number>(n).fill(-1), // the time of the last message from each process
  delivered: [] as Pid[], // the senders of the messages delivered so far, in order
  context: [] as Pid[], // what was delivered here before our own broadcast, and may be its cause
});

type State = ReturnType<typeof init>;
type Message = { type: 'message' | 'acknowledge'; t: number };
type P = Process<'election', Message, Knows>;

const isBefore = (t: number, i: Pid, u: number, j: Pid) => t < u || (t === u && i < j);

function send(s: State, p: P, type: Message['type']) {
  s.clock += 1;
  for (const j of p.neighbours) p.send(j, { type, t: s.clock });
}

// Implementation rule IR2 of the clocks.
function receive(s: State, t: number, j: Pid) {
  s.clock = Math.max(s.clock, t) + 1;
  s.latest[j] = t;
}

/** The sender of the first message in the queue; -1 if the queue is empty. */
function firstOf({ queue }: State): Pid {
  let first = -1;
  queue.forEach((t, j) => {
    if (t !== null && (first < 0 || isBefore(t, j, queue[first]!, first))) first = j;
  });
  return first;
}

// Rule 5: the first message is delivered when every other process has sent something later. By then nothing earlier can come.
function deliver(s: State, p: P) {
  for (let first = firstOf(s); first >= 0; first = firstOf(s)) {
    const t = s.queue[first]!;
    const isLater = (j: Pid) => j === first || isBefore(t, first, s.latest[j]!, j);
    if (!p.neighbours.every(isLater)) return;
    s.queue[first] = null;
    s.delivered.push(first);
    if (s.delivered.length === 1) p.emit({ type: 'elected', leader: first });
  }
}

const rules = 'by the rules';

/** Lamport (1978), Tanenbaum and van Steen: broadcasts are delivered in the same order everywhere, by logical time; n(n-1) messages each. */
export const totalOrderBroadcast: Algorithm<'election', State, Message, Knows> = {
  name: 'total-order-broadcast',
  problem: 'election',
  paper: 'doi:10.1145/359545.359563',
  assumes: { topology: 'complete', channels: 'fifo', failures: 'none', timing: 'asynchronous' },
  knows: ['me', 'n', 'neighbours'],
  addresses: { values: ['delivered', 'context'], keys: ['queue', 'latest'] },
  bounds: [
    exactly(['message'], 'a(n-1)', rules, ({ n, initiators }) => initiators * (n - 1)),
    exactly(['acknowledge'], 'a(n-1)²', rules, ({ n, initiators }) => initiators * (n - 1) ** 2),
    electionTime.atMost('2T', 'message, acknowledgement', ({ T }) => 2 * T),
    electionEnd.atMost('2T', 'message, acknowledgement', ({ T }) => 2 * T),
    longestChain.atMost(['message'], 'a', rules, ({ initiators }) => initiators),
    elementsOf.exactly(['message', 'acknowledge'], '2', 'type and time', () => 2),
  ],
  init,

  calls: {
    // Rule 1
    start(s, p) {
      s.context = [...s.delivered];
      send(s, p, 'message');
      s.queue[p.me] = s.clock;
      deliver(s, p); // if alone, there is no process to wait for
    },
  },

  on: {
    // Rule 2
    message(s, p, { t }, j) {
      receive(s, t, j);
      s.queue[j] = t;
      send(s, p, 'acknowledge');
      deliver(s, p);
    },
    acknowledge(s, p, { t }, j) {
      receive(s, t, j);
      deliver(s, p);
    },
  },

  invariants: {
    'all deliver in the same order': ({ states }) =>
      states.every(({ delivered }) =>
        states.every((s) => delivered.every((j, k) => k >= s.delivered.length || s.delivered[k] === j)),
      ),
    'a cause is delivered before its effect': ({ states }) =>
      states.every(({ delivered }) =>
        delivered.every((j, k) => states[j]!.context.every((cause) => delivered.slice(0, k).includes(cause))),
      ),
  },
};
