import { existsSync, readFileSync, statSync } from 'node:fs';
import type { AnyAlgorithm } from '../core/algorithm.ts';
import { InputError } from '../core/assert.ts';
import { fromEdges } from '../core/topology.ts';
import { parseTrace } from '../core/trace.ts';
import { textDiagram } from '../diagram/index.ts';
import { type Fields, parseFields, type Run, type Scenario, Simulation, simulate } from '../sim/index.ts';
import { keepsAssumptions } from '../sim/scenario.ts';
import { find } from './catalogue.ts';
import { FileWriter } from './file-writer.ts';
import { table } from './table.ts';

export type SimulateOptions = Fields & {
  readonly trace?: string;
  readonly diagram?: boolean;
  readonly json?: boolean;
};

const longestPicture = 60; // events that a person will look at after a violation

export function simulateCommand(name: string, { trace, diagram, json, ...fields }: SimulateOptions): number {
  const algorithm = find(name);
  const scenario = withFile(parseFields(fields), fields.topology);
  const probe = new Simulation(algorithm, { ...scenario, limit: 0 }); // refuses bad input before a file is touched
  const run = runAndWrite(algorithm, scenario, trace);
  if (json) console.log(JSON.stringify(run, null, 2));
  else {
    report(run, algorithm, keepsAssumptions(probe.setup));
    if (diagram || !run.ok) draw(algorithm, scenario, run, diagram ? Infinity : longestPicture);
    if (!run.ok && trace === undefined)
      console.log(`\nfor its trace, run it again with --trace FILE: it will be the same`);
    if (trace !== undefined) console.log(`\nthe trace is in ${trace}; baton replay ${trace} runs it again`);
  }
  return run.ok ? 0 : 1;
}

function runAndWrite(algorithm: AnyAlgorithm, scenario: Scenario, trace: string | undefined): Run {
  if (trace === undefined) return finish(new Simulation(algorithm, scenario));
  const writer = new FileWriter(trace);
  try {
    const run = finish(new Simulation(algorithm, scenario, { trace: (line) => writer.write(line) }));
    writer.done();
    return run;
  } catch (error) {
    writer.discard();
    throw error;
  }
}

function finish(simulation: Simulation): Run {
  const started = performance.now();
  while (simulation.advance(1_000_000)) {
    if (process.stderr.isTTY && performance.now() - started > 500) {
      process.stderr.write(`\r${simulation.messages.toLocaleString('en')} messages, time ${simulation.now} `);
    }
  }
  if (process.stderr.isTTY) process.stderr.write('\r\x1b[K');
  return simulation.result();
}

/** `--topology` names a shape or a file with one edge per line. */
function withFile(scenario: Scenario, topology: string | undefined): Scenario {
  if (topology === undefined) return scenario;
  if (!existsSync(topology) || !statSync(topology).isFile()) {
    if (/[./]/.test(topology)) throw new InputError(`there is no file ${topology} to read edges from`);
    return scenario;
  }
  return {
    ...scenario,
    topology: fromEdges(topology, readFileSync(topology, 'utf8').split('\n'), scenario.n),
  };
}

function report(run: Run, algorithm: AnyAlgorithm, assumptionsKept: boolean): void {
  const { messages, bounds, violations } = run;
  const kinds = Object.entries(messages.byType).map(([kind, count]) => `${kind} ${count}`);
  const agreed = run.leaders.filter((leader) => leader === run.leader).length;
  const rows = [
    ['messages', `${messages.total}: ${kinds.join(', ')}`],
    ['bounds', `${bounds.atLeast} .. ${bounds.atMost}${run.withinBounds ? '' : ', left'}`],
    algorithm.problem === 'mutex'
      ? ['entries', `${run.entries}`]
      : [
          'leader',
          run.leader === null ? 'none that all agree on' : `${run.leader}, and ${agreed} of ${run.n} know it`,
        ],
    ['time', `${run.time} ticks`],
  ];
  console.log(`${run.algorithm}, n = ${run.n}, seed ${run.seed}: ${run.ok ? 'ok' : 'VIOLATED'}`);
  for (const { property, why } of violations) console.log(`  ${property}: ${why}`);
  process.stdout.write(table(rows, '  '));
  if (!assumptionsKept)
    console.log(`  This run drops an assumption of ${run.algorithm}: its promises do not bind here.`);
}

/** The run is deterministic, so its picture is taken by running it once more. */
function draw(algorithm: AnyAlgorithm, scenario: Scenario, run: Run, most: number): void {
  if (run.events > most) {
    console.log(`\n${run.events} events are too many to draw here: try a smaller n, or --trace FILE`);
    return;
  }
  const lines: string[] = [];
  simulate(algorithm, scenario, { trace: (line) => lines.push(line) });
  process.stdout.write(`\n${textDiagram(parseTrace(lines.join('\n')), { events: most })}`);
}
