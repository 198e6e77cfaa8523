// C. J. Fidge: Timestamps in Message-Passing Systems That Preserve the Partial Ordering. 11th Australian Computer Science Conference,
// 56-66, 1988. F. Mattern: Virtual Time and Global States of Distributed Systems. Parallel and Distributed Algorithms, 215-226, 1989.
// An event is one execution of a handler, from its input to the last message it sends; all its messages carry its time. V[k] counts the
// events of process k in its past, itself included. a -> b if and only if V(a) < V(b).
import type { Pid } from '../../core/algorithm.ts';
import type { LogicalClock } from '../../core/logical-clock.ts';

/** A vector time V: it maps k to V[k] where that is not 0, since most processes know of few others. */
export type VectorTime = ReadonlyMap<Pid, number>;

const isAtMost = (V: VectorTime, W: VectorTime): boolean => {
  for (const [k, count] of V) if (count > (W.get(k) ?? 0)) return false;
  return true;
};

function maximum(V: VectorTime, W: VectorTime): Map<Pid, number> {
  const both = new Map(V);
  for (const [k, count] of W) if (count > (both.get(k) ?? 0)) both.set(k, count);
  return both;
}

const oneMore = (V: Map<Pid, number>, i: Pid): VectorTime => V.set(i, (V.get(i) ?? 0) + 1);

/** Fidge (1988) and Mattern (1989): a vector time that is smaller exactly for causes. */
export const vectorClock: LogicalClock<VectorTime> = {
  name: 'vector-clock',
  paper: 'ACSC 1988',
  initial: new Map(),
  tick: (V, i) => oneMore(new Map(V), i),
  receive: (V, W, i) => oneMore(maximum(V, W), i),
  merge: maximum,
  isBefore: (V, W) => isAtMost(V, W) && !isAtMost(W, V),
  text: (V) => `{${[...V].sort(([a], [b]) => a - b).map(([k, count]) => `${k}:${count}`)}}`,
};
