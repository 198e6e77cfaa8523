// Measures how fast new processes hand a lock on before their code is compiled: window by window, from the first grant on.
import { median } from '../results.js';
import type { Server } from '../servers.js';
import { type ContenderName, contenders } from './contenders/index.js';
import { dismiss, hear, hire, now } from './crew.js';
import { judge, type Raced } from './judge.js';
import type { RaceOrders } from './racer.js';
import { type Part, significant, table } from './report.js';

const windowMs = 250;
const sizes = [2, 4];
const patienceMs = 60_000;
const measured = ['ours', 'broker'] as const satisfies readonly ContenderName[];
let runs = 0;

/** Returns the handovers per second in each window of one run of new processes. */
export async function firstHandovers(
  contender: ContenderName,
  { url: where }: Pick<Server, 'url'>,
  processes: number,
  windows: number,
): Promise<number[]> {
  runs += 1;
  const shared = { contender, run: `first${runs}`, names: 1, isAlone: false, where, options: {} };
  const children = Array.from({ length: processes }, (_, k) =>
    hire('racer.js', { ...shared, seed: k + 1 } satisfies RaceOrders),
  );
  try {
    await Promise.all(children.map((child) => hear(child, patienceMs)));
    const raced = children.map((child) => hear<Raced>(child, patienceMs));
    const from = now();
    for (const child of children) child.send({ from, to: from + (windows + 1) * windowMs * 1e6 });
    const all = await Promise.all(raced);
    for (const child of children) child.send('over');
    await dismiss(children);
    return byWindow(all, windows);
  } catch (error) {
    await dismiss(children, 0);
    throw error;
  }
}

function byWindow(all: readonly Raced[], windows: number): number[] {
  const firstGrant = Math.min(...all.map(({ log }) => log[1]!));
  return Array.from({ length: windows }, (_, k) => {
    const from = firstGrant + k * windowMs * 1e6;
    const { handovers, violations } = judge(all, 1, { from, to: from + windowMs * 1e6 });
    if (violations > 0) throw new Error(`${violations} violations`);
    return handovers;
  });
}

/** The handovers per second of each contender, by round and window. */
type Rounds = Record<(typeof measured)[number], number[][]>;

export async function firstSeconds(
  opened: ReadonlyMap<ContenderName, Server>,
  seconds: number,
  rounds: number,
): Promise<Part> {
  const windows = Math.round((1000 * seconds) / windowMs);
  const all: Rounds[] = [];
  for (const processes of sizes) {
    const results: Rounds = { ours: [], broker: [] };
    for (let round = 0; round <= rounds; round += 1)
      for (const name of measured) {
        const server = opened.get(name);
        if (server === undefined)
          throw new Error(`first-seconds needs ${measured.join()}: name them in --only`);
        const handovers = await firstHandovers(name, server, processes, windows);
        if (round > 0) results[name].push(handovers); // in the first, the broker itself is new
        console.error(
          `first seconds, ${processes} processes: ${name}: ${handovers.map(significant).join(' ')}`,
        );
      }
    all.push(results);
  }
  return { lines: [...about(rounds), '', ...tableOf(all, windows)], isGood: true };
}

const about = (rounds: number) => [
  `Handovers per second on one lock in consecutive windows of ${windowMs} ms, from the first grant on. The processes are new and have just joined;`,
  `they take and release without a pause. Contenders in turns, medians of ${rounds} rounds. The ratio is the median of the ratios of the rounds.`,
  'Only the processes that use the broker are new: the broker itself has run before, as a server has.',
];

function tableOf(all: readonly Rounds[], windows: number): string[] {
  const heads = sizes.flatMap((processes) => [
    ...measured.map((name) => `${processes} processes: ${contenders[name].title}`),
    'ratio',
  ]);
  const rows = Array.from({ length: windows }, (_, k) => [
    `${(k * windowMs) / 1000} s`,
    ...all.flatMap(({ ours, broker }) => [
      ...[ours, broker].map((rounds) => significant(median(rounds.map((round) => round[k]!)))),
      significant(median(ours.map((round, i) => round[k]! / broker[i]![k]!))),
    ]),
  ]);
  return table(['from', ...heads], rows);
}
