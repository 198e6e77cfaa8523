// Compares the checker, through its command, with Spin on our own models in bench/spin/, which have the same states. Both run in turns,
// because the machine is noisy. The result is the ratio.
//
//   node build/bench/check.js            prints, and with --write puts the figures into bench/RESULTS.md
import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { cpus, tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { median, write } from './results.js';

const rounds = 3;
const most = { unreduced: 1, reduced: 0.25, bytesPerState: 160 };

/** Searches everything, or, with `depth`, all runs of at most that many events, breadth first. */
interface Case {
  readonly name: string;
  readonly n: number;
  readonly entries?: number;
  readonly depth?: number;
}

const cases: readonly Case[] = [
  { name: 'ricart-agrawala', n: 4, entries: 1 },
  { name: 'ricart-agrawala', n: 3, entries: 3 },
  { name: 'suzuki-kasami', n: 4, entries: 1 },
  { name: 'suzuki-kasami', n: 3, entries: 3 },
  { name: 'lamport', n: 3, entries: 1 },
  { name: 'lamport', n: 4, entries: 1, depth: 11 },
  { name: 'lamport', n: 3, entries: 3, depth: 17 },
  { name: 'chang-roberts', n: 4 },
  { name: 'chang-roberts', n: 7 },
  { name: 'chang-roberts', n: 8 },
];

interface Measured {
  readonly states: number;
  readonly transitions: number;
  readonly seconds: number; // of the search, as the tool reports
  readonly processor: number; // processor seconds of the whole command
  readonly whole: number; // elapsed seconds of the whole command
  readonly bytes: number;
}

function run(command: string, args: readonly string[], cwd = '.') {
  const started = performance.now();
  const timed = ['-c', '"$@"; times >&2', 'sh', command, ...args];
  const { stdout, stderr, error } = spawnSync('sh', timed, { encoding: 'utf8', cwd });
  if (error) throw error;
  const [, children = ''] = /.*s\n(.*s)\n$/.exec(stderr) ?? [];
  const times = [...children.matchAll(/(\d+)m([\d.]+)s/g)].map(
    ([, min, sec]) => 60 * Number(min) + Number(sec),
  );
  const processor = times.reduce((a, b) => a + b, 0);
  return { stdout, processor, whole: (performance.now() - started) / 1000 };
}

const main = fileURLToPath(new URL('../../packages/batonjs/dist/cli.cjs', import.meta.url));
const models = fileURLToPath(new URL('../../bench/spin/', import.meta.url));

function ours({ name, n, entries, depth }: Case, options: readonly string[]): Measured {
  const ids = Array.from({ length: n }, (_, i) => n - i).join(); // the order with the most states
  const size = entries === undefined ? ['--ids', ids] : ['--n', `${n}`, '--entries', `${entries}`];
  const bound = depth === undefined ? [] : ['--max-depth', `${depth}`];
  const args = [main, 'check', name, ...size, ...bound, ...options, '--json'];
  const { stdout, processor, whole } = run(process.execPath, args);
  const { verdict, states, transitions, seconds, bytes } = JSON.parse(stdout);
  const expected = depth === undefined ? 'holds' : 'incomplete';
  if (verdict !== expected) throw new Error(`${args.join(' ')}: ${verdict} instead of ${expected}`);
  return { states, transitions, seconds, processor, whole, bytes };
}

interface Compiled {
  readonly directory: string;
  readonly seconds: number;
}

/** Generates Spin's verifier for one case, and compiles it with the options of the search. */
function compile({ name, n, entries = 1, depth }: Case, options: readonly string[]): Compiled {
  const started = performance.now();
  const directory = mkdtempSync(join(tmpdir(), 'spin-'));
  const search = [
    '-O2',
    '-w',
    '-DSAFETY',
    '-DNOCLAIM',
    '-DMEMLIM=8192',
    ...(depth === undefined ? [] : ['-DBFS']),
  ];
  for (const [command, ...args] of [
    ['spin', '-a', `-DN=${n}`, `-DENTRIES=${entries}`, `${models}${name}.pml`],
    ['gcc', ...search, ...options, '-o', 'pan', 'pan.c'],
  ] as const) {
    const { status, stdout, stderr } = spawnSync(command, args, { encoding: 'utf8', cwd: directory });
    if (status !== 0) throw new Error(`${command} ${args.join(' ')}: ${stdout}${stderr}`);
  }
  return { directory, seconds: (performance.now() - started) / 1000 };
}

/** Runs Spin's verifier with a hash table of at least `slots`, so that no chain is long. */
function spin({ directory }: Compiled, slots: number, { depth }: Case): Measured {
  const size = Math.max(18, Math.ceil(Math.log2(slots)));
  const bound = depth === undefined ? [] : [`-m${depth}`];
  const { stdout, processor, whole } = run('./pan', [`-w${size}`, ...bound], directory);
  const number = (pattern: RegExp) => Number(pattern.exec(stdout)?.[1]);
  if (number(/errors: (\d+)/) !== 0) throw new Error(stdout);
  return {
    states: number(/(\S+) states, stored/),
    transitions: number(/(\S+) transitions/) - 1, // Spin counts the transition into the initial state
    seconds: number(/elapsed time (\S+) seconds/),
    processor,
    whole,
    bytes: number(/(\S+)\s+total actual memory usage/) * 2 ** 20,
  };
}

interface Results {
  readonly compiled: number; // seconds to generate and compile Spin's verifier
  readonly ours: Measured[];
  readonly spin: Measured[];
  readonly oursReduced: Measured[];
  readonly oursByDefault: Measured[]; // reduced, with the lemmas of the algorithm
  readonly spinReduced: Measured;
  readonly spinCollapsed: Measured;
}

function measure(one: Case): Results {
  const full = compile(one, ['-DNOREDUCE']);
  const reduced = compile(one, []);
  const collapsed = compile(one, ['-DNOREDUCE', '-DCOLLAPSE']);
  const results = {
    ours: [] as Measured[],
    spin: [] as Measured[],
    oursReduced: [] as Measured[],
    oursByDefault: [] as Measured[],
  };
  let states = 0;
  for (let round = 0; round < rounds; round += 1) {
    results.ours.push(ours(one, ['--no-reduction', '--no-lemmas']));
    states = results.ours[0]!.states;
    results.spin.push(spin(full, states, one));
    results.oursReduced.push(ours(one, ['--no-lemmas']));
    results.oursByDefault.push(ours(one, []));
  }
  checkSame(one, results.ours[0]!, results.spin[0]!);
  const spinReduced = spin(reduced, states, one);
  const spinCollapsed = spin(collapsed, states, one);
  for (const { directory } of [full, reduced, collapsed]) rmSync(directory, { recursive: true });
  return { ...results, compiled: full.seconds, spinReduced, spinCollapsed };
}

/** In a search with a depth the transitions may differ: Spin has already tried the events of the last states. */
function checkSame(one: Case, our: Measured, their: Measured): void {
  const isSame =
    our.states === their.states && (one.depth !== undefined || our.transitions === their.transitions);
  const size = ({ states, transitions }: Measured) => `${states} states and ${transitions} transitions`;
  if (!isSame) throw new Error(`${label(one)}: ${size(our)}, but Spin has ${size(their)}`);
}

const label = ({ name, n, entries, depth }: Case): string =>
  `${name} ${n}${entries === undefined ? '' : ` x ${entries}`}${depth === undefined ? '' : `, ${depth} events`}`;

const middle = (of: readonly Measured[], what: keyof Measured) => median(of.map((one) => one[what]));

/** Returns the median of the ratios of each round; NaN if the time is too short for Spin's clock, which counts hundredths of a second. */
function ratio(over: readonly Measured[], under: readonly Measured[], what: 'seconds' | 'processor'): number {
  if (middle(under, 'seconds') < 0.05) return Number.NaN;
  return median(over.map((one, round) => one[what] / under[round]![what]));
}

const show = (value: number, digits = 2) => (Number.isNaN(value) ? '' : value.toFixed(digits));
const count = (value: number) => value.toLocaleString('en');
const row = (...cells: readonly string[]) => `| ${cells.join(' | ')} |`;

function tables(all: readonly { readonly one: Case; readonly results: Results }[]): string[] {
  return [
    `Seconds for the search; medians of ${rounds} rounds in turns, a fresh process each, on ${cpus()[0]?.model.trim()} with`,
    `Node ${process.versions.node}. \`n x entries\`: each process asks at most that many times, at any time. In brackets the ratio of processor time`,
    'of the whole commands, which a busy machine disturbs less. Both sides find the same number of states and, without `--max-depth`, of transitions.',
    'Three ways to call `baton check`: with neither lemmas nor reductions, as Spin does; without lemmas; with no option, which checks the lemmas of the',
    'algorithm too. Bytes per state are those of the first search, with the objects that V8 holds.',
    '',
    row(
      'every interleaving',
      'states',
      'Spin',
      '`--no-lemmas --no-reduction`',
      `ratio (at most ${most.unreduced})`,
      'reduced: states',
      '`--no-lemmas`',
      `ratio (at most ${most.reduced})`,
      'with lemmas: states',
      'no option',
      'ratio',
      `bytes per state (at most ${most.bytesPerState})`,
    ),
    row(...Array<string>(12).fill('---')),
    ...all.map(({ one, results: { ours, spin, oursReduced, oursByDefault } }) => {
      const both = (over: readonly Measured[]) => {
        const [clock, processor] = [ratio(over, spin, 'seconds'), ratio(over, spin, 'processor')];
        return Number.isNaN(clock) ? '' : `${show(clock)} (${show(processor)})`;
      };
      return row(
        label(one),
        count(ours[0]!.states),
        show(middle(spin, 'seconds')),
        show(middle(ours, 'seconds')),
        both(ours),
        count(oursReduced[0]!.states),
        show(middle(oursReduced, 'seconds')),
        both(oursReduced),
        count(oursByDefault[0]!.states),
        show(middle(oursByDefault, 'seconds')),
        both(oursByDefault),
        show(ours[0]!.bytes / ours[0]!.states, 0),
      );
    }),
    '',
    'For information: the whole command, with the start of Node, and all that Spin takes from the model to the answer, with the making of its search (`spin -a`,',
    '`gcc -O2`); Spin with its own partial-order reduction, which finds next to nothing where each step may send to all; and Spin with its states packed (COLLAPSE).',
    'Bytes for each state: of ours what is in use, of Spin what it took.',
    '',
    row(
      '',
      'whole command',
      'reduced',
      'Spin, compiled first',
      'Spin reduced: states',
      'seconds',
      'Spin: bytes per state',
      'Spin packed: bytes per state',
      'seconds',
    ),
    row(...Array<string>(9).fill('---')),
    ...all.map(({ one, results: { compiled, ours, oursReduced, spin, spinReduced, spinCollapsed } }) =>
      row(
        label(one),
        show(middle(ours, 'whole')),
        show(middle(oursReduced, 'whole')),
        show(compiled + middle(spin, 'whole')),
        count(spinReduced.states),
        show(spinReduced.seconds),
        show(spin[0]!.bytes / spin[0]!.states, 0),
        show(spinCollapsed.bytes / spinCollapsed.states, 0),
        show(spinCollapsed.seconds),
      ),
    ),
    '',
    "Lamport's clocks tick with every event, as in the paper, so that almost every order of events is a state of its own: with n = 3 two entries have",
    'more than 20 million, and so has n = 4 with one. There the two are compared on all runs with at most the stated number of events, Spin breadth first too.',
  ];
}

/** Small searches are exempt from the limit of bytes: their memory is what any search starts with. */
function isGood({ ours, spin, oursReduced }: Results): boolean {
  return (
    !(ratio(ours, spin, 'seconds') > most.unreduced) &&
    !(ratio(oursReduced, spin, 'seconds') > most.reduced) &&
    !(ours[0]!.bytes / ours[0]!.states > most.bytesPerState && ours[0]!.states > 100_000)
  );
}

function compare(): void {
  const missing = ['spin', 'gcc'].filter((tool) => spawnSync(tool, ['--version']).error);
  if (missing.length > 0) {
    console.log(`The checker is not compared with Spin: ${missing.join(' and ')} cannot be run here.`);
    return;
  }
  const wanted = process.argv.slice(2).filter((word) => word !== '--write');
  const chosen = cases.filter((one) => wanted.length === 0 || wanted.includes(one.name));
  const all = chosen.map((one) => {
    const results = measure(one);
    console.error(`${label(one)}: ${show(ratio(results.ours, results.spin, 'seconds'))}`);
    return { one, results };
  });
  const lines = tables(all);
  console.log(lines.join('\n'));
  if (process.argv.includes('--write')) write('Checker', lines);
  if (!all.every(({ results }) => isGood(results))) process.exitCode = 1;
}

compare();
