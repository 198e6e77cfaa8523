// Many processes, many names, and members that join, leave and are killed. Afterwards the members that stayed use no more memory than before.
import type { ChildProcess } from 'node:child_process';
import { setTimeout as pause } from 'node:timers/promises';
import type { ChurnOrders, Order, Said, Weight } from './churner.js';
import { leaseMs } from './contenders/contender.js';
import { dismiss, hear, hire, startCollecting } from './crew.js';
import { atLeast, atMost, type Part, significant, table } from './report.js';

const lasting = 8;
const names = 10_000;
const cycles = 5;
const settled = 2; // growth counts from this cycle on: before it the heap rises, by less each time
const oneKilledIn = 10;
const killAfterMs = 1000; // by then the member holds locks
const drainMs = 4 * leaseMs; // members forget idle locks after two leases
const patienceMs = 600_000;

export interface Extent {
  readonly members: number;
  readonly joins: number; // in total
}

class Crowd {
  readonly #group: string;
  readonly #lasting: ChildProcess[] = [];
  readonly #passing = new Set<ChildProcess>();
  #seed = 0;
  #isWorking = false;
  joins = 0;
  kills = 0;

  constructor(group: string) {
    this.#group = group;
  }

  async gather(passing: number): Promise<void> {
    for (let k = 0; k < lasting; k += 1) this.#lasting.push(await this.#hire(true));
    await Promise.all(Array.from({ length: passing }, () => this.#pass()));
  }

  async #hire(isLasting: boolean): Promise<ChildProcess> {
    this.#seed += 1;
    const share = isLasting ? shareOf(this.#lasting.length) : [];
    const orders: ChurnOrders = { group: this.#group, names, seed: this.#seed, share, isLasting };
    const child = isLasting ? hire('churner.js', orders, startCollecting) : hire('churner.js', orders);
    await heard(child, 'ready');
    return child;
  }

  async #pass(): Promise<void> {
    const child = await this.#hire(false);
    this.#passing.add(child);
    child.on('message', ({ type }: Said) => {
      if (type !== 'came') return;
      this.joins += 1;
      if (this.joins % oneKilledIn === 0) setTimeout(() => this.#kill(child), killAfterMs).unref();
    });
    if (this.#isWorking) child.send('work' satisfies Order);
  }

  #kill(child: ChildProcess): void {
    if (!this.#passing.delete(child)) return;
    this.kills += 1;
    child.kill('SIGKILL');
    this.#pass().catch((error) => console.error(error));
  }

  /** Works until `joins` members have joined. Then waits until all members rest and have forgotten idle locks. */
  async churn(joins: number): Promise<void> {
    const wanted = this.joins + joins;
    const late = performance.now() + patienceMs;
    this.#isWorking = true;
    for (const child of this.#all) child.send('work' satisfies Order);
    while (this.joins < wanted && performance.now() < late) await pause(50);
    if (this.joins < wanted) throw new Error(`only ${this.joins} joins in time`);
    this.#isWorking = false;
    const rested = this.#lasting.map((child) => heard(child, 'rests'));
    for (const child of this.#all) child.send('rest' satisfies Order);
    await Promise.all(rested);
    await pause(drainMs);
  }

  weigh(): Promise<Weight[]> {
    return Promise.all(
      this.#lasting.map((child) => {
        const weight = heard(child, 'weight');
        child.send('weigh' satisfies Order);
        return weight as Promise<Said & Weight>;
      }),
    );
  }

  get #all(): ChildProcess[] {
    return [...this.#lasting, ...this.#passing];
  }

  end(): Promise<void> {
    return dismiss(this.#all, 0);
  }
}

const shareOf = (place: number): string[] =>
  Array.from({ length: Math.ceil((names - place) / lasting) }, (_, k) => `name-${k * lasting + place}`);

const heard = (child: ChildProcess, type: Said['type']): Promise<Said> =>
  hear<Said>(child, patienceMs, (said) => said.type === type);

export async function churned(where: string, { members, joins }: Extent): Promise<Part> {
  const crowd = new Crowd(`${where}-churn`);
  const weights: Weight[] = [];
  try {
    await crowd.gather(members - lasting);
    for (let cycle = 0; cycle < cycles; cycle += 1) {
      await crowd.churn(joins / cycles);
      const all = await crowd.weigh();
      const largest = (what: keyof Weight) => Math.max(...all.map((one) => one[what]));
      const taken = all.reduce((sum, one) => sum + one.taken, 0);
      weights.push({
        heap: largest('heap'),
        code: largest('code'),
        descriptors: largest('descriptors'),
        taken,
      });
      console.error(
        `churn: ${crowd.joins} joins, ${significant(weights[cycle]!.heap / 1e6)} MB, ${weights[cycle]!.descriptors} descriptors`,
      );
    }
  } finally {
    await crowd.end();
  }
  const [before, after] = [weights[settled]!, weights.at(-1)!];
  const targets = [
    atMost(`heap after the last cycle to that after cycle ${settled + 1}`, after.heap / before.heap, 1.02),
    atMost('descriptors, more than after the first', after.descriptors - weights[0]!.descriptors, 0),
    atLeast('locks taken by those who stay', after.taken, cycles * names),
    atLeast('joins', crowd.joins, joins),
  ];
  const heads = [
    'after cycle',
    'heap without compiled code, MB',
    'compiled code, MB',
    'descriptors',
    'locks taken by those who stay, so far',
  ];
  const rows = weights.map(({ heap, code, descriptors, taken }, k) => [
    `${k + 1}`,
    (heap / 1e6).toFixed(2),
    (code / 1e6).toFixed(2),
    `${descriptors}`,
    taken.toLocaleString('en'),
  ]);
  return {
    lines: [
      `${members} processes in one group on ${names.toLocaleString('en')} names; ${lasting} stay, the others join, take locks and leave, again and again; one in ${oneKilledIn} is`,
      `killed instead and replaced. ${crowd.joins.toLocaleString('en')} joins, ${crowd.kills.toLocaleString('en')} kills. After each cycle all rest; what the heaviest of those who stay then weighs:`,
      '',
      ...table(heads, rows),
      '',
      ...targets.map(({ line }) => line),
    ],
    isGood: targets.every(({ isMet }) => isMet),
  };
}
