// A member of a large group. A lasting member stays, and reports its memory on request. A passing member joins, works and leaves repeatedly.
import { readdirSync } from 'node:fs';
import { setTimeout as pause } from 'node:timers/promises';
import { getHeapCodeStatistics } from 'node:v8';
import { type Group, join } from 'batonjs/cluster';
import { leaseMs } from './contenders/contender.js';
import { ordersOf } from './crew.js';

export interface ChurnOrders {
  readonly group: string;
  readonly names: number;
  readonly seed: number;
  readonly share: readonly string[]; // the names that this lasting member takes at least once
  readonly isLasting: boolean;
}

export type Order = 'work' | 'rest' | 'weigh';

export type Said =
  | { readonly type: 'ready' | 'rests' }
  | { readonly type: 'came' } // has joined again; the benchmark counts these
  | ({ readonly type: 'weight' } & Weight);

export interface Weight {
  readonly heap: number; // bytes, without `code`
  readonly code: number; // bytes of compiled code: they grow for hours, but not forever
  readonly descriptors: number;
  readonly taken: number;
}

const { group: name, names, seed, share, isLasting } = ordersOf<ChurnOrders>();
const loops = 4; // concurrent loops that take locks
const holdMs = 50;
const stayMs = { least: 4000, most: 12_000 }; // of a passing member
let x = seed;
let isWorking = false;
let taken = 0;

const say = (said: Said) => process.send?.(said);

function random(): number {
  x ^= x << 13;
  x ^= x >>> 17;
  x ^= x << 5;
  return x >>> 0;
}

async function take(group: Group, lockName: string): Promise<void> {
  const lock = await group.lock(lockName);
  await pause(holdMs);
  taken += 1;
  await lock.release();
}

async function takeAny(group: Group, mayGoOn: () => boolean): Promise<void> {
  while (mayGoOn()) await take(group, `name-${random() % names}`);
}

async function takeShare(group: Group): Promise<void> {
  const batch = 100;
  for (let k = 0; k < share.length; k += batch)
    await Promise.all(share.slice(k, k + batch).map((lockName) => take(group, lockName)));
}

async function work(group: Group, mayGoOn: () => boolean): Promise<void> {
  await Promise.all(Array.from({ length: loops }, () => takeAny(group, mayGoOn)));
}

async function last(): Promise<void> {
  const group = await join(name, { leaseMs });
  say({ type: 'ready' });
  for (;;) {
    if (isWorking) {
      await Promise.all([takeShare(group), work(group, () => isWorking)]);
      say({ type: 'rests' });
    } else await pause(20);
  }
}

async function pass(): Promise<void> {
  say({ type: 'ready' });
  for (;;) {
    if (!isWorking) {
      await pause(20);
      continue;
    }
    await pause(random() % stayMs.least); // not all at once
    const group = await join(name, { leaseMs });
    say({ type: 'came' });
    const until = performance.now() + stayMs.least + (random() % (stayMs.most - stayMs.least));
    await work(group, () => isWorking && performance.now() < until);
    await group.leave();
  }
}

function weigh(): void {
  globalThis.gc!();
  globalThis.gc!();
  const descriptors = readdirSync('/proc/self/fd').length;
  const { code_and_metadata_size: machine, bytecode_and_metadata_size: bytes } = getHeapCodeStatistics();
  const code = machine + bytes;
  say({ type: 'weight', heap: process.memoryUsage().heapUsed - code, code, descriptors, taken });
}

process.on('message', (order: Order) => {
  if (order === 'weigh') weigh();
  else isWorking = order === 'work';
});
process.on('disconnect', () => process.exit());
await (isLasting ? last() : pass());
