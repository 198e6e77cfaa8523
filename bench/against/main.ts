// Compares the speed of this working tree with an earlier commit, which is built in its own git worktree. Both run the same work in turns.
// A second run of the earlier commit is the control: it shows how far figures differ by noise alone.
//
//   npm run bench -- --against <commit>     prints, and with --write puts the figures into bench/RESULTS.md
//     simulate | check | locks              only these groups
//     --rounds 15                           takes about 40 minutes on two processors
import { fork } from 'node:child_process';
import { cpus } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { parseArgs } from 'node:util';
import { dismiss, hear, hire, type Start } from '../locks/crew.js';
import { race } from '../locks/race.js';
import { significant, table } from '../locks/report.js';
import { median, write } from '../results.js';
import { combine, compare, type Ratios } from './ratios.js';
import { groups, type Measured, type Raced, type Work, type WorkOrders } from './works.js';
import { checkOut, git, hashOf, root } from './worktree.js';

/** Starts Node without V8's background threads, whose share of the work depends on the load of the machine. */
const startSteady: Start = (file, env) =>
  fork(file, [], { serialization: 'advanced', env, execArgv: ['--expose-gc', '--single-threaded'] });

const patienceMs = 300_000;
const raceSeconds = 2;

function fail(why: string): never {
  console.error(why);
  process.exit(2);
}

function options() {
  try {
    const { values, positionals } = parseArgs({
      allowPositionals: true,
      options: {
        against: { type: 'string', default: '' },
        rounds: { type: 'string', default: '15' },
        write: { type: 'boolean', default: false },
      },
    });
    return { ...values, rounds: Number(values.rounds), named: positionals };
  } catch (error) {
    return fail((error as Error).message);
  }
}

const { against, rounds, named, write: isWritten } = options();
const hash = hashOf(against) ?? fail(`git knows no commit '${against}'; give a hash, a branch or HEAD~1`);
const unknown = named.find((group) => !(group in groups));
if (unknown !== undefined)
  fail(`no group is called '${unknown}'; choose from ${Object.keys(groups).join(', ')}`);
if (!(Number.isInteger(rounds) && rounds > 0)) fail('--rounds must be a whole number from 1');

async function measure(work: Work, dist: string): Promise<Measured> {
  if ('processes' in work) return measureRace(work, dist);
  const child = hire('../against/worker.js', { dist, work } satisfies WorkOrders, startSteady);
  const measured = await hear<Measured>(child, patienceMs);
  await dismiss([child]);
  return measured;
}

/** Returns the processor time of one handover, or of one acquisition if there is only one process. */
async function measureRace({ title, processes }: Raced, dist: string): Promise<Measured> {
  const start: Start = (file, env) =>
    fork(file, [], { serialization: 'advanced', env: { ...env, BENCH_DIST: dist } });
  const where = { url: `against-${process.pid}` };
  const placement = () => ({ where: where.url, options: {}, start });
  const outcome = await race('ours', where, { processes, names: 1 }, raceSeconds, {}, placement);
  if (outcome.violations > 0) throw new Error(`${title}: ${outcome.violations} violations in ${dist}`);
  return { seconds: outcome.processor / (processes === 1 ? outcome.acquisitions : outcome.handovers) };
}

interface Result {
  readonly work: Work;
  readonly rounds: Ratios[];
  readonly seconds: number[]; // of the earlier commit
}

/** Runs one round of one workload. Each of the three runs comes first in every third round. */
async function add({ work, rounds, seconds }: Result, olds: string, news: string): Promise<void> {
  const dists = [olds, news, olds];
  const measured: Measured[] = [];
  for (let k = 0; k < dists.length; k += 1) {
    const which = (k + rounds.length) % dists.length;
    measured[which] = await measure(work, dists[which]!);
  }
  const [first, ours, second] = measured as [Measured, Measured, Measured];
  if (first.amount !== ours.amount)
    console.error(`${work.title}: the work differs: ${first.amount} before, ${ours.amount} now`);
  rounds.push({ ratio: first.seconds / ours.seconds, control: first.seconds / second.seconds });
  seconds.push(first.seconds);
  const { ratio, control } = rounds.at(-1)!;
  console.error(`round ${rounds.length}: ${work.title}: ${ratio.toFixed(3)}, control ${control.toFixed(3)}`);
}

const time = (seconds: number): string =>
  seconds < 0.001 ? `${significant(1e6 * seconds)} µs` : `${seconds.toFixed(2)} s`;

function tableOf(name: string, results: readonly Result[]) {
  const { floor } = groups[name]!;
  const compared = [
    ...results.map(({ work, rounds, seconds }) => ({
      title: work.title,
      before: time(median(seconds)),
      ...compare(rounds, floor),
    })),
    { title: 'geometric mean', before: '', ...compare(combine(results.map(({ rounds }) => rounds)), floor) },
  ];
  const heads = [name, 'before', `ratio (at least ${floor})`, 'control', 'spread of the control', 'verdict'];
  const cells = compared.map(({ title, before, ratio, control, spread, verdict }) => [
    ...[title, before, ratio.toFixed(3), control.toFixed(3)],
    ...[spread.map((end) => end.toFixed(3)).join(' to '), verdict],
  ]);
  return {
    lines: ['', ...table(heads, cells)],
    isGood: compared.every(({ verdict }) => verdict !== 'SLOWER'),
  };
}

async function main(): Promise<void> {
  const distOf = (folder: string) => pathToFileURL(join(folder, 'dist/')).href;
  const [olds, news] = [distOf(await checkOut(hash)), distOf(root)];
  const chosen = Object.entries(groups).filter(([name]) => named.length === 0 || named.includes(name));
  const results = chosen.map(([name, { works }]) => ({
    name,
    all: works.map((work): Result => ({ work, rounds: [], seconds: [] })),
  }));
  for (let round = 0; round < rounds; round += 1)
    for (const { all } of results) for (const one of all) await add(one, olds, news);
  const tables = results.map(({ name, all }) => tableOf(name, all));
  const command = ['npm run bench --', `--against ${hash}`, `--rounds ${rounds}`, ...named].join(' ');
  const lines = [
    `\`${git('describe', '--always', '--dirty', '--exclude', '*')}\` against \`${hash}\`: \`${command}\`, on ${cpus().length} processors, ${cpus()[0]?.model.trim()}, with Node ${process.versions.node}.`,
    '',
    `Processor time of the earlier commit, divided by that of the later one: above 1 is faster. Medians of ${rounds} rounds in turns, a fresh process each.`,
    'The control divides the time of the earlier commit by that of a second run of the same commit; its spread leaves out a tenth of the rounds at each end.',
    'A ratio is ok if it is at least the floor, or not below the spread of the control. The geometric mean is taken over the workloads of each round.',
    'Locks: processor time of all processes for one handover, or for one acquisition if there is one process.',
    ...tables.flatMap((part) => part.lines),
  ];
  console.log(lines.join('\n'));
  if (isWritten) write('Against an earlier commit', lines);
  if (!tables.every(({ isGood }) => isGood)) process.exitCode = 1;
}

for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => process.exit(1)); // removes the worktree
await main();
