// Compares locks between processes: Baton and the libraries that Node programs use today. All run in turns, because the machine is noisy.
//
//   npm run bench -- locks            prints, and with --write puts the figures into bench/RESULTS.md
//     race | takeover | hosts | churn | growth | deploy | first-seconds   only that part
//     --only ours,broker              only these contenders
//     --seconds 3 --rounds 3          of each race
//     --members 64 --joins 1800       of the churn: as many as in an hour with one every two seconds
//     --most 256 --repeat 3           of the growth: the largest group, and how often each event is repeated
//     --processes 32                  of the deploy
import { writeFileSync } from 'node:fs';
import { cpus } from 'node:os';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { write } from '../results.js';
import type { Server } from '../servers.js';
import { churned } from './churn.js';
import { type ContenderName, contenderNames, contenders } from './contenders/index.js';
import { deployed } from './deploy.js';
import { firstSeconds } from './first-seconds.js';
import { grown } from './growth.js';
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
    most: { type: 'string', default: '256' },
    repeat: { type: 'string', default: '3' },
    processes: { type: 'string', default: '32' },
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

interface Measurement {
  readonly title?: string; // of its section, unless it is the name of the part
  readonly needs?: 'packages' | 'contenders'; // defaults to neither
  readonly measure: (opened: ReadonlyMap<ContenderName, Server>) => Promise<Part>;
}

const group = `bench-${process.pid}`;
const measurements: Readonly<Record<string, Measurement>> = {
  race: {
    needs: 'contenders',
    measure: (opened) => raced(opened, Number(values.seconds), Number(values.rounds)),
  },
  takeover: { needs: 'contenders', measure: takenOver },
  hosts: { needs: 'packages', measure: () => onHosts(Number(values.seconds), Number(values.rounds)) },
  churn: {
    measure: () => churned(group, { members: Number(values.members), joins: Number(values.joins) }),
  },
  growth: { measure: () => grown(group, { most: Number(values.most), repeat: Number(values.repeat) }) },
  deploy: { title: 'rolling deploy', measure: () => deployed(group, Number(values.processes)) },
  'first-seconds': {
    title: 'first seconds',
    needs: 'contenders',
    measure: (opened) => firstSeconds(opened, Number(values.seconds), Number(values.rounds)),
  },
};
const machine = `On ${cpus().length} processors, ${cpus()[0]?.model.trim()}, with Node ${process.versions.node}.`;

/** Without --write, pictures are written to the folder of the compiled benchmark. */
function draw(pictures: Part['pictures'] = {}): void {
  for (const [file, picture] of Object.entries(pictures)) {
    const folder = values.write ? '../../../bench/' : '../';
    const path = fileURLToPath(new URL(`${folder}${file}`, import.meta.url));
    writeFileSync(path, picture);
    console.error(`wrote ${path}`);
  }
}

async function main(): Promise<void> {
  const unknown = positionals.find((part) => !(part in measurements));
  if (unknown !== undefined)
    throw new Error(`no part is called ${unknown}; there are ${Object.keys(measurements).join()}`);
  const chosen = Object.entries(measurements).filter(
    ([name]) => positionals.length === 0 || positionals.includes(name),
  );
  if (chosen.some(([, { needs }]) => needs !== undefined)) installPackages();
  const needsContenders = chosen.some(([, { needs }]) => needs === 'contenders');
  const opened = needsContenders ? await open() : new Map<ContenderName, Server>();
  try {
    for (const [name, { title = name, measure }] of chosen) {
      const part = await measure(opened);
      const [section, lines] = [`Locks: ${title}`, [machine, '', ...part.lines]];
      console.log([`## ${section}`, '', ...lines, ''].join('\n'));
      draw(part.pictures);
      if (values.write) write(section, lines);
      if (!part.isGood) process.exitCode = 1;
    }
  } finally {
    for (const server of opened.values()) await server.stop();
  }
}

for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => process.exit(1)); // ends all child processes and servers
await main();
