// Compares the simulator, through its public API, with a loop written by hand for one algorithm: Chang-Roberts on a ring of a million,
// random latency 1 .. 10. Both run in turns, because the machine is noisy. The result is the ratio.
//
//   node build/bench/simulate.js            prints, and with --write puts the figures into bench/RESULTS.md
import { spawnSync } from 'node:child_process';
import { cpus } from 'node:os';
import { fileURLToPath } from 'node:url';
import { changRoberts, ricartAgrawala } from 'batonjs/algorithms';
import { simulate } from 'batonjs-lab/sim';
import { handWritten } from './hand-written.js';
import { median, write } from './results.js';

const n = 1_000_000;
const rounds = 5;

interface Measured {
  readonly messages: number;
  readonly seconds: number;
  readonly bytesPerProcess: number;
}

/** Measures once in a new process, so that neither side profits from the other's warm heap or compiled code. */
function measure(what: string): Measured {
  const { stdout, status } = spawnSync(
    process.execPath,
    ['--expose-gc', fileURLToPath(import.meta.url), what],
    {
      encoding: 'utf8',
      stdio: ['ignore', 'pipe', 'inherit'],
    },
  );
  if (status !== 0) throw new Error(`measuring ${what} failed`);
  return JSON.parse(stdout);
}

const works: Record<string, (seed: number) => number> = {
  'by hand': (seed) => handWritten(n, seed),
  'chang-roberts': (seed) => simulate(changRoberts, { n, seed }).messages.total,
  'without measures': (seed) => simulate(changRoberts, { n, seed, measures: false }).messages.total,
  'ricart-agrawala': (seed) => simulate(ricartAgrawala, { n: 50, entries: 500, seed }).messages.total,
};

function child(what: string): void {
  const work = works[what]!;
  globalThis.gc?.();
  const before = process.memoryUsage().rss;
  const started = performance.now();
  const messages = work(1);
  const seconds = (performance.now() - started) / 1000;
  const bytesPerProcess = (process.resourceUsage().maxRSS * 1024 - before) / n;
  console.log(JSON.stringify({ messages, seconds, bytesPerProcess } satisfies Measured));
}

const rate = ({ messages, seconds }: Measured) => messages / seconds / 1e6;

function main(): void {
  const baseline: Measured[] = [];
  const ours: Measured[] = [];
  const unmeasured: Measured[] = [];
  const mutex: Measured[] = [];
  for (let round = 0; round < rounds; round += 1) {
    baseline.push(measure('by hand'));
    ours.push(measure('chang-roberts'));
    unmeasured.push(measure('without measures'));
    mutex.push(measure('ricart-agrawala'));
  }
  const ratio = median(ours.map((our, k) => rate(our) / rate(baseline[k]!)));
  const slowdown = median(ours.map((our, k) => rate(unmeasured[k]!) / rate(our)));
  const bytes = Math.round(median(ours.map(({ bytesPerProcess }) => bytesPerProcess)));
  const lines = [
    `Chang-Roberts, ring of ${n.toLocaleString('en')}, latency uniform:1:10, set-up and result included; medians of ${rounds} rounds`,
    `in turns, a fresh process each, on ${cpus()[0]?.model.trim()} with Node ${process.versions.node}.`,
    '',
    '| | million messages/s | ratio to by hand | bytes per process |',
    '| --- | --- | --- | --- |',
    `| typed-array timing wheel by hand | ${median(baseline.map(rate)).toFixed(1)} | 1 | |`,
    `| \`simulate(changRoberts, { n })\` | ${median(ours.map(rate)).toFixed(1)} | ${ratio.toFixed(2)} (at least 0.2) | ${bytes} (at most 400) |`,
    `| \`simulate(changRoberts, { n, measures: false })\` | ${median(unmeasured.map(rate)).toFixed(1)} | | |`,
    `| \`simulate(ricartAgrawala, { n: 50, entries: 500 })\` | ${median(mutex.map(rate)).toFixed(1)} | | |`,
  ];
  lines.push(
    '',
    `Times, chains, sizes and load take a run ${slowdown.toFixed(2)} times as long (at most 1.15).`,
  );
  console.log(lines.join('\n'));
  if (process.argv.includes('--write')) write('Simulator', lines);
  if (ratio < 0.2 || bytes > 400 || slowdown > 1.15) process.exitCode = 1;
}

const what = process.argv[2];
if (what !== undefined && what in works) child(what);
else main();
