// Which algorithm hands a lock on fastest, by the number of processes: the table in docs/choosing.md.
//
//   npm run bench -- algorithms            prints, and with --write puts the figures into docs/choosing.md
//     --only naimi-trehel,raymond          only these
//     --seconds 1 --processes 2,4,8
import { readFileSync, writeFileSync } from 'node:fs';
import { cpus } from 'node:os';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { algorithms } from 'batonjs/algorithms';
import { race } from './race.js';
import { significant, table } from './report.js';

const locks = algorithms.filter(({ problem }) => problem === 'mutex').map(({ name }) => name);
const { values } = parseArgs({
  allowPositionals: true,
  options: {
    only: { type: 'string', default: locks.join() },
    processes: { type: 'string', default: '2,4,8,16,32,64' },
    seconds: { type: 'string', default: '1' },
    write: { type: 'boolean', default: false },
  },
});
const sizes = values.processes.split(',').map(Number);
const seconds = Number(values.seconds);

async function handovers(algorithm: string, processes: number): Promise<string> {
  try {
    const verdict = await race('ours', `choosing-${process.pid}`, { processes, names: 1 }, seconds, {
      algorithm,
    });
    if (verdict.violations > 0) throw new Error(`${verdict.violations} violations`);
    console.error(`${algorithm}, ${processes}: ${significant(verdict.handovers)}/s`);
    return `${significant(verdict.handovers)} (${verdict.fairness.toFixed(2)})`;
  } catch (error) {
    console.error(`${algorithm}, ${processes}: ${(error as Error).message}`);
    process.exitCode = 1;
    return 'failed';
  }
}

/** Between the markers of the page. */
function put(lines: readonly string[]): void {
  const path = fileURLToPath(new URL('../../../docs/choosing.md', import.meta.url));
  const text = readFileSync(path, 'utf8');
  const [begin, end] = ['<!-- measured -->', '<!-- /measured -->'];
  const [before, rest] = text.split(begin);
  const after = rest?.split(end)[1];
  if (after === undefined) throw new Error(`${path} has no ${begin} and ${end}`);
  writeFileSync(path, `${before}${begin}\n\n${lines.join('\n')}\n\n${end}${after}`);
}

const rows: string[][] = [];
for (const name of values.only.split(',')) rows.push([`\`${name}\``]);
for (const processes of sizes)
  for (const [k, name] of values.only.split(',').entries()) rows[k]!.push(await handovers(name, processes));
const lines = [
  `Handovers per second on one lock, and in brackets Jain's index of fairness, for ${seconds} s each; ${cpus().length} processors,`,
  `${cpus()[0]?.model.trim()}, Node ${process.versions.node}.`,
  '',
  ...table(['processes', ...sizes.map(String)], rows),
];
console.log(lines.join('\n'));
if (values.write) put(lines);
