// How long until the next one has the lock, if its holder is killed, and if it hangs.
import type { ChildProcess } from 'node:child_process';
import { setTimeout as pause } from 'node:timers/promises';
import type { Server } from '../servers.js';
import { leaseMs } from './contenders/contender.js';
import { type Contender, type ContenderName, contenders } from './contenders/index.js';
import { dismiss, hear, hire, now } from './crew.js';
import type { HeirOrders, Word } from './heir.js';
import { quantile } from './judge.js';
import type { Stead } from './race.js';
import { atMost, type Part, significant, type Target, table } from './report.js';

const heirs = 4; // who wait
export const times = { told: 25, lease: 4, never: 1 };
const settleMs = 150;
const patienceMs = 3 * leaseMs;

type Blow = 'SIGKILL' | 'SIGSTOP';

/** A holder and those who wait; the one who gets the lock is the next holder. */
class Succession {
  readonly #contender: ContenderName;
  readonly #run: string;
  readonly #steads: Stead[]; // that are free
  readonly #living = new Map<ChildProcess, Stead>();
  #holder: ChildProcess | null = null;
  #entered: ((at: number) => void) | null = null;

  constructor(contender: ContenderName, run: string, steads: readonly Stead[]) {
    this.#contender = contender;
    this.#run = run;
    this.#steads = [...steads];
  }

  /** One more, who waits; the first one enters. */
  async add(): Promise<void> {
    const stead = this.#steads.shift()!;
    const { start, where, options } = stead;
    const orders: HeirOrders = { contender: this.#contender, run: this.#run, where, options };
    const child = hire('heir.js', orders, start);
    this.#living.set(child, stead);
    child.on('message', (word: Word) => {
      if (word.type !== 'entered') return;
      this.#holder = child;
      this.#entered?.(word.at);
    });
    await hear<Word>(child, patienceMs, ({ type }) => type === 'waiting');
  }

  /** Milliseconds from the blow until another holds the lock; infinite if nobody does for long. */
  async strike(blow: Blow): Promise<number> {
    const victim = this.#holder!;
    const entered = new Promise<number>((resolve) => {
      this.#entered = resolve;
    });
    const struck = now();
    victim.kill(blow);
    const at = await Promise.race([entered, pause(patienceMs, Number.POSITIVE_INFINITY, { ref: false })]);
    await dismiss([victim], 0);
    this.#steads.push(this.#living.get(victim)!);
    this.#living.delete(victim);
    return (at - struck) / 1e6;
  }

  async held(): Promise<void> {
    while (this.#holder === null) await pause(5);
  }

  end(): Promise<void> {
    return dismiss([...this.#living.keys()], 0);
  }
}

/** Sorted. One of them holds, the others wait. */
export async function measure(
  contender: ContenderName,
  steads: readonly Stead[],
  blow: Blow,
  times: number,
  before: Promise<unknown> = Promise.resolve(),
): Promise<number[]> {
  const succession = new Succession(contender, blow, steads);
  const taken: number[] = [];
  try {
    await succession.add();
    await succession.held();
    for (let k = 1; k < steads.length; k += 1) await succession.add();
    await before;
    for (let k = 0; k < times; k += 1) {
      await pause(settleMs);
      taken.push(await succession.strike(blow));
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
    const steads = Array.from({ length: 1 + heirs }, () => ({ where, options: {} }));
    const killed = await measure(contender, steads, 'SIGKILL', times[onDeath]);
    const stopped = await measure(contender, steads, 'SIGSTOP', times[onHang]);
    console.error(`takeover: ${contender}: ${said(quantile(killed, 0.5))}, ${said(quantile(stopped, 0.5))}`);
    rows.push([title, ...cells(killed), ...cells(stopped)]);
    if (contender !== 'ours') continue;
    targets.push(atMost('takeover after kill -9, median, ms', quantile(killed, 0.5), 20));
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
      `Milliseconds until one of ${heirs} who wait has the lock of a holder that was killed (kill -9) or stopped (SIGSTOP). Leases last ${leaseMs / 1000} s.`,
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
