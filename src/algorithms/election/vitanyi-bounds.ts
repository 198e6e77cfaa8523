// P. M. B. Vitanyi: Distributed Elections in an Archimedean Ring of Processors. Mathematisch Centrum IW 243/83, 1983 (STOC 1984): the bounds
// of sections 2 and 3, corrected. u is the longest time unit plus the longest delay, m the shortest unit, l the smallest id, L the largest,
// d(i) the binary digits of i. In the walk-time model of section 3 a message of k bits goes round the ring in w_s + w_p k, w is w_s + w_p, and
// u' is the longest unit without delays.

import type { Bound, Circumstances } from '../../core/algorithm.ts';
import { atLeast, atMost, bitsOf, electionEnd, exactly, totalBits } from '../../core/bounds.ts';

const proven = 'section 2, proven with queues';
const smallest = (ids: ArrayLike<number>) => Array.from(ids).reduce((a, b) => Math.min(a, b));
const largest = (ids: ArrayLike<number>) => Array.from(ids).reduce((a, b) => Math.max(a, b));
const digits = (i: number) => i.toString(2).length;
const Nu = ({ n, longestUnit }: Circumstances) => n * longestUnit;

/**
 * Returns how often M_i passes at most, i not l. Queues delay M_l by less than 2.25N units in all, and l wakes at most N hops after i: M_i
 * lives less than N(2^l + 4.25)u, and each pass after its first takes it more than 2^i m. docs/findings.md has the proof.
 */
const mostPasses = (i: number, l: number, { n, clockRatio }: Circumstances) =>
  1 + (n * (2 ** l + 4.25) * clockRatio) / 2 ** i;

function mostBits(c: Circumstances): number {
  const l = smallest(c.ids);
  return Array.from(c.ids).reduce((sum, i) => sum + digits(i) * (i === l ? c.n : mostPasses(i, l, c)), 0);
}

const walkTime: Bound['when'] = {
  condition: 'a hop takes w_s/N, and w_p/N for each bit',
  holds: ({ transmission }) => transmission !== null,
};

/** Returns the three laps, of wakeup, M_l and sleepwell. FIFO channels may hold M_l back behind the longest name, on every hop. */
const threeLaps = ({ n, transmission, ids }: Circumstances) =>
  n *
  (3 * (transmission!.switching + transmission!.perBit) + transmission!.perBit * (digits(largest(ids)) - 1));

const units = ({ n, longestUnit, T }: Circumstances, each: number) => n * each * (longestUnit - T);

/** Returns how often messages M pass at most: as above, but a pass of M_i also takes the time of its bits, and so does each lap. */
function mostPassesInWalkTime(c: Circumstances): number {
  const { switching, perBit } = c.transmission!;
  const l = smallest(c.ids);
  const life = threeLaps(c) - c.n * (switching + perBit) + units(c, 2 ** l + 4.25);
  const pass = (i: number) => switching + perBit * digits(i) + (2 ** i * c.longestUnit) / c.clockRatio;
  return Array.from(c.ids).reduce((sum, i) => sum + (i === l ? c.n : 1 + life / pass(i)), 0);
}

/** The bounds for every f. */
export const boundsOfAll: readonly Bound<'wakeup' | 'M' | 'sleepwell'>[] = [
  exactly(['wakeup'], 'N', 'section 2', ({ n }) => n),
  exactly(['sleepwell'], 'N', 'section 2', ({ n }) => n),
  atLeast(['M'], 'N', 'section 2: M_l goes round', ({ n }) => n),
  atMost(['M'], 'N(N+1)/2', 'section 3: square at worst', ({ n }) => (n * (n + 1)) / 2),
  bitsOf.atMost(['M'], 'd(L)', 'section 2: M_i contains i', ({ ids }) => digits(largest(ids))),
  bitsOf.exactly(['wakeup', 'sleepwell'], '0', 'section 2: the type says all', () => 0),
];

/** The bounds for f(i) = 2^i. The paper prints 3N u/m. That omits the first pass of each M_i, the unit for reading in each hop of M_l, and queues. */
export const boundsOfDoubling: readonly Bound<'M'>[] = [
  atMost(['M'], '2N + 3.125N u/m', proven, ({ n, clockRatio }) => 2 * n + 3.125 * n * clockRatio),
  atMost(
    ['M'],
    '2N + 1.5(N+1)u/m',
    'section 2, corrected; conjectured: as if no queue delayed M_l',
    ({ n, clockRatio }) => 2 * n + 1.5 * (n + 1) * clockRatio,
  ),
  atMost(
    ['M'],
    "N + sum of 1 + (2w + w_p(d(L) - 1) + Nu'(2^l + 4.25)) / (w_s/N + d(i)w_p/N + 2^i m)",
    'section 3, corrected and proven',
    mostPassesInWalkTime,
    walkTime,
  ),
  electionEnd.atMost(
    'Nu(2^l + 2)',
    'section 2; conjectured: no run exceeds it',
    (c) => Nu(c) * (2 ** smallest(c.ids) + 2),
  ),
  electionEnd.atMost(
    "2w + w_s + w_p d(L) + Nu'(2^l + 4.25)",
    'section 3, corrected and proven',
    (c) => threeLaps(c) + units(c, 2 ** smallest(c.ids) + 4.25),
    walkTime,
  ),
  totalBits.atMost('N d(l) + sum of d(i)(1 + N(2^l + 4.25)u / 2^i m)', proven, mostBits),
];

/** Section 3 has 3w + w_p(log l - 1). That omits the units for reading, and that M_l may be behind a longer name. */
export const boundsOfMinimalTime: readonly Bound<'M'>[] = [
  electionEnd.atMost('3Nu', 'section 3: three laps, proven with queues', (c) => 3 * Nu(c)),
  electionEnd.atMost(
    "3w + w_p(d(L) - 1) + 3Nu'",
    'section 3, corrected and proven',
    (c) => threeLaps(c) + units(c, 3),
    walkTime,
  ),
];
