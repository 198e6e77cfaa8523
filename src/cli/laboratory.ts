// The commands of the laboratory. The command `baton` of the package batonjs loads them if batonjs-lab is installed.
// Each command loads only the modules that it needs.
import type { Command, Option } from 'commander';
import { errorInLoadedFile } from './input/algorithm-file-errors.ts';

type Work<A extends unknown[]> = (...given: A) => number | Promise<number>;

/** What the functions below add a command with. */
interface Adding {
  readonly command: (usage: string, description: string) => Command;
  /** Makes an option that help leaves out. */
  readonly hidden: (flags: string) => Option;
  /** Makes an action of a function that returns the exit code. */
  readonly run: <A extends unknown[]>(work: Work<A>) => (...given: A) => Promise<void>;
}

/** An option given twice adds to the list. */
const several = (value: string, list?: string): string => (list === undefined ? value : `${list},${value}`);

/** Adds the commands to `baton`. A command calls `exitWith` at its end. */
export function addLaboratory(baton: Command, version: string, exitWith: (code: number) => void): void {
  const adding: Adding = {
    command: (usage, description) => baton.command(usage).description(description),
    hidden: (flags) => baton.createOption(flags).hideHelp(),
    run:
      (work) =>
      async (...given) => {
        try {
          exitWith(await work(...given));
        } catch (error) {
          throw errorInLoadedFile(error) ?? error;
        }
      },
  };
  const withJson: Adding = {
    ...adding,
    command: (usage, description) =>
      adding.command(usage, description).option('--json', 'one JSON document on stdout, nothing else'),
  };
  addCatalogue(withJson);
  addSimulate(withJson, version);
  addCheck(withJson);
  addReplay(withJson);
  addMeasure(withJson);
  addLab(adding);
}

function addCatalogue({ command, run }: Adding): void {
  command('list', 'the catalogue').action(
    run(async (options) => {
      const { listCommand } = await import('./commands/list.ts');
      return listCommand(options);
    }),
  );

  command('show <name>', 'one algorithm: paper, assumptions, bounds, source text').action(
    run(async (name, options) => {
      const { showCommand } = await import('./commands/show.ts');
      return showCommand(name, options);
    }),
  );
}

function addSimulate({ command, run }: Adding, version: string): void {
  const described = command('simulate <name>', 'one run in virtual time, deterministic from its seed')
    .option('--n <number>', 'how many processes (default: 5, or 2 where there can be no more)')
    .option(
      '--ids <list>',
      'ids in ring order, in the direction messages are sent: 3,0,2 (default: a seeded permutation of 1..n)',
    )
    .option(
      '--topology <shape>',
      'complete, ring, line, star, tree, grid, wheel, random:DEGREE, or a file with one edge per line',
    )
    .option('--root <position>', 'who has the token first, or coordinates (default: 0)')
    .option(
      '--start <who>',
      'who starts or asks: all, none, or positions, each with a time if you like: 0,2@50 (default: all; none for elections that begin by themselves)',
    )
    .option('--entries <number>', 'how often each one enters the critical section (default: 1)')
    .option(
      '--snapshot <who>',
      'of ALGORITHM+chandy-lamport: who begins a snapshot, with a time if you like: 0@30,2 (default: one, by the seed)',
      several,
    )
    .option(
      '--think <duration>',
      'between leaving and asking again, or two synchronisations (default: uniform:0:10)',
    )
    .option('--hold <duration>', 'inside the critical section (default: uniform:1:5)')
    .option('--channels <kind>', 'unordered, fifo or causal (default: what the algorithm assumes)')
    .option(
      '--latency <duration>',
      'of messages, or of steps on shared memory: fixed:D, uniform:A:B, exponential:MEAN; of messages also bits:A:B, A ticks and B for each bit (default: uniform:1:10)',
    )
    .option(
      '--slow <links>',
      'links with a latency of their own: 0-5:100,4-5:80; 0:5:100 from 0 to 5 only',
      several,
    )
    .option('--loss <probability>', 'of losing a message')
    .option('--lose <numbers>', 'the messages with these numbers in the trace are lost: 7,20', several)
    .option('--duplication <probability>', 'of delivering a message twice');
  withFaults(described)
    .option('--seed <number>', 'of everything left to chance (default: 0)')
    .option('--diagram', 'draw the run')
    .option('--trace <file>', 'write what happened, one line per event')
    .option(
      '--stamps <clock>',
      'stamp every event, in the trace and the diagram: lamport-clock or vector-clock',
    )
    .option(
      '--limit <events>',
      'gives up after this many (default: 10^9, or 10^6 + 100 n^2 without an entry or a decision)',
    )
    .action(
      run(async (name, options) => {
        const { simulateCommand } = await import('./commands/simulate.ts');
        return simulateCommand(name, options, version);
      }),
    );
}

const withFaults = (command: Command): Command =>
  command
    .option('--crash <who>', 'PROCESS@TIME, like 2@30; several with commas', several)
    .option('--restart <who>', 'PROCESS@TIME, with a fresh state', several)
    .option(
      '--detector <how>',
      'how processes notice a crash: timeout:PERIOD:TIMEOUT or handshake:PERIOD:TIMEOUT (default: timeout:2D:2D, D the longest delay)',
    )
    .option('--pause <who>', 'PROCESS@FROM-UNTIL, like 2@30-80', several)
    .option(
      '--partition <side>',
      'PROCESSES@FROM-UNTIL, like 0+1@30-80; messages across wait until it heals',
      several,
    )
    .option('--cut <links>', 'A-B@TIME, like 0-1@30: the link goes, with what is on its way', several)
    .option(
      '--link <links>',
      'A-B@TIME: it appears (again); one that is to appear for the first time is cut at 0',
      several,
    )
    .option('--corrupt <who>', 'PROCESS@TIME or all@TIME: variables take any values', several)
    .option(
      '--lie <who>',
      'PROCESS@TIME:TICKS, like 0@0:500: from then on it reads its clock wrongly',
      several,
    )
    .option('--clocks <list>', 'ticks per unit of each local clock: 3,1,2 (default: 1 each)')
    .option('--rounds <number>', 'how often each one has its clock synchronised (default: 1)')
    .option('--offsets <list>', 'of the hardware clocks at first, in ticks (default: seeded, up to 1000)')
    .option(
      '--drifts <list>',
      'how many millionths each clock runs fast: 50,-20,0 (default: seeded, up to --drift)',
    )
    .option('--drift <millionths>', 'the most that processes believe clocks to drift (default: 100)')
    .option(
      '--slew <millionths>',
      'by which a clock that is corrected runs faster or slower, or step: it is set (default: 100000)',
    );

function addCheck({ command, hidden, run }: Adding): void {
  command(
    'check <name>',
    'every interleaving: a property holds in all of them, or here is the shortest run that breaks it',
  )
    .option('--n <number>', 'how many processes (default: 3, or as many as the algorithm is for)')
    .option('--ids <list>', 'ids in ring order, in the direction messages are sent: 3,1,2')
    .option('--topology <shape>', 'as for simulate')
    .option('--root <position>', 'who has the token first, or coordinates (default: 0)')
    .option(
      '--start <who>',
      'who may start or ask, at any time or never: all, none, or positions (default: all; none for elections that begin by themselves)',
    )
    .option('--together', 'they do so at once, before anything else')
    .option(
      '--entries <number>',
      'how often each one may enter the critical section; on shared memory also any (default: 1)',
    )
    .option(
      '--snapshot <who>',
      'of ALGORITHM+chandy-lamport: who may begin a snapshot, at any time or never: positions (default: all)',
      several,
    )
    .option('--channels <kind>', 'unordered, fifo or causal (default: what the algorithm assumes)')
    .option('--latency <duration>', 'where timing counts: fixed:D or uniform:A:B (default: uniform:0:1)')
    .option('--clocks <list>', 'ticks per unit of each local clock: 3,1,2 (default: 1 each)')
    .option(
      '--crashes <number>',
      'up to so many processes crash, at any time; on shared memory they may come back',
    )
    .option('--losses <number>', 'up to so many messages are lost')
    .option('--repeats <number>', 'up to so many messages arrive twice')
    .option(
      '--capacity <number>',
      'no timer ends while a channel it would send on holds so many messages (default: 1 if it may end at any moment)',
    )
    .addOption(hidden('--lemmas')) // checked unless --no-lemmas is given, or an assumption does not hold
    .option('--no-lemmas', "leave out the algorithm's own lemmas")
    .option('--bypass', 'its bypass bounds, too')
    .option(
      '--bounds',
      'its bounds on messages and the longest chain, of every run that ends, and on sizes, too',
    )
    .option('--no-progress', 'leave out runs that never end')
    .addOption(hidden('--progress')) // checked unless --no-progress is given
    .option('--corrupted', 'from every value of the variables, for algorithms that stabilise')
    .option('--no-reduction', 'look at all states, also where some stand for others')
    .option('--max-states <number>', 'stop after so many (default: 100000000)')
    .option('--max-memory <megabytes>', 'stop when this is used up (default: 4096)')
    .option('--max-depth <events>', 'no run longer than this')
    .option(
      '--threads <number>',
      'so many work at a search once it is large; the answer is the same (default: 1)',
    )
    .option('--walk <runs>', 'instead, for what is too large: so many random runs, of 10000 events at most')
    .option('--seed <number>', 'of the ids, if they are not given, and of random runs (default: 0)')
    .option('--trace <file>', 'write the run that breaks a property, or one that was covered')
    .action(
      run(async (name, options) => {
        const { checkCommand } = await import('./commands/check.ts');
        return checkCommand(name, options, process.argv.slice(2));
      }),
    );
}

function addReplay({ command, run }: Adding): void {
  command('replay <file>', 'executes a trace again and compares every output')
    .option('--as <form>', 'print it as diagram, svg, shiviz or mermaid')
    .option('--algorithm <name>', 'with this one, or the one of this file (default: what the trace says)')
    .action(
      run(async (file, options) => {
        const { replayCommand } = await import('./commands/replay.ts');
        return replayCommand(file, options);
      }),
    );
}

function addMeasure({ command, run }: Adding): void {
  command(
    'measure [names...]',
    'measures messages, delay, time, bits and load against the formulas of the papers: tables and plots',
  )
    .option('--problem <problem>', 'only the algorithms of this problem: mutex, election or clocks')
    .option('--sizes <list>', 'numbers of processes: 8,16,32')
    .option('--max <number>', 'powers of two up to here (default: 1024)')
    .option('--runs <number>', 'at each size of each case, with seeds 1, 2, .. (default: 40)')
    .option(
      '--budget <events>',
      'for all runs at one size of one case; costly sizes are left out (default: 2000000)',
    )
    .option(
      '--measures-budget <events>',
      'the same, beyond which only messages are counted (default: the budget)',
    )
    .option(
      '--measure <list>',
      'print one table for each of these: messages, delay, waiting, hops, response, throughput, elected, learned, chain, bits, message-bits, elements, load, busiest, or all',
    )
    .option('--workers <number>', 'threads (default: one for each core)')
    .option(
      '--compare',
      'instead of a sweep, put algorithms side by side at two sizes, each figure beside what its source claims',
    )
    .option(
      '--out <folder>',
      'write the report there: atlas.md, atlas.html and the figures in atlas/; and comparison.md',
    )
    .action(
      run(async (names, options) => {
        const { measureCommand } = await import('./commands/measure.ts');
        const { compareCommand } = await import('./commands/compare.ts');
        return options.compare ? compareCommand(names, options) : measureCommand(names, options);
      }),
    );
}

function addLab({ command, run }: Adding): void {
  command('lab', 'the page: see an algorithm run, step it, interfere with it; on this machine only')
    .option('--port <number>', 'where to listen; 0 is any port that is free (default: 7450)')
    .action(
      run(async (options) => {
        const { labCommand } = await import('./commands/lab.ts');
        return labCommand(options);
      }),
    );
}
