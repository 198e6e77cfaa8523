import { Choices } from './choices.ts';
import { type Comparison, compare, disagreementText } from './compare.ts';
import { broadcastElection, coinElection, ringElection } from './random-elections.ts';
import { withRandomLemmas } from './random-lemmas.ts';
import { coordinatorLock, demandLock, forkLock, tokenLock } from './random-locks.ts';
import { randomProgram } from './random-programs.ts';
import { randomTable } from './random-tables.ts';
import type { Case } from './verdict.ts';

const families = [
  tokenLock,
  coordinatorLock,
  forkLock,
  demandLock,
  ringElection,
  ringElection,
  broadcastElection,
  coinElection,
  randomTable,
  randomTable,
  randomTable,
];

/** The random algorithm of a seed, with a small number of processes, calls and faults. */
export function randomCase(seed: number): Case {
  const c = new Choices(seed);
  if (c.chance(0.2)) {
    const entries = c.one(1, 2, Infinity);
    return { algorithm: randomProgram(c), n: 2, entries, together: c.chance(0.3), crashes: c.mostly(0, 1) };
  }
  const family = c.one(...families);
  const algorithm = c.chance(0.5) ? withRandomLemmas(c, family(c)) : family(c);
  const n = family === coinElection ? 2 : c.one(2, 2, 3);
  const isLock = algorithm.problem === 'mutex';
  const faults = c.mostly({}, { crashes: 1 }, { losses: 1 }, { repeats: 1 });
  return {
    algorithm,
    n,
    ...(isLock && { entries: c.one(1, 1, 2) }),
    channels: c.chance(0.8) ? algorithm.assumes.channels : c.one('unordered', 'fifo', 'causal'),
    ...(algorithm.knows.includes('id') && { ids: shuffled(c, n) }),
    ...(c.chance(0.3) && { together: true }),
    ...faults,
    ...(algorithm.timers && c.chance(0.7) && { capacity: 1 }),
  };
}

function shuffled(c: Choices, n: number): number[] {
  const left = Array.from({ length: n }, (_, i) => i + 1);
  return Array.from({ length: n }, () => left.splice(c.below(left.length), 1)[0]!);
}

export interface SeedReport extends Comparison {
  readonly text: string; // reports the disagreements and the command that repeats them; empty if there are none
}

/** Compares the checker with the opponent on the case of a seed. */
export function compareSeed(seed: number, limit = 1000): SeedReport {
  const given = randomCase(seed);
  const comparison = compare(given, limit);
  if (comparison.disagreements.length === 0) return { ...comparison, text: '' };
  const { algorithm, ...space } = given;
  const text = [
    `seed ${seed}: the checker and the opponent disagree on ${algorithm.name}`,
    algorithm.paper,
    `${JSON.stringify(space)}, assumes ${JSON.stringify(algorithm.assumes)}`,
    ...comparison.disagreements.map(disagreementText),
    `again: npm run soak -- algorithms --from ${seed} --seeds 1`,
  ].join('\n');
  return { ...comparison, text };
}
