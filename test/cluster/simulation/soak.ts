// npm run soak -- groups [--seeds N] [--from S] [--trace]: simulates any number of groups. Exits with 1 at the first violation.
import { parseArgs } from 'node:util';
import { report } from './report.ts';
import { simulate } from './simulate-group.ts';

const { values } = parseArgs({
  options: {
    seeds: { type: 'string', default: '10000' },
    from: { type: 'string', default: '1' },
    trace: { type: 'boolean', default: false }, // prints the full trace
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
for (let seed = from; seed < from + seeds; seed += 1) {
  const { violation, counts, messages, trace } = simulate(seed, undefined, values.trace);
  for (const [what, count] of Object.entries({ messages, ...counts }))
    totals[what] = (totals[what] ?? 0) + count;
  if (values.trace) console.log(trace.join('\n'));
  if (violation !== null) {
    console.log(values.trace ? `violated: ${violation}` : report(seed));
    process.exit(1);
  }
  const done = seed - from + 1;
  if (done % 1000 === 0) console.error(`${done} seeds, ${perSecond(done)}/s`);
}
console.log(`${seeds} seeds from ${from} hold, ${perSecond(seeds)}/s`);
console.log(
  Object.entries(totals)
    .map(([what, count]) => `${what} ${count}`)
    .join(', '),
);
