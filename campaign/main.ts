// Runs groups with faults in their members, network and engine, from a seed, and judges them by the reports and writes of the members.
//
//   npm run campaign                    all, a minute each; the report goes into campaign/reports/
//     --on etcd,redis,redlock           only these
//     --seconds 60 --seed 1             of each
//     --members 5 --lease 2000
//     --faults kill,partition           only these
//     --loopback                        behind a relay, also where there could be network namespaces
//     --out FOLDER                      another place for the report
//     --write                           puts the summary into docs/campaign.md
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { start } from '../bench/servers.ts';
import { Random } from '../src/core/random.ts';
import { WallClocks } from './clock.ts';
import { contenders } from './contenders/index.ts';
import { Crew } from './crew.ts';
import { groundFor } from './ground.ts';
import { Nemesis } from './nemesis.ts';
import { complaints, isOurs, type Outcome, summary, writeSummary } from './report.ts';

const { values } = parseArgs({
  options: {
    on: { type: 'string', default: Object.keys(contenders).join() },
    seconds: { type: 'string', default: '60' },
    seed: { type: 'string', default: '1' },
    members: { type: 'string', default: '5' },
    lease: { type: 'string', default: '2000' },
    faults: { type: 'string', default: '' },
    loopback: { type: 'boolean', default: false },
    out: { type: 'string', default: 'campaign/reports' },
    write: { type: 'boolean', default: false },
  },
});
const members = Number(values.members);
const leaseMs = Number(values.lease);
const seconds = Number(values.seconds);
const seed = Number(values.seed);
const locks = ['a', 'b'];

async function run(name: string): Promise<Outcome | null> {
  const { title, server: serverName } = contenders[name]!;
  const random = new Random(seed, name);
  const server = await start(serverName, { durable: true });
  if (server === null) {
    console.log(`Without ${title}: ${serverName} is not here and cannot be installed.`);
    return null;
  }
  const url = new URL(server.url);
  const ground = await groundFor(members, Number(url.port), {
    isDirect: random.chance(0.5),
    isLoopback: values.loopback,
  });
  const clocks = WallClocks.open();
  const crew = new Crew(
    ground,
    (i) => {
      const addresses = ground.addressesOf(i);
      return {
        contender: name,
        url: addressOf(serverName, url, addresses.engineHost, addresses.enginePort),
        addresses,
        leaseMs,
        locks,
      };
    },
    (i) => clocks?.env(i) ?? {},
  );
  const nemesis = new Nemesis({ crew, ground, server, clocks, random, members, leaseMs });
  try {
    await nemesis.prepare();
    for (let i = 0; i < members; i += 1) crew.start(i);
    if (!(await within(30, () => crew.servedSince(new Map()))))
      throw new Error(`${title} did not begin: ${[...crew.failures.keys()].join('; ')}`);
    await nemesis.rage(
      performance.now() + 1000 * seconds,
      values.faults === '' ? [] : values.faults.split(','),
    );
    await nemesis.mend();
    const before = crew.acquired;
    const healed = performance.now();
    const isServed = await within(60, () => crew.servedSince(before));
    const servedMs = performance.now() - healed;
    await crew.end();
    return {
      name,
      title,
      ground: ground.title,
      seconds,
      seed,
      members,
      leaseMs,
      isServed,
      servedMs,
      injected: Object.fromEntries(nemesis.injected),
      failures: Object.fromEntries(crew.failures),
      resource: crew.resources.sums,
      verdict: crew.history.judge(),
      excuses: crew.history.excuses,
      history: crew.history.lines,
    };
  } finally {
    await crew.end();
    await ground.end();
    clocks?.end();
    nemesis.end();
    await server.stop();
  }
}

function addressOf(server: string, url: URL, host: string, port: number): string {
  if (server === 'etcd') return `etcd://${host}:${port}`;
  const user = url.username === '' ? '' : `${url.username}@`;
  return `${url.protocol}//${user}${host}:${port}${url.pathname}`;
}

async function within(limit: number, condition: () => boolean): Promise<boolean> {
  for (const until = performance.now() + 1000 * limit; performance.now() < until; ) {
    if (condition()) return true;
    await sleep(50);
  }
  return false;
}

const unknown = values.on.split(',').find((name) => contenders[name] === undefined);
if (unknown !== undefined) {
  console.error(`nothing is called '${unknown}'; there are ${Object.keys(contenders).join(', ')}`);
  process.exit(2);
}
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => process.exit(1));
const outcomes: Outcome[] = [];
mkdirSync(values.out, { recursive: true });
for (const name of values.on.split(',')) {
  const outcome = await run(name);
  if (outcome === null) {
    process.exitCode = 1;
    continue;
  }
  const { history, ...rest } = outcome;
  writeFileSync(join(values.out, `${name}-${seed}.jsonl`), `${history.join('\n')}\n`);
  writeFileSync(join(values.out, `${name}-${seed}.json`), `${JSON.stringify(rest, null, 2)}\n`);
  outcomes.push(outcome);
  console.log(summary([outcome]).join('\n'));
  if (!isOurs(outcome)) continue;
  for (const complaint of complaints(outcome)) {
    console.log(`NOT GOOD: ${complaint}`);
    process.exitCode = 1;
  }
}
if (values.write) writeSummary(outcomes);
process.exit();
