// Measures the packages: sizes, what `import` and `baton exec` take beyond Node's own start, and the tools and runtimes that work.
//
//   npm run bench -- package            prints, and with --write puts the figures into bench/RESULTS.md
//     sizes | tools | runtimes          only that part; the runtimes take half an hour
//     --rounds 15                       of each start
//     --runtimes Bun                    only those whose name contains this word; the rows of the others stay
import { spawnSync } from 'node:child_process';
import { mkdtempSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { cpus, tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { atMost, significant, type Target, table } from '../locks/report.js';
import { median, write } from '../results.js';
import { runtimeLines, runtimesTitle, toolLines } from './matrix.js';

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    rounds: { type: 'string', default: '15' },
    runtimes: { type: 'string', default: '' },
    write: { type: 'boolean', default: false },
  },
});
const rounds = Number(values.rounds);
const names = ['batonjs', 'batonjs-lab'];

interface Packed {
  readonly name: string;
  readonly filename: string;
  readonly size: number;
  readonly unpackedSize: number;
  readonly entryCount: number;
}

const run = (command: string, args: readonly string[], cwd = process.cwd()): string => {
  const { status, stdout, stderr } = spawnSync(command, args, { cwd, encoding: 'utf8' });
  if (status !== 0) throw new Error(`${command} ${args.join(' ')} ended with ${status}:\n${stderr}`);
  return stdout;
};

const filesIn = (folder: string): string[] =>
  readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name));

/** Packs both packages into a folder, and installs them there, the first one alone first. */
function install(folder: string): { packed: Packed[]; installed: string[][] } {
  const chosen = names.flatMap((name) => ['-w', name]);
  const packed: Packed[] = Object.values(
    JSON.parse(run('npm', ['pack', ...chosen, '--ignore-scripts', '--json', '--pack-destination', folder])),
  );
  writeFileSync(join(folder, 'package.json'), '{ "private": true }\n');
  const installed = packed.map(({ filename }) => {
    run('npm', ['install', '--no-audit', '--no-fund', `./${filename}`], folder);
    return filesIn(join(folder, 'node_modules'));
  });
  return { packed, installed };
}

const kB = (bytes: number): string => significant(bytes / 1000);

function sizes({ packed, installed }: ReturnType<typeof install>): { lines: string[]; targets: Target[] } {
  const rows = packed.map(({ name, size, unpackedSize, entryCount }, k) => {
    const total = installed[k]!.reduce((sum, file) => sum + statSync(file).size, 0);
    const packages = installed[k]!.filter((file) =>
      /node_modules\/(@[^/]+\/)?[^/]+\/package\.json$/.test(file),
    );
    return [name, kB(size), kB(unpackedSize), `${entryCount}`, `${packages.length}`, kB(total)];
  });
  const heads = [
    'package',
    'packed, kB',
    'unpacked, kB',
    'files',
    'packages in node_modules',
    'node_modules, kB',
  ];
  const [{ size, unpackedSize }] = packed as [Packed];
  return {
    lines: [
      'The second row is that of both packages together from the fifth column on.',
      '',
      ...table(heads, rows),
    ],
    targets: [
      atMost('batonjs, packed, kB', size / 1000, 300),
      atMost('batonjs, unpacked, kB', unpackedSize / 1000, 1200),
    ],
  };
}

/** What is started, as arguments of Node. The first is Node alone. */
const starts: Readonly<Record<string, readonly string[]>> = {
  'Node alone': ['-e', '0'],
  'Node alone, a module': ['--input-type=module', '-e', '0'],
  "import 'batonjs'": ['--input-type=module', '-e', "import 'batonjs'"],
  "require('batonjs')": ['-e', "require('batonjs')"],
  'baton exec --lock x -- true': ['node_modules/batonjs/dist/cli.cjs', 'exec', '--lock', 'x', '--', 'true'],
  'baton --version': ['node_modules/batonjs/dist/cli.cjs', '--version'],
};

/** Starts everything in turns, because the machine is noisy. Returns milliseconds. */
function startTimes(folder: string): Map<string, number[]> {
  const times = new Map(Object.keys(starts).map((name): [string, number[]] => [name, []]));
  for (let round = -1; round < rounds; round += 1)
    for (const [name, args] of Object.entries(starts)) {
      const begun = performance.now();
      run(process.execPath, args, folder);
      if (round >= 0) times.get(name)!.push(performance.now() - begun); // the first round warms the file system up
    }
  return times;
}

function startUp(folder: string): { lines: string[]; targets: Target[] } {
  const times = startTimes(folder);
  const of = (name: string) => times.get(name)!;
  const beyond = (name: string, alone: string) => median(of(name).map((time, k) => time - of(alone)[k]!));
  const rows = Object.keys(starts).map((name) => {
    const alone = name.startsWith('import') ? 'Node alone, a module' : 'Node alone';
    return [
      name,
      significant(median(of(name))),
      significant(Math.min(...of(name))),
      significant(beyond(name, alone)),
    ];
  });
  return {
    lines: [
      `Medians of ${rounds} starts in turns. "Beyond Node" is the median of the differences to Node alone in the same round.`,
      '',
      ...table(['start', 'ms', 'fastest', 'beyond Node'], rows),
    ],
    targets: [
      atMost("import 'batonjs', beyond Node, ms", beyond("import 'batonjs'", 'Node alone, a module'), 50),
      atMost('baton exec, beyond Node, ms', beyond('baton exec --lock x -- true', 'Node alone'), 55),
    ],
  };
}

function sizesAndStarts(): string[] {
  const folder = mkdtempSync(join(tmpdir(), 'baton-bench-'));
  try {
    const size = sizes(install(folder));
    const start = startUp(folder);
    const targets = [...size.targets, ...start.targets];
    if (targets.some(({ isMet }) => !isMet)) process.exitCode = 1;
    const machine = `On ${cpus().length} processors, ${cpus()[0]?.model.trim()}, with Node ${process.versions.node}.`;
    return [machine, '', ...size.lines, '', ...start.lines, '', ...targets.map(({ line }) => line)];
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

const parts: Readonly<Record<string, { readonly title: string; readonly measure: () => string[] }>> = {
  sizes: { title: 'Package', measure: sizesAndStarts },
  tools: { title: 'Package: tools', measure: toolLines },
  runtimes: { title: runtimesTitle, measure: () => runtimeLines(values.runtimes) },
};
const unknown = positionals.find((part) => !(part in parts));
if (unknown !== undefined)
  throw new Error(`no part is called ${unknown}; there are ${Object.keys(parts).join()}`);
for (const part of positionals.length > 0 ? positionals : Object.keys(parts)) {
  const { title, measure } = parts[part]!;
  const lines = measure();
  console.log([`## ${title}`, '', ...lines, ''].join('\n'));
  if (values.write) write(title, lines);
}
