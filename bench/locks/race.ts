// One race: new processes of one contender compete for the same locks for some seconds.
import { setTimeout as pause } from 'node:timers/promises';
import type { Server } from '../servers.js';
import type { Options } from './contenders/contender.js';
import type { ContenderName } from './contenders/index.js';
import { dismiss, hear, hire, now, type Start } from './crew.js';
import { judge, type Raced, type Verdict, type Window } from './judge.js';
import { processorTime } from './processor.js';
import type { RaceOrders } from './racer.js';

export interface Scenario {
  readonly processes: number;
  readonly names: number;
}

export interface Outcome extends Verdict {
  readonly processor: number; // processor seconds per second, of the processes and the server
}

/** Where one process runs, and how it reaches its server. */
export interface Placement {
  readonly where: string;
  readonly options: Options;
  readonly start?: Start;
}

/** The more processes compete, the fewer events each of them has per second. From some number on, the processors are the limit. */
const warmUpSeconds = (processes: number) => 1 + Math.min(processes, 12);
const patienceMs = 60_000;
let runs = 0;

export async function race(
  contender: ContenderName,
  { url: where, pid }: Pick<Server, 'url' | 'pid'>,
  { processes, names }: Scenario,
  seconds: number,
  options: Options = {},
  placementOf: (k: number) => Placement = () => ({ where, options }),
): Promise<Outcome> {
  runs += 1;
  const run = `run${runs}`;
  const isAlone = processes === 1;
  const children = Array.from({ length: processes }, (_, k) => {
    const { start, ...placement } = placementOf(k);
    const orders: RaceOrders = { contender, run, names, seed: k + 1, isAlone, ...placement };
    return hire('racer.js', orders, start);
  });
  try {
    await Promise.all(children.map((child) => hear(child, patienceMs)));
    const raced = children.map((child) => hear<Raced>(child, patienceMs + 1000 * seconds));
    const from = now() + warmUpSeconds(processes) * 1e9;
    const window: Window = { from, to: from + seconds * 1e9 };
    for (const child of children) child.send(window);
    const processor = processorWithin(window, [
      ...children.map((child) => child.pid!),
      ...(pid === undefined ? [] : [pid]),
    ]);
    const all = await Promise.all(raced);
    for (const child of children) child.send('over');
    const verdict = { ...judge(all, names, window), processor: await processor };
    await dismiss(children);
    return verdict;
  } catch (error) {
    await dismiss(children, 0);
    throw error;
  }
}

async function processorWithin({ from, to }: Window, pids: readonly number[]): Promise<number> {
  const at = async (time: number) => {
    await pause((time - now()) / 1e6);
    return { used: processorTime(pids), time: now() };
  };
  const [before, after] = [await at(from), await at(to)];
  return (after.used - before.used) / ((after.time - before.time) / 1e9);
}
