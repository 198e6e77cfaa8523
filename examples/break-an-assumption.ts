// Lamport's algorithm needs channels that keep their order. How often does it fail without them, and how soon?
import { lamport } from 'batonjs/algorithms';
import { simulate } from 'batonjs-lab/sim';

const seeds = 600;
let failures = 0;
let shortest = Infinity;
for (let seed = 0; seed < seeds; seed += 1) {
  const run = simulate(lamport, { n: 2, channels: 'unordered', seed });
  if (run.ok) continue;
  failures += 1;
  shortest = Math.min(shortest, run.events);
}
console.log(`two inside in ${failures} of ${seeds} runs; the shortest has ${shortest} events`);

const kept = Array.from({ length: seeds }, (_, seed) => simulate(lamport, { n: 2, channels: 'fifo', seed }));
console.log(`with fifo channels: ${kept.filter(({ ok }) => !ok).length}`);
// prints: the shortest has 4 events
// prints: with fifo channels: 0
