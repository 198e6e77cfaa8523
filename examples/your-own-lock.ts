// An algorithm of your own on shared memory: each line of the program makes one access. This one was published as a correct
// simplification (H. Hyman: Comments on a Problem in Concurrent Programming Control. CACM 9(1):45, 1966) and is wrong.
import { sharedAlgorithm } from 'batonjs/core';
import { textDiagram } from 'batonjs-lab/diagram';
import { simulate } from 'batonjs-lab/sim';

const hyman = sharedAlgorithm({
  name: 'hyman',
  problem: 'mutex',
  paper: 'CACM 9(1):45, 1966',
  processes: { min: 2, max: 2 },
  assumes: { failures: 'none' },
  bounds: [],
  registers: () => ({ b: [1, 1], k: 0 }), // b[i] = 0: i wants to enter; k: whose turn it is
  init: () => ({}),

  request: 'C0: b[i] := false',
  release: 'b[i] := true',
  program({ me: i }) {
    const j = 1 - i;
    return {
      'C0: b[i] := false': { write: 'b', at: i, value: 0, goto: 'C1: if k ≠ i' },
      'C1: if k ≠ i': { read: 'k', goto: (k) => (k !== i ? 'C2: if not b[j] goto C2' : 'critical section') },
      'C2: if not b[j] goto C2': {
        read: 'b',
        at: j,
        goto: (b) => (b === 0 ? 'C2: if not b[j] goto C2' : 'k := i'),
      },
      'k := i': { write: 'k', value: i, goto: 'C1: if k ≠ i' },
      'b[i] := true': { write: 'b', at: i, value: 1, goto: 'noncritical section' },
    };
  },
});

const hold = 'fixed:30';
const seed = Array.from({ length: 1000 }, (_, k) => k).find((k) => !simulate(hyman, { seed: k, hold }).ok)!;
const run = simulate(hyman, { seed, hold, events: true });

console.log(textDiagram(run));
for (const { property, why } of run.violations) console.log(`${property}: ${why}`);
// prints: at most one inside: processes 0 and 1 are inside at the same time
