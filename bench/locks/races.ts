// Runs all races of all contenders in turns, and compares the results with the targets.
import { median } from '../results.js';
import type { Server } from '../servers.js';
import { leaseMs, retryMs } from './contenders/contender.js';
import { type ContenderName, contenders } from './contenders/index.js';
import { type Outcome, race, type Scenario } from './race.js';
import { atLeast, atMost, type Part, significant, table } from './report.js';

const scenarios: readonly Scenario[] = [
  { processes: 1, names: 1 },
  { processes: 2, names: 1 },
  { processes: 4, names: 1 },
  { processes: 8, names: 1 },
  { processes: 4, names: 1000 },
];

/** The rounds of one scenario, for each contender that could take part. */
type Results = ReadonlyMap<ContenderName, readonly Outcome[]>;

export async function raced(
  opened: ReadonlyMap<ContenderName, Server>,
  seconds: number,
  rounds: number,
): Promise<Part> {
  const all: { scenario: Scenario; results: Results }[] = [];
  const failures: string[] = [];
  for (const scenario of scenarios) {
    const results = new Map<ContenderName, Outcome[]>();
    for (let round = 0; round < rounds; round += 1)
      for (const [name, server] of opened) {
        if (scenario.processes > contenders[name].mostProcesses) continue;
        try {
          const verdict = await race(name, server, scenario, seconds);
          results.set(name, [...(results.get(name) ?? []), verdict]);
          console.error(`${label(scenario)}: ${name}: ${significant(verdict.acquisitions)}/s`);
        } catch (error) {
          failures.push(`${contenders[name].title}, ${label(scenario)}: ${(error as Error).message}.`);
        }
      }
    all.push({ scenario, results });
  }
  const targets = targetsOf(all.map(({ results }) => results));
  return {
    lines: [
      ...about(seconds, rounds),
      ...all.flatMap(({ scenario, results }) => ['', ...tableOf(scenario, results)]),
      ...(failures.length === 0 ? [] : ['', 'Failed:', ...failures]),
      ...(targets.length === 0 ? [] : ['', ...targets.map(({ line }) => line)]),
    ],
    isGood: failures.length === 0 && targets.every(({ isMet }) => isMet),
  };
}

const about = (seconds: number, rounds: number) => [
  `Each process takes and releases, without a pause, for ${seconds} s; fresh processes each time, contenders in turns, medians of ${rounds} rounds`,
  "(of the longest wait the longest). A handover is an entry after another process; a wait lasts from asking to entering; fairness is Jain's index over",
  'the acquisitions of the processes: 1 if all got the same. Violations are entries, of all rounds, before another process had left, by one clock for all',
  `processes, or with a fence that did not rise. Who cannot wait tries again after ${retryMs.least} to ${retryMs.most} ms, where the defaults have 100 and more.`,
  'Processor: time of all processors for one acquisition, that of the server included.',
  `Leases last ${leaseMs / 1000} s. Redis and PostgreSQL write nothing to disk; etcd always does. Alone, the ratio is that of acquisitions to async-mutex; else to the broker, of handovers on one lock, of acquisitions on many.`,
];

const label = ({ processes, names }: Scenario) =>
  `${processes === 1 ? 'one process' : `${processes} processes`}, ${names === 1 ? 'one lock' : `${names} names`}`;

const middle = (rounds: readonly Outcome[] | undefined, what: keyof Outcome) =>
  rounds === undefined ? Number.NaN : median(rounds.map((round) => round[what]));

/** Returns the figure to compare. One process has no handovers, and with many names their number depends on chance. */
const speedOf = ({ processes, names }: Scenario) =>
  processes === 1 || names > 1 ? 'acquisitions' : 'handovers';

function tableOf(scenario: Scenario, results: Results): string[] {
  const isAlone = scenario.processes === 1;
  const speed = speedOf(scenario);
  const baseline = results.get(isAlone ? 'async-mutex' : 'broker');
  const rows = [...results].map(([name, rounds]) => [
    contenders[name].title,
    significant(middle(rounds, 'acquisitions')),
    ...(isAlone ? [] : [significant(middle(rounds, 'handovers'))]),
    significant(ratio(rounds, baseline, speed)),
    ...(['p50', 'p99'] as const).map((what) => significant(middle(rounds, what))),
    significant(Math.max(...rounds.map(({ max }) => max))),
    significant(median(rounds.map(({ processor, acquisitions }) => (1e6 * processor) / acquisitions))),
    ...(isAlone ? [] : [middle(rounds, 'fairness').toFixed(2), `${total(rounds)}`]),
  ]);
  const heads = [
    label(scenario),
    'acquisitions/s',
    ...(isAlone ? [] : ['handovers/s']),
    'ratio',
    ...['wait p50, ms', 'p99', 'longest', 'processor, µs'],
    ...(isAlone ? [] : ['fairness', 'violations']),
  ];
  return table(heads, rows);
}

const total = (rounds: readonly Outcome[]) => rounds.reduce((sum, { violations }) => sum + violations, 0);

/** Compares round by round, because the load of the machine varies between rounds. */
function ratio(
  over: readonly Outcome[] | undefined,
  under: readonly Outcome[] | undefined,
  what: keyof Outcome,
): number {
  if (over === undefined || under === undefined) return Number.NaN;
  return median(over.map((round, k) => round[what] / (under[k] ?? under[0]!)[what]));
}

function targetsOf(all: readonly Results[]) {
  const [alone, , , eight] = all;
  const ours = eight?.get('ours');
  if (alone === undefined || eight === undefined || ours === undefined) return [];
  const versus = (results: Results, name: ContenderName, what: keyof Outcome) =>
    ratio(results.get('ours'), results.get(name), what);
  const rest = ([...eight.keys()] as const).filter((name) => name !== 'ours' && name !== 'broker');
  const best =
    rest.length === 0 ? Number.NaN : Math.min(...rest.map((name) => versus(eight, name, 'handovers')));
  const contended = all.slice(1).flatMap((results) => results.get('ours') ?? []);
  return [
    atLeast('alone, acquisitions to those of async-mutex', versus(alone, 'async-mutex', 'acquisitions'), 0.5),
    atLeast('alone, acquisitions to those of redlock', versus(alone, 'redlock', 'acquisitions'), 25),
    atLeast('8 processes, handovers to those of the broker', versus(eight, 'broker', 'handovers'), 1.5),
    atLeast('8 processes, handovers to the best of the rest', best, 2),
    atLeast('8 processes, fairness', middle(ours, 'fairness'), 0.9),
    atMost('violations', total(contended), 0),
  ];
}
