// L. Lamport: A New Solution of Dijkstra's Concurrent Programming Problem. CACM 17(8):453-455, 1974, with the paper's labels L2
// and L3. A process takes a number larger than all it reads, and waits for the smaller ones. Of two equal numbers, that of the
// smaller id goes first. A process owns its two registers: they read 0 after it crashes.

import { alone, atLeast, exactly, nobodyCrashes } from '../../core/bounds.ts';
import { sharedAlgorithm } from '../../core/shared-algorithm.ts';

const isBefore = (number: number, i: number, other: number, j: number) =>
  number < other || (number === other && i < j);

// From the end of choosing until the process has left.
const isInBakery = (at: string) => at.startsWith('L') || at === 'critical section' || at === 'number[i] := 0';

/** Lamport (1974): the bakery algorithm for n processes, first come, first served; 4 writes and at least 3n reads per entry. */
export const bakery = sharedAlgorithm({
  name: 'bakery',
  problem: 'mutex',
  paper: 'doi:10.1145/361082.361093',
  assumes: { failures: 'crash' },
  bounds: [
    exactly(['write'], '4', 'choosing and number, twice each', () => 4, nobodyCrashes),
    exactly(['read'], '3n', 'number twice and choosing once, of everybody', ({ n }) => 3 * n, alone),
    atLeast(['read'], '3n', 'the same, and busy waiting', ({ n }) => 3 * n, nobodyCrashes),
  ],
  registers: (n) => ({ choosing: Array<number>(n).fill(0), number: Array<number>(n).fill(0) }),
  owned: ['choosing', 'number'],
  init: () => ({ j: 0, maximum: 0 }),

  request: 'choosing[i] := 1',
  release: 'number[i] := 0',
  program({ me: i, n }) {
    return {
      'choosing[i] := 1': { write: 'choosing', at: i, value: 1, goto: 'maximum of number[j]' },
      'maximum of number[j]': {
        read: 'number',
        at: (s) => s.j,
        goto(number, s) {
          s.maximum = Math.max(s.maximum, number);
          s.j = (s.j + 1) % n;
          return s.j === 0 ? 'number[i] := 1 + maximum' : 'maximum of number[j]';
        },
      },
      'number[i] := 1 + maximum': {
        write: 'number',
        at: i,
        value: (s) => 1 + s.maximum,
        goto: 'choosing[i] := 0',
      },
      'choosing[i] := 0': { write: 'choosing', at: i, value: 0, goto: 'L2: if choosing[j] ≠ 0 goto L2' },
      'L2: if choosing[j] ≠ 0 goto L2': {
        read: 'choosing',
        at: (s) => s.j,
        goto: (choosing) =>
          choosing !== 0
            ? 'L2: if choosing[j] ≠ 0 goto L2'
            : 'L3: if (number[j], j) < (number[i], i) goto L3',
      },
      'L3: if (number[j], j) < (number[i], i) goto L3': {
        read: 'number',
        at: (s) => s.j,
        goto(number, s) {
          if (number !== 0 && isBefore(number, s.j, 1 + s.maximum, i))
            return 'L3: if (number[j], j) < (number[i], i) goto L3';
          s.j += 1;
          return s.j < n ? 'L2: if choosing[j] ≠ 0 goto L2' : 'critical section';
        },
      },
      'number[i] := 0': { write: 'number', at: i, value: 0, goto: 'noncritical section' },
    };
  },

  invariants: {
    // Assertion 2 of the paper.
    'inside, its number is before all others in the bakery': ({ memory: { number }, processes }) =>
      processes.every(
        ({ at }, i) =>
          at !== 'critical section' ||
          processes.every(
            (other, k) => k === i || !isInBakery(other.at) || isBefore(number[i]!, i, number[k]!, k),
          ),
      ),
    'in the bakery it has its number and is not choosing': ({ memory: { choosing, number }, processes }) =>
      processes.every(
        ({ at, s }, i) => !isInBakery(at) || (choosing[i] === 0 && number[i] === 1 + s.maximum),
      ),
  },
});
