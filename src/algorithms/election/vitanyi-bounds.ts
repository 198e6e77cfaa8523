// P. M. B. Vitanyi: Distributed Elections in an Archimedean Ring of Processors. Mathematisch Centrum IW 243/83, 1983 (STOC 1984): the bounds
// of sections 2 and 3, corrected. u is the longest time unit plus the longest delay, m the shortest unit, l the smallest id, d(i) the
// binary digits of i.

import type { Bound, Circumstances } from '../../core/algorithm.ts';
import { atMost, electionEnd, totalBits } from '../../core/bounds.ts';

const proven = 'section 2, proven with queues';
const smallest = (ids: ArrayLike<number>) => Array.from(ids).reduce((a, b) => Math.min(a, b));
const Nu = ({ n, longestUnit }: Circumstances) => n * longestUnit;

/**
 * Returns how often M_i passes at most, i not l. Queues delay M_l by less than 2.25N units in all, and l wakes at most N hops after i: M_i
 * lives less than N(2^l + 4.25)u, and each pass after its first takes it (2^i + 1)m or more. docs/findings.md has the proof.
 */
const mostPasses = (i: number, l: number, { n, clockRatio }: Circumstances) =>
  1 + (n * (2 ** l + 4.25) * clockRatio) / (2 ** i + 1);

function mostBits(c: Circumstances): number {
  const l = smallest(c.ids);
  const digits = (i: number) => i.toString(2).length;
  return Array.from(c.ids).reduce((sum, i) => sum + digits(i) * (i === l ? c.n : mostPasses(i, l, c)), 0);
}

/** The bounds for f(i) = 2^i. The paper prints 3N u/m. That omits the first pass of each M_i, the unit for reading in each hop of M_l, and queues. */
export const boundsOfDoubling: readonly Bound<'M'>[] = [
  atMost(['M'], '2N + 2.7N u/m', proven, ({ n, clockRatio }) => 2 * n + 2.7 * n * clockRatio),
  atMost(
    ['M'],
    '2N + 1.5(N+1)u/m',
    'section 2, corrected; conjectured: as if no queue delayed M_l',
    ({ n, clockRatio }) => 2 * n + 1.5 * (n + 1) * clockRatio,
  ),
  electionEnd.atMost(
    'Nu(2^l + 2)',
    'section 2; conjectured: no run exceeds it',
    (c) => Nu(c) * (2 ** smallest(c.ids) + 2),
  ),
  totalBits.atMost('N d(l) + sum of d(i)(1 + N(2^l + 4.25)u / m(2^i + 1))', proven, mostBits),
];

/** Section 3 has 3w + w_p(log l - 1), w the time of one bit round the ring. Here a message of any length takes a unit for each hop. */
export const boundsOfMinimalTime: readonly Bound<'M'>[] = [
  electionEnd.atMost('3Nu', 'section 3: 3w, where every message takes a unit', (c) => 3 * Nu(c)),
];
