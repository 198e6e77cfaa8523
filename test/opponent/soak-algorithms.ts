// npm run soak -- algorithms [--seeds N] [--from S]: compares the checker with the opponent on random algorithms. Exits with 1 if they disagree.
import { parseArgs } from 'node:util';
import { compareSeed } from './random-cases.ts';

const { values } = parseArgs({
  options: {
    seeds: { type: 'string', default: '100000' },
    from: { type: 'string', default: '1' },
    all: { type: 'boolean', default: false }, // goes on after a disagreement
  },
});
const from = Number(values.from);
const seeds = Number(values.seeds);
if (!Number.isSafeInteger(from) || !Number.isSafeInteger(seeds)) {
  console.error('--seeds and --from are whole numbers');
  process.exit(2);
}

const startedAt = performance.now();
const perSecond = (done: number) => Math.round((done * 1000) / (performance.now() - startedAt));
const totals: Record<string, number> = {};
let disagreements = 0;
for (let seed = from; seed < from + seeds; seed += 1) {
  const { text, verdict } = compareSeed(seed);
  totals[verdict] = (totals[verdict] ?? 0) + 1;
  if (text !== '') {
    console.log(text);
    disagreements += 1;
    if (!values.all) process.exit(1);
  }
  const done = seed - from + 1;
  if (done % 1000 === 0) console.error(`${done} algorithms, ${perSecond(done)}/s`);
}
const counts = Object.entries(totals).map(([verdict, count]) => `${verdict} ${count}`);
console.log(
  `${seeds} algorithms from seed ${from}, ${disagreements} disagreements, ${perSecond(seeds)}/s: ${counts.join(', ')}`,
);
process.exit(disagreements > 0 ? 1 : 0);
