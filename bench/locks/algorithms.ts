// Measures which algorithm hands over a lock fastest, by the number of processes: the table in docs/choosing.md.
//
//   npm run bench -- algorithms            prints, and with --write puts the figures into docs/choosing.md
//     --only naimi-trehel,raymond          only these
//     --seconds 1 --rounds 3 --processes 2,4,8
import { readFileSync, writeFileSync } from 'node:fs';
import { cpus } from 'node:os';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { algorithms } from 'batonjs/algorithms';
import { median } from '../results.js';
import { race } from './race.js';
import { significant, table } from './report.js';

const locks = algorithms.filter(({ problem }) => problem === 'mutex').map(({ name }) => name);
const { values } = parseArgs({
  allowPositionals: true,
  options: {
    only: { type: 'string', default: locks.join() },
    processes: { type: 'string', default: '2,4,8,16,32,64' },
    seconds: { type: 'string', default: '1' },
    rounds: { type: 'string', default: '3' },
    write: { type: 'boolean', default: false },
  },
});
const sizes = values.processes.split(',').map(Number);
const seconds = Number(values.seconds);
const rounds = Number(values.rounds);
const chosen = values.only.split(',');
const group = `choosing-${process.pid}`;

interface Measured {
  readonly handovers: number[];
  readonly fairness: number[];
}

async function measure(algorithm: string, processes: number, into: Measured): Promise<void> {
  try {
    const outcome = await race('ours', { url: group }, { processes, names: 1 }, seconds, { algorithm });
    if (outcome.violations > 0) throw new Error(`${outcome.violations} violations`);
    into.handovers.push(outcome.handovers);
    into.fairness.push(outcome.fairness);
    console.error(`${algorithm}, ${processes}: ${significant(outcome.handovers)}/s`);
  } catch (error) {
    console.error(`${algorithm}, ${processes}: ${(error as Error).message}`);
    process.exitCode = 1;
  }
}

/** Measures each algorithm, in turns. */
async function column(processes: number): Promise<string[]> {
  const all = new Map(chosen.map((name) => [name, { handovers: [], fairness: [] } as Measured]));
  for (let round = 0; round < rounds; round += 1)
    for (const [name, into] of all) await measure(name, processes, into);
  return [...all.values()].map(({ handovers, fairness }) =>
    handovers.length < rounds
      ? 'failed'
      : `${significant(median(handovers))} (${median(fairness).toFixed(2)})`,
  );
}

/** Replaces the text between the markers of the page. */
function put(lines: readonly string[]): void {
  const path = fileURLToPath(new URL('../../../docs/choosing.md', import.meta.url));
  const text = readFileSync(path, 'utf8');
  const [begin, end] = ['<!-- measured -->', '<!-- /measured -->'];
  const [before, rest] = text.split(begin);
  const after = rest?.split(end)[1];
  if (after === undefined) throw new Error(`${path} has no ${begin} and ${end}`);
  writeFileSync(path, `${before}${begin}\n\n${lines.join('\n')}\n\n${end}${after}`);
}

const columns: string[][] = [];
for (const processes of sizes) columns.push(await column(processes));
const rows = chosen.map((name, k) => [`\`${name}\``, ...columns.map((cells) => cells[k]!)]);
const tries = rounds === 1 ? 'one round' : `medians of ${rounds} rounds`;
const lines = [
  `Handovers per second on one lock, and in brackets Jain's index of fairness, ${tries} of ${seconds} s in turns;`,
  `${cpus().length} processors, ${cpus()[0]?.model.trim()}, Node ${process.versions.node}.`,
  '',
  ...table(['processes', ...sizes.map(String)], rows),
];
console.log(lines.join('\n'));
if (values.write) put(lines);
