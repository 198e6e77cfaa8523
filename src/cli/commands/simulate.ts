import { setImmediate } from 'node:timers/promises';
import { algorithmInfo, type EitherAlgorithm } from '../../catalogue/index.ts';
import { logicalClockNamed } from '../../causality/index.ts';
import { tick } from '../../core/algorithm.ts';
import { InputError } from '../../core/assert.ts';
import { messageText, type TraceEvent, traceOf } from '../../core/trace.ts';
import { fitsText, textDiagram } from '../../diagram/index.ts';
import { bypassCountingText } from '../../problems/bypass-counter.ts';
import {
  keepsAssumptions,
  parseScenario,
  prepare,
  type Run,
  type Scenario,
  type ScenarioFields,
  type Setup,
  Simulation,
  type Snapshot,
  traceHead,
  verdictText,
  type WatchOptions,
} from '../../sim/index.ts';
import { loadAlgorithm, replayOption } from '../input/algorithm-file.ts';
import { rejectMisplacedOptions, withTopologyFile } from '../input/scenario-options.ts';
import { FileWriter } from '../output/file-writer.ts';
import { measureRows } from '../output/measures-text.ts';
import { table } from '../output/table.ts';

export type SimulateOptions = ScenarioFields & {
  readonly trace?: string;
  readonly diagram?: boolean;
  readonly stamps?: string;
  readonly json?: boolean;
};

const longestPicture = 60; // events, drawn after a violation
const longestDiagram = 2000; // events, drawn by --diagram
const mostEvents = 1_000_000_000; // limit of a run

/** Events without an entry or a decision after which a run is taken to have no end. No algorithm of the catalogue needs that many. */
const patience = (n: number): number => 1_000_000 + 100 * n * n;

export async function simulateCommand(
  name: string,
  options: SimulateOptions,
  version: string,
): Promise<number> {
  const { trace, diagram, json, stamps, ...fields } = options;
  const algorithm = await loadAlgorithm(name);
  const clock = stamps === undefined ? {} : { stamps: logicalClockNamed(stamps) };
  if (stamps !== undefined && trace === undefined && !diagram)
    throw new InputError('stamps are written into a trace or drawn: say --trace FILE or --diagram too');
  rejectMisplacedOptions(algorithm, fields);
  const scenario = {
    limit: mostEvents,
    ...withTopologyFile(algorithm, parseScenario(fields), fields.topology),
  };
  const setup = prepare(algorithm, scenario); // also rejects bad input before a file is created
  const maxEvents = diagram ? longestDiagram : longestPicture;
  const events: TraceEvent[] = [];
  const isShort = () => events.length <= 2 * maxEvents; // a redelivered message has two events, and counts as one
  const record = (event: TraceEvent) => {
    if (isShort()) events.push(event);
  };
  const isDrawable = !json && fitsText(setup.n);
  const watch = isDrawable ? { ...clock, record } : clock;
  const run = await runAndWrite(
    algorithm,
    scenario,
    fields.limit === undefined,
    trace,
    version,
    watch,
    isShort,
  );
  warnUnsent(scenario, run);
  if (json) console.log(JSON.stringify(run, null, 2));
  else {
    report(run, setup);
    if ((diagram || !run.ok) && isDrawable && run.events <= maxEvents) {
      const drawn = traceOf(traceHead(setup, clock), events, verdictText(run.violations));
      process.stdout.write(`\n${textDiagram(drawn, { events: maxEvents })}`);
    } else if (diagram || !run.ok)
      console.log(
        `\n${run.n} processes and ${run.events} events are too many to draw here: try a smaller n, or --trace FILE`,
      );
    if (!run.ok && trace === undefined)
      console.log('\nfor its trace, run it again with --trace FILE: it will be the same');
    if (trace !== undefined)
      console.log(`\nthe trace is in ${trace}; baton replay ${trace}${replayOption(name)} runs it again`);
  }
  return run.ok ? 0 : 1;
}

/** Warns if `--lose` names a message that was never sent. */
function warnUnsent({ faults = [] }: Scenario, { messages: { total } }: Run): void {
  const unsent = faults.flatMap((fault) =>
    fault.type === 'lose' && fault.message >= total ? [`#${fault.message}`] : [],
  );
  if (unsent.length > 0)
    console.error(`baton: ${unsent.join(', ')} was not lost: ${total} messages were sent, from #0 on`);
}

/** Recording slows a run down several times. So a run that becomes too long to draw is restarted without it. */
async function runAndWrite(
  algorithm: EitherAlgorithm,
  scenario: Scenario,
  mayGiveUp: boolean,
  trace: string | undefined,
  version: string,
  watch: WatchOptions,
  isShort: () => boolean,
): Promise<Run> {
  if (trace === undefined) {
    const simulation = new Simulation(algorithm, scenario, watch);
    while (watch.record && isShort() && simulation.advance(1));
    return finish(isShort() ? simulation : new Simulation(algorithm, scenario), mayGiveUp);
  }
  const writer = new FileWriter(trace);
  const interrupted = (signal: NodeJS.Signals) => {
    writer.discard();
    process.removeListener(signal, interrupted);
    process.kill(process.pid, signal);
  };
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, interrupted);
  try {
    writer.write(`# batonjs ${version}`);
    const run = await finish(
      new Simulation(algorithm, scenario, { ...watch, trace: (line) => writer.write(line) }),
      mayGiveUp,
    );
    writer.done();
    return run;
  } catch (error) {
    writer.discard();
    throw error;
  }
}

/** Runs in slices, so that signals are handled. */
async function finish(simulation: Simulation, mayGiveUp: boolean): Promise<Run> {
  const started = performance.now();
  const { n } = simulation.setup;
  let last = { outcomes: 0, events: 0 };
  while (simulation.advance(200_000)) {
    await setImmediate();
    const { outcomes, events } = simulation;
    if (outcomes !== last.outcomes || !simulation.isExpectedToEnd) last = { outcomes, events };
    if (mayGiveUp && events - last.events > patience(n))
      simulation.giveUp(
        `nobody enters or decides in ${(events - last.events).toLocaleString('en')} events; --limit EVENTS lets it go on`,
      );
    if (process.stderr.isTTY && performance.now() - started > 500) {
      const count = simulation.messages.toLocaleString('en');
      process.stderr.write(
        `\r${count} ${algorithmInfo(simulation.setup.algorithm).counts}, time ${simulation.now} `,
      );
    }
  }
  if (process.stderr.isTTY) process.stderr.write('\r\x1b[K');
  return simulation.result();
}

function report(run: Run, setup: Setup): void {
  const { messages, bounds, violations } = run;
  const { algorithm } = setup;
  const kinds = Object.entries(messages.byType).map(([kind, count]) => `${kind} ${count}`);
  const range =
    bounds.atMost === Infinity ? `at least ${bounds.atLeast}` : `${bounds.atLeast} .. ${bounds.atMost}`;
  const rows = [
    [algorithmInfo(algorithm).counts, `${messages.total}: ${kinds.join(', ')}`],
    ...(algorithm.bounds.length > 0 ? [['bounds', `${range}${run.withinBounds ? '' : ': outside'}`]] : []),
    ...outcomeOf(run, setup),
    ...foundRows(run, algorithm),
    ...(run.snapshot ? [['snapshot', recorded(run.snapshot)]] : []),
    ['time', `${run.time} ticks`],
  ];
  console.log(`${run.algorithm}, n = ${run.n}, seed ${run.seed}: ${run.ok ? 'ok' : 'VIOLATED'}`);
  for (const { property, why } of violations) console.log(`  ${property}: ${why}`);
  process.stdout.write(table(rows, '  '));
  const measured = measureRows(run);
  if (measured.length > 0) process.stdout.write(table(measured, '  '));
  if (run.clocks) process.stdout.write(`\n${table(clockRows(run.clocks), '  ')}`);
  if (!keepsAssumptions(setup))
    console.log(`  This run drops an assumption of ${run.algorithm}: its promises do not bind here.`);
}

/** Describes the messages in transit. The states are only in the JSON output. */
function recorded({ inFlight }: Snapshot): string {
  const few = inFlight
    .slice(0, 5)
    .map(({ from, to, message }) => `${messageText(message)} from ${from} to ${to}`);
  const more = inFlight.length > few.length ? ` and ${inFlight.length - few.length} more` : '';
  return inFlight.length === 0 ? 'nothing was on its way' : `on its way ${few.join(', ')}${more}`;
}

function outcomeOf(run: Run, { algorithm: { problem }, topology }: Setup): string[][] {
  if (problem === 'clocks') return [['synchronisations', `${run.times}`]];
  if (problem === 'mutex') {
    return [
      ['entries', `${run.entries}`],
      ['bypass', bypassed(run)],
    ];
  }
  const agreed = run.leaders.filter((leader) => leader === run.leader).length;
  const since = run.stableSince === null ? '' : `, and it stays since time ${run.stableSince}`;
  const known = `${run.leader}, and ${agreed} of ${topology.members} know it${since}`;
  return [
    [
      'leader',
      run.leader !== null
        ? known
        : run.leaders.every((one) => one === null)
          ? 'none'
          : 'none that all agree on',
    ],
    ...roundRows(run),
  ];
}

/** Returns a row for each number that the algorithm is to find. */
const foundRows = ({ found = [] }: Run, algorithm: Setup['algorithm']): string[][] =>
  Object.keys(algorithmInfo(algorithm).finds ?? {}).map((name) => {
    const those = found.filter(({ what }) => what === name);
    const texts = those.slice(0, 5).map(({ process, value }) => `${value}, found by process ${process}`);
    const more = those.length > texts.length ? [`and ${those.length - texts.length} more`] : [];
    return [name, those.length === 0 ? 'not found' : [...texts, ...more].join('; ')];
  });

/** Returns a row for each round that somebody won. */
const roundRows = ({ measures }: Run): string[][] =>
  (measures?.rounds ?? []).flatMap(({ round, begun, leader, won, known }) =>
    won === null
      ? []
      : [[`round ${round}`, `begun at ${begun}; ${leader} wins at ${won}, the last learns it at ${known}`]],
  );

/** Returns the rows of clocks, in milliseconds: one tick counts as one millisecond. */
function clockRows(clocks: NonNullable<Run['clocks']>): string[][] {
  const shown = (time: number | null) =>
    time === null ? '-' : `${time < 0 ? '' : ' '}${(time / tick).toFixed(4)}`;
  const rows = clocks.map(({ trueOffset, estimatedOffset, error, promised }, i) => [
    `${i}`,
    ...[trueOffset, estimatedOffset, error, promised].map(shown),
  ]);
  return [['clock, ms', ' true offset', ' estimated', ' it is off by', ' at most'], ...rows];
}

/** Describes how often other processes entered while one waited, and the bounds. */
function bypassed({ bypass, bypassAtMost }: Run): string {
  const said = (['request', 'heard', 'quiet'] as const).flatMap((from) => {
    const promised = bypassAtMost![from] < Infinity ? `, at most ${bypassAtMost![from]}` : '';
    if (from === 'request') return [`others entered ${bypass![from]} times while one waited${promised}`];
    return promised === '' ? [] : [`${bypass![from]} ${bypassCountingText[from]}${promised}`];
  });
  return said.join('; ');
}
