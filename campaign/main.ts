// Runs groups with faults in their members, network, engine and files, from a seed, and judges them by the reports and writes of the members.
//
//   npm run campaign                    all, a minute each; the reports go into campaign/reports/
//     --on embedded,etcd,redlock        only these
//     --seconds 60 --seed 1             of each; also --minutes 20, --hours 8
//     --members 5 --lease 2000
//     --faults kill,sweep               only these
//     --loopback                        behind a relay, also where there could be network namespaces
//     --out FOLDER                      another place for the reports
//     --publish                         an hour of `embedded` and 20 minutes of each other; puts the figures into docs/campaign.md
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { installPackages } from '../bench/locks/packages.ts';
import { contenders } from './contenders/index.ts';
import { publish, publishedSeconds } from './figures.ts';
import { complaints, isOurs, type Outcome, summary } from './report.ts';
import { type Plan, run } from './run.ts';

const { values } = parseArgs({
  options: {
    on: { type: 'string', default: Object.keys(contenders).join() },
    seconds: { type: 'string' },
    minutes: { type: 'string' },
    hours: { type: 'string' },
    seed: { type: 'string', default: '1' },
    members: { type: 'string', default: '5' },
    lease: { type: 'string', default: '2000' },
    faults: { type: 'string', default: '' },
    loopback: { type: 'boolean', default: false },
    out: { type: 'string', default: 'campaign/reports' },
    publish: { type: 'boolean', default: false },
  },
});
const names = values.on.split(',');
const given =
  Number(values.seconds ?? 0) + 60 * Number(values.minutes ?? 0) + 3600 * Number(values.hours ?? 0);
const interruption = new AbortController();

function secondsFor(name: string): number {
  if (given > 0) return given;
  return values.publish ? publishedSeconds(name) : 60;
}

function refuse(sentence: string): never {
  console.error(sentence);
  process.exit(2);
}

const unknown = names.find((name) => contenders[name] === undefined);
if (unknown !== undefined)
  refuse(`nothing is called '${unknown}'; there are ${Object.keys(contenders).join(', ')}`);
for (const option of ['seconds', 'minutes', 'hours', 'seed', 'members', 'lease'] as const)
  if (values[option] !== undefined && !(Number(values[option]) > 0))
    refuse(`--${option} is a number above 0, not '${values[option]}'`);

for (const signal of ['SIGINT', 'SIGTERM'] as const)
  process.on(signal, () => {
    if (interruption.signal.aborted) process.exit(130);
    interruption.abort();
  });

/** Prints what a run has shown, and keeps it. */
function report(outcome: Outcome): void {
  const { name, seed } = outcome;
  writeFileSync(join(values.out, `${name}-${seed}.json`), `${JSON.stringify(outcome, null, 2)}\n`);
  console.log(summary([outcome]).join('\n'));
  for (const sentence of outcome.leftOut) console.log(sentence);
  if (!isOurs(outcome)) return;
  for (const complaint of complaints(outcome)) {
    console.log(`NOT GOOD: ${complaint}`);
    process.exitCode = 1;
  }
  const seeds = [...new Set(outcome.violations.map((one) => one.seed))];
  if (seeds.length > 0)
    console.log(
      `Rounds with violations: seed ${seeds.join(', ')}. Again: npm run campaign -- --on ${name} --seconds 25 --seed ${seeds[0]}`,
    );
}

const planFor = (name: string): Plan => ({
  name,
  seconds: secondsFor(name),
  seed: Number(values.seed),
  members: Number(values.members),
  leaseMs: Number(values.lease),
  faults: values.faults === '' ? [] : values.faults.split(','),
  isLoopback: values.loopback,
  out: values.out,
  interrupt: interruption.signal,
});

if (names.some((name) => !isOurs(contenders[name]!))) installPackages();
mkdirSync(values.out, { recursive: true });
for (const name of names) {
  if (interruption.signal.aborted) break;
  const outcome = await run(planFor(name)).catch((error) => refuse(error.message));
  if (outcome === null) {
    console.log(`Without ${name}: its server is not here and cannot be installed.`);
    process.exitCode = 1;
    continue;
  }
  report(outcome);
  if (values.publish && !interruption.signal.aborted) publish([outcome]);
}
process.exit(process.exitCode ?? (interruption.signal.aborted ? 130 : 0));
