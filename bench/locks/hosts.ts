// Three hosts, each in its own network namespace, with a delay of one millisecond between them and to the server. Compares Baton on every
// engine with libraries that lock at the server itself.
import { setTimeout as pause } from 'node:timers/promises';
import { type Ground, groundFor } from '../../campaign/ground.js';
import { median } from '../results.js';
import { type ServerName, start } from '../servers.js';
import { leaseMs } from './contenders/contender.js';
import { type ContenderName, contenders } from './contenders/index.js';
import { quantile } from './judge.js';
import { type Outcome, type Placement, race } from './race.js';
import { atMost, type Part, significant, table } from './report.js';
import { measure, said, times } from './takeover.js';

const hosts = 3;
const delayMs = 1;
const secret = 'of the bench, and of nobody else';

interface Entrant {
  readonly title: string;
  readonly contender: ContenderName;
  readonly server: ServerName;
  readonly scheme?: string; // the URL scheme of our engine
}

const entrants: readonly Entrant[] = [
  { title: 'baton on etcd', contender: 'ours', server: 'etcd', scheme: 'etcd' },
  { title: 'baton on PostgreSQL', contender: 'ours', server: 'postgresql', scheme: 'postgres' },
  { title: 'baton on Redis', contender: 'ours', server: 'redis', scheme: 'redis' },
  { title: 'baton on NATS', contender: 'ours', server: 'nats', scheme: 'nats' },
  { title: 'baton on MariaDB', contender: 'ours', server: 'mariadb', scheme: 'mysql' },
  { title: contenders.etcd3.title, contender: 'etcd3', server: 'etcd' },
  { title: contenders.redlock.title, contender: 'redlock', server: 'redis' },
  { title: contenders.postgresql.title, contender: 'postgresql', server: 'postgresql' },
];

export async function onHosts(seconds: number, rounds: number): Promise<Part> {
  const rows: string[][] = [];
  const missing: string[] = [];
  const takeovers: number[] = []; // of ours, milliseconds
  let ground = '';
  for (const entrant of entrants) {
    const measured = await measureOne(entrant, seconds, rounds);
    if (measured === null) missing.push(`Without ${entrant.title}: its server cannot be run here.`);
    else {
      rows.push([entrant.title, ...measured.cells]);
      ground = measured.ground;
      if (entrant.contender === 'ours') takeovers.push(measured.takeover);
      console.error(`hosts: ${rows.at(-1)!.join(', ')}`);
    }
  }
  const target = atMost('takeover after kill -9, the slowest engine, median, ms', Math.max(...takeovers), 25);
  const heads = [
    `${hosts} hosts, one lock`,
    ...['handovers/s', 'wait p50, ms', 'p99', 'fairness', 'violations'],
    ...['killed: median, ms', 'stopped: median, ms', 'asked of the server in a second, racing', 'idle'],
  ];
  return {
    lines: [
      `${hosts} processes in ${ground}, ${delayMs} ms one way between them and to the server, which keeps what it acknowledges; medians of ${rounds} rounds of ${seconds} s. Killed`,
      `and stopped: how long until one of ${hosts - 1} who wait has the lock of a holder that gets SIGKILL or SIGSTOP. Leases last ${leaseMs / 1000} s. The last columns count`,
      'what was sent to the server: ours asks it for leases and views, never for a lock.',
      '',
      ...table(heads, rows),
      ...(missing.length === 0 ? [] : ['', ...missing]),
      '',
      target.line,
    ],
    isGood: missing.length === 0 && target.isMet,
  };
}

async function measureOne(entrant: Entrant, seconds: number, rounds: number) {
  const server = await start(entrant.server, { durable: true });
  if (server === null) return null;
  const url = new URL(server.url);
  const ground = await groundFor(hosts, Number(url.port), { isDirect: false, isLoopback: false });
  ground.delay(delayMs, delayMs);
  const placementOf = (k: number) => placement(entrant, ground, url, k);
  const placements = Array.from({ length: hosts }, (_, k) => placementOf(k));
  const asked: number[] = [];
  try {
    const outcomes: Outcome[] = [];
    for (let round = 0; round < rounds; round += 1) {
      const begun = performance.now();
      const before = await ground.saidToEngine();
      outcomes.push(
        await race(entrant.contender, server, { processes: hosts, names: 1 }, seconds, {}, placementOf),
      );
      const after = await ground.saidToEngine();
      asked.push((after - before) / ((performance.now() - begun) / 1000));
    }
    const { onDeath, onHang } = contenders[entrant.contender];
    const killed = await measure(entrant.contender, placements, 'SIGKILL', times[onDeath]);
    const stopped = await measure(entrant.contender, placements, 'SIGSTOP', times[onHang]);
    const idle = await idling(entrant, placements, ground);
    const middle = (what: keyof Outcome) => significant(median(outcomes.map((one) => one[what])));
    return {
      ground: ground.title,
      takeover: quantile(killed, 0.5),
      cells: [
        ...(['handovers', 'p50', 'p99', 'fairness'] as const).map(middle),
        `${outcomes.reduce((sum, { violations }) => sum + violations, 0)}`,
        said(quantile(killed, 0.5)),
        said(quantile(stopped, 0.5)),
        significant(median(asked)),
        significant(idle),
      ],
    };
  } finally {
    await ground.end();
    await server.stop();
  }
}

/** Returns what is sent to the server per second while one process holds the lock and the others wait. */
async function idling(
  { contender }: Entrant,
  placements: readonly Placement[],
  ground: Ground,
): Promise<number> {
  const counted = new Promise<number>((resolve) => {
    setTimeout(async () => {
      const before = await ground.saidToEngine();
      await pause(5000);
      resolve(((await ground.saidToEngine()) - before) / 5);
    }, 3000);
  });
  await measure(contender, placements, 'SIGKILL', 0, counted);
  return counted;
}

function placement({ contender, scheme }: Entrant, ground: Ground, url: URL, k: number): Placement {
  const { listen, advertise, engineHost, enginePort } = ground.addressesOf(k);
  const user = url.username === '' ? '' : `${url.username}@`;
  const at = `${user}${engineHost}:${enginePort}${url.pathname === '/' ? '' : url.pathname}`;
  const start: Placement['start'] = (file, env) => ground.start(k, file, env);
  if (contender !== 'ours') return { where: `${url.protocol}//${at}`, options: {}, start };
  const engine = `${scheme}://${at}`;
  return {
    where: 'bench',
    options: { engine, listen, advertise, secret, unsafe: scheme === 'nats' },
    start,
  };
}
