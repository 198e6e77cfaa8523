// L. Lamport: Time, Clocks, and the Ordering of Events in a Distributed System. CACM 21(7):558-565, 1978. Rules IR1 and IR2.
// The paper does not define an event: "the execution of a subprogram" may be one. Here an event is one execution of a handler,
// from its input to the last message it sends; all its messages carry its time. Clock Condition: if a -> b then C(a) < C(b).
import type { LogicalClock } from '../../core/logical-clock.ts';

/** Lamport (1978): a number that grows along causality. The converse does not hold: a smaller number need not be a cause. */
export const lamportClock: LogicalClock<number> = {
  name: 'lamport-clock',
  paper: 'doi:10.1145/359545.359563',
  initial: 0,
  tick: (C) => C + 1,
  receive: (C, t) => Math.max(C, t) + 1,
  merge: Math.max,
  isBefore: (a, b) => a < b,
  text: (C) => `${C}`,
};
