import { setImmediate } from 'node:timers/promises';
import { algorithmInfo, type EitherAlgorithm } from '../../catalogue/index.ts';
import {
  Check,
  type CheckOptions,
  type CheckReport,
  RandomWalk,
  type RandomWalkReport,
  type Space,
  timerCapacity,
} from '../../check/index.ts';
import { InputError } from '../../core/assert.ts';
import { type Trace, traceText } from '../../core/trace.ts';
import { fitsText, textDiagram } from '../../diagram/index.ts';
import { parseScenario, type ScenarioFields } from '../../sim/index.ts';
import { loadAlgorithm, replayOption } from '../input/algorithm-file.ts';
import { rejectMisplacedOptions, withTopologyFile } from '../input/scenario-options.ts';
import { eventChanges } from '../output/event-changes.ts';
import { FileWriter } from '../output/file-writer.ts';
import { table } from '../output/table.ts';
import { CheckThreads } from '../processes/check-threads.ts';

export type CheckFlags = ScenarioFields & {
  readonly together?: boolean;
  readonly crashes?: string;
  readonly losses?: string;
  readonly repeats?: string;
  readonly capacity?: string;
  readonly lemmas?: boolean;
  readonly bypass?: boolean;
  readonly bounds?: boolean;
  readonly progress?: boolean;
  readonly corrupted?: boolean;
  readonly reduction: boolean;
  readonly maxStates?: string;
  readonly maxMemory?: string;
  readonly maxDepth?: string;
  readonly threads?: string;
  readonly walk?: string;
  readonly trace?: string;
  readonly json?: boolean;
};

const statesPerSlice = 32_767; // between two updates of the terminal
const megabyte = 2 ** 20;
const interrupted = 130; // the exit code of shells after Ctrl-C
const exitCodes = { holds: 0, violated: 1, vacuous: 1, incomplete: 3 };
const verdictTexts = {
  holds: 'holds in every interleaving',
  violated: 'VIOLATED',
  vacuous: 'VACUOUS: nothing is violated, but nobody ever enters or leads',
  incomplete: 'not complete',
};

export async function checkCommand(
  name: string,
  given: CheckFlags,
  args: readonly string[],
): Promise<number> {
  const algorithm = await loadAlgorithm(name);
  const started = performance.now();
  const { trace, json } = given;
  rejectMisplacedOptions(algorithm, given);
  rejectTimes(algorithm, given);
  const search = begin(algorithm, given);
  const threads = search instanceof Check ? checkThreadsOf(search, name, algorithm, given) : null;
  const isStopped = await runSearch(search, threads, started);
  const report = search.report();
  const seconds = Math.round(performance.now() - started) / 1000;
  const example = search.example();
  if (trace !== undefined && example !== null) write(trace, traceText(example));
  if (json) console.log(JSON.stringify({ ...report, seconds }, null, 2));
  else {
    print(report, seconds, algorithmInfo(algorithm).hasLines ? 'lines' : 'messages');
    if (report.violation && example !== null) explain(algorithm, example);
    printNextStep(report, trace, args, replayOption(name));
    const { invariants = {} } = algorithm;
    if (report.violation && Object.hasOwn(invariants, report.violation.property))
      console.log(`for a run that breaks more than a lemma:  baton ${args.join(' ')} --no-lemmas`);
  }
  if (isStopped && report.verdict === 'incomplete') return interrupted;
  return 'runs' in report && report.verdict === 'incomplete' ? 0 : exitCodes[report.verdict];
}

/** Rejects times, because every interleaving is tried. Durations count only for algorithms that are not asynchronous. */
function rejectTimes(algorithm: EitherAlgorithm, given: CheckFlags): void {
  for (const option of ['start', 'snapshot'] as const)
    if (given[option]?.includes('@'))
      throw new InputError(`--${option} has times, but every moment is tried: name positions only, like 0,2`);
  for (const option of ['latency', 'clocks'] as const)
    if (given[option] !== undefined && algorithmInfo(algorithm).assumes.timing === 'asynchronous')
      throw new InputError(
        `--${option} means nothing here: ${algorithm.name} is asynchronous, and every timing is tried`,
      );
}

function begin(algorithm: EitherAlgorithm, given: CheckFlags): Check | RandomWalk {
  const space = spaceOf(algorithm, given);
  if (given.walk === undefined) return new Check(algorithm, space, searchOptionsOf(algorithm, given));
  const { maxStates, reduction, ...options } = optionsOf(given);
  if (maxStates !== undefined)
    throw new InputError('--max-states is for a search; of random runs --walk says how many');
  if (given.threads !== undefined) throw new InputError('--threads is for a search; random runs take one');
  return new RandomWalk(algorithm, space, { ...options, runs: whole(given.walk, 'walk') });
}

function checkThreadsOf(
  search: Check,
  name: string,
  algorithm: EitherAlgorithm,
  given: CheckFlags,
): CheckThreads {
  const threads = whole(given.threads ?? '1', 'threads');
  if (threads === 0) throw new InputError('--threads must be at least 1');
  const workerData = { name, space: spaceOf(algorithm, given), options: searchOptionsOf(algorithm, given) };
  return new CheckThreads(search, workerData, threads - 1);
}

function spaceOf(algorithm: EitherAlgorithm, given: CheckFlags): Space {
  const { entries, ...fields } = given;
  if (entries === 'any' && algorithmInfo(algorithm).mayAskForever)
    return { ...parseScenario(fields), entries: Infinity };
  return withTopologyFile(algorithm, parseScenario(given), given.topology);
}

const searchOptionsOf = (algorithm: EitherAlgorithm, given: CheckFlags): CheckOptions => ({
  ...timerCapacity(algorithm),
  ...optionsOf(given),
});

function optionsOf(given: CheckFlags): CheckOptions {
  const { together, lemmas, bypass, bounds, progress, corrupted, reduction } = given;
  const count = (
    option: 'crashes' | 'losses' | 'repeats' | 'capacity' | 'maxStates' | 'maxDepth',
    flag: string,
  ) => (given[option] === undefined ? {} : { [option]: whole(given[option], flag) });
  return {
    reduction,
    ...(together && { together }),
    ...(lemmas !== undefined && { lemmas }),
    ...(bypass && { bypass }),
    ...(bounds && { bounds }),
    ...(progress === false && { progress }),
    ...(corrupted && { corrupted }),
    ...count('crashes', 'crashes'),
    ...count('losses', 'losses'),
    ...count('repeats', 'repeats'),
    ...count('capacity', 'capacity'),
    ...count('maxStates', 'max-states'),
    ...count('maxDepth', 'max-depth'),
    ...(given.maxMemory !== undefined && { maxBytes: whole(given.maxMemory, 'max-memory') * megabyte }),
  };
}

function whole(text: string, flag: string): number {
  if (/^\d{1,15}$/.test(text)) return Number(text);
  throw new InputError(`--${flag} must be a whole number from 0, not '${text}'`);
}

/**
 * Runs in slices, to update the terminal. The first Ctrl-C stops the search, which then reports what it has checked; the second one ends the
 * process. Returns whether the search was stopped.
 */
async function runSearch(
  search: Check | RandomWalk,
  threads: CheckThreads | null,
  started: number,
): Promise<boolean> {
  let isStopped = false;
  process.once('SIGINT', () => {
    isStopped = true;
  });
  let shown = started + 400;
  while (!isStopped && search.advance(statesPerSlice)) {
    threads?.startIfUseful();
    await setImmediate();
    const now = performance.now();
    if (!process.stderr.isTTY || now - shown < 100) continue;
    shown = now;
    const parts = search instanceof RandomWalk ? ofWalk(search) : ofSearch(search, now - started);
    const memory = `${Math.round(search.bytes / megabyte)} MB`;
    process.stderr.write(`\r${[...parts, memory].join(', ')}\x1b[K`);
  }
  threads?.terminate();
  if (process.stderr.isTTY) process.stderr.write('\r\x1b[K');
  return isStopped;
}

const ofSearch = ({ states, depth, frontier, isCheckingLiveness }: Check, ms: number): string[] => [
  `${states.toLocaleString('en')} states`,
  `${Math.round(states / ms)},000 a second`,
  `depth ${depth}`,
  isCheckingLiveness ? 'looking for loops' : `${frontier.toLocaleString('en')} to look at`,
];

const ofWalk = ({ runs, events }: RandomWalk): string[] => [
  `${runs.toLocaleString('en')} runs`,
  `${events.toLocaleString('en')} events`,
];

function write(path: string, trace: string): void {
  const writer = new FileWriter(path);
  try {
    writer.write(trace.trimEnd());
    writer.done();
  } catch (error) {
    writer.discard();
    throw error;
  }
}

function print(report: CheckReport | RandomWalkReport, seconds: number, unusedThings: string): void {
  const { algorithm, n, properties, notChecked, sometimes, unused, leftOut } = report;
  const isViolated = report.violation !== null;
  console.log(`${algorithm}, n = ${n}: ${verdictTexts[report.verdict]}`);
  if (report.violation) console.log(`  ${report.violation.property}: ${report.violation.why}`);
  const rows = [
    ['looked at', `${'runs' in report ? walked(report) : searched(report)}; ${seconds} s`],
    ...('reduction' in report ? [['reduction', report.reduction]] : []),
    ...('bounded' in report && report.bounded !== null ? [['bounded', report.bounded]] : []),
    ...('runs' in report && isViolated ? [['found', 'by chance: there may be a shorter run']] : []),
    ...(leftOut === null ? [] : [['left out', leftOut]]),
    ['checked', properties.join('; ')],
    ...(notChecked === null ? [] : [['not checked', notChecked]]),
    ...(!isViolated
      ? [['sometimes', sometimes.map(({ what, seen }) => `${what}: ${seen ? 'seen' : 'NEVER'}`).join('; ')]]
      : []),
    ...(!isViolated && unused.length > 0 ? [['never used', `${unusedThings} ${unused.join(', ')}`]] : []),
  ];
  process.stdout.write(table(rows, '  '));
}

const searched = ({ states, transitions, depth }: CheckReport): string =>
  `${states} states, ${transitions} transitions, depth ${depth}`;

const walked = ({ runs, events, longest }: RandomWalkReport): string =>
  `${runs} random run${runs === 1 ? '' : 's'}, ${events} events, at most ${longest} in one`;

/** Draws the counterexample, with what each event changed. */
function explain(algorithm: EitherAlgorithm, trace: Trace): void {
  if (!fitsText(Number(trace.scenario.n))) return;
  const below = eventChanges(algorithm, trace);
  process.stdout.write(`\n${textDiagram(trace, { events: Infinity, below })}`);
}

/** Prints the commands for the next step. */
function printNextStep(
  report: CheckReport | RandomWalkReport,
  trace: string | undefined,
  args: readonly string[],
  how: string,
): void {
  const what = report.violation === null ? 'a run that was covered' : 'this run';
  if (trace !== undefined) console.log(`\n${what} is in ${trace}; baton replay ${trace}${how} runs it again`);
  else console.log(`\nfor ${what}:  baton ${args.join(' ')} --trace run.trace; baton replay run.trace${how}`);
}
