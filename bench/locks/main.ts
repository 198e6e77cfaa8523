// Compares locks between processes: Baton and the libraries that Node programs use today. All run in turns, because the machine is noisy.
//
//   npm run bench -- locks            prints, and with --write puts the figures into bench/RESULTS.md
//     race | takeover | hosts | churn only that part
//     --only ours,broker              only these contenders
//     --seconds 3 --rounds 3          of each race
//     --members 64 --joins 1800       of the churn: as many as in an hour with one every two seconds
import { cpus } from 'node:os';
import { parseArgs } from 'node:util';
import { write } from '../results.js';
import type { Server } from '../servers.js';
import { churned } from './churn.js';
import { type ContenderName, contenderNames, contenders } from './contenders/index.js';
import { onHosts } from './hosts.js';
import { installPackages } from './packages.js';
import { raced } from './races.js';
import type { Part } from './report.js';
import { takenOver } from './takeover.js';

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    only: { type: 'string', default: contenderNames.join() },
    seconds: { type: 'string', default: '3' },
    rounds: { type: 'string', default: '3' },
    members: { type: 'string', default: '64' },
    joins: { type: 'string', default: '1800' },
    write: { type: 'boolean', default: false },
  },
});

async function open(): Promise<Map<ContenderName, Server>> {
  const opened = new Map<ContenderName, Server>();
  for (const name of values.only.split(',') as ContenderName[]) {
    if (contenders[name] === undefined)
      throw new Error(`no contender is called ${name}; there are ${contenderNames.join()}`);
    const server = await contenders[name].open();
    if (server === null) console.log(`Without ${contenders[name].title}: it cannot be run here.`);
    else opened.set(name, server);
  }
  return opened;
}

const measurements: Record<string, (opened: ReadonlyMap<ContenderName, Server>) => Promise<Part>> = {
  race: (opened) => raced(opened, Number(values.seconds), Number(values.rounds)),
  takeover: (opened) => takenOver(opened),
  hosts: () => onHosts(Number(values.seconds), Number(values.rounds)),
  churn: () =>
    churned(`bench-${process.pid}`, { members: Number(values.members), joins: Number(values.joins) }),
};
const machine = `On ${cpus().length} processors, ${cpus()[0]?.model.trim()}, with Node ${process.versions.node}.`;

async function main(): Promise<void> {
  const unknown = positionals.find((part) => !(part in measurements));
  if (unknown !== undefined)
    throw new Error(`no part is called ${unknown}; there are ${Object.keys(measurements).join()}`);
  installPackages();
  const opened = await open();
  try {
    for (const [name, measure] of Object.entries(measurements)) {
      if (positionals.length > 0 && !positionals.includes(name)) continue;
      const part = await measure(opened);
      const [section, lines] = [`Locks: ${name}`, [machine, '', ...part.lines]];
      console.log([`## ${section}`, '', ...lines, ''].join('\n'));
      if (values.write) write(section, lines);
      if (!part.isGood) process.exitCode = 1;
    }
  } finally {
    for (const server of opened.values()) await server.stop();
  }
}

for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => process.exit(1)); // ends all child processes and servers
await main();
