// Measures how long the next process waits for a lock whose holder is killed or hangs.
import type { ChildProcess } from 'node:child_process';
import { setTimeout as pause } from 'node:timers/promises';
import type { Server } from '../servers.js';
import { leaseMs } from './contenders/contender.js';
import { type Contender, type ContenderName, contenders } from './contenders/index.js';
import { dismiss, hear, hire, now } from './crew.js';
import type { HeirOrders, Word } from './heir.js';
import { quantile } from './judge.js';
import type { Placement } from './race.js';
import { atMost, type Part, significant, type Target, table } from './report.js';

const waiters = 4; // waiters
export const times = { told: 25, lease: 4, never: 1 };
const settleMs = 150;
const patienceMs = 3 * leaseMs;

type HolderSignal = 'SIGKILL' | 'SIGSTOP';

/** A holder and its waiters. The waiter that gets the lock is the next holder. */
class Succession {
  readonly #contender: ContenderName;
  readonly #run: string;
  readonly #placements: Placement[]; // free ones
  readonly #living = new Map<ChildProcess, Placement>();
  #holder: ChildProcess | null = null;
  #entered: ((at: number) => void) | null = null;

  constructor(contender: ContenderName, run: string, placements: readonly Placement[]) {
    this.#contender = contender;
    this.#run = run;
    this.#placements = [...placements];
  }

  /** Adds a waiter. The first one enters. */
  async add(): Promise<void> {
    const placement = this.#placements.shift()!;
    const { start, where, options } = placement;
    const orders: HeirOrders = { contender: this.#contender, run: this.#run, where, options };
    const child = hire('heir.js', orders, start);
    this.#living.set(child, placement);
    child.on('message', (word: Word) => {
      if (word.type !== 'entered') return;
      this.#holder = child;
      this.#entered?.(word.at);
    });
    await hear<Word>(child, patienceMs, ({ type }) => type === 'waiting');
  }

  /** Returns the milliseconds from the signal until another process holds the lock; Infinity if none does within `patienceMs`. */
  async signalHolder(signal: HolderSignal): Promise<number> {
    const victim = this.#holder!;
    const entered = new Promise<number>((resolve) => {
      this.#entered = resolve;
    });
    const sentAt = now();
    victim.kill(signal);
    const at = await Promise.race([entered, pause(patienceMs, Number.POSITIVE_INFINITY, { ref: false })]);
    await dismiss([victim], 0);
    this.#placements.push(this.#living.get(victim)!);
    this.#living.delete(victim);
    return (at - sentAt) / 1e6;
  }

  async held(): Promise<void> {
    while (this.#holder === null) await pause(5);
  }

  end(): Promise<void> {
    return dismiss([...this.#living.keys()], 0);
  }
}

/** Returns the times in ascending order. One process holds the lock, and the others wait. */
export async function measure(
  contender: ContenderName,
  placements: readonly Placement[],
  signal: HolderSignal,
  times: number,
  before: Promise<unknown> = Promise.resolve(),
): Promise<number[]> {
  const succession = new Succession(contender, signal, placements);
  const taken: number[] = [];
  try {
    await succession.add();
    await succession.held();
    for (let k = 1; k < placements.length; k += 1) await succession.add();
    await before;
    for (let k = 0; k < times; k += 1) {
      await pause(settleMs);
      taken.push(await succession.signalHolder(signal));
      if (taken[k] === Number.POSITIVE_INFINITY) break;
      await succession.add();
    }
  } finally {
    await succession.end();
  }
  return taken.sort((a, b) => a - b);
}

export async function takenOver(opened: ReadonlyMap<ContenderName, Server>): Promise<Part> {
  const rows: string[][] = [];
  const targets: Target[] = [];
  for (const [contender, { url: where }] of opened) {
    const { title, mostProcesses, onDeath, onHang }: Contender = contenders[contender];
    if (mostProcesses === 1) continue;
    const placements = Array.from({ length: 1 + waiters }, () => ({ where, options: {} }));
    const killed = await measure(contender, placements, 'SIGKILL', times[onDeath]);
    const stopped = await measure(contender, placements, 'SIGSTOP', times[onHang]);
    console.error(`takeover: ${contender}: ${said(quantile(killed, 0.5))}, ${said(quantile(stopped, 0.5))}`);
    rows.push([title, ...cells(killed), ...cells(stopped)]);
    if (contender !== 'ours') continue;
    targets.push(atMost('takeover after kill -9, median, ms', quantile(killed, 0.5), 10));
    targets.push(atMost('takeover after SIGSTOP, longest, ms', quantile(stopped, 1), leaseMs));
  }
  const heads = [
    'the holder is',
    'killed: median, ms',
    'p90',
    'times',
    'stopped: median, ms',
    'p90',
    'times',
  ];
  return {
    lines: [
      `Milliseconds until one of ${waiters} who wait has the lock of a holder that was killed (kill -9) or stopped (SIGSTOP). Leases last ${leaseMs / 1000} s.`,
      '',
      ...table(heads, rows),
      ...(targets.length === 0 ? [] : ['', ...targets.map(({ line }) => line)]),
    ],
    isGood: targets.every(({ isMet }) => isMet),
  };
}

export const said = (value: number) =>
  value === Number.POSITIVE_INFINITY ? `not within ${patienceMs / 1000} s` : significant(value);

const cells = (taken: readonly number[]) => [
  ...[0.5, 0.9].map((q) => said(quantile(taken, q))),
  `${taken.length}`,
];
