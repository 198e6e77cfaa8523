import { totalOrderBroadcast } from '../algorithms/election/total-order-broadcast.ts';
import type { Mutant } from './mutant.ts';

const { calls, on } = totalOrderBroadcast;

export const totalOrderBroadcastImpatient: Mutant = {
  ...totalOrderBroadcast,
  name: 'total-order-broadcast-impatient',
  of: 'total-order-broadcast',
  lie: 'the first message of the queue is delivered at once, without waiting for acknowledgements',
  calls: { start: (s, p) => impatiently(s, () => calls.start(s, p)) },
  on: {
    message: (s, p, m, j) => impatiently(s, () => on.message(s, p, m, j)),
    acknowledge: (s, p, m, j) => impatiently(s, () => on.acknowledge(s, p, m, j)),
  },
};

/** Calls `run` as if every process had sent something late. */
function impatiently(s: Parameters<Mutant['calls'][string]>[0], run: () => void): void {
  s.latest.fill(Number.MAX_SAFE_INTEGER);
  run();
}
