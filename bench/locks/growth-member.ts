// A process of the growth benchmark. It joins the group, holds and uses locks, and leaves, on request.
import type { Group, Lock } from 'batonjs/cluster';
import { join } from './contenders/ours.js';
import { now, ordersOf } from './crew.js';
import { LockUse, type Pace } from './lock-use.js';
import { sentBytes } from './sent-bytes.js';

export interface MemberOrders {
  readonly group: string;
  readonly leaseMs: number;
}

/** Each request is answered by a message of the same type. */
export type Request =
  | { readonly type: 'join' | 'rest' | 'logs' | 'look' | 'weigh' | 'leave' }
  | { readonly type: 'hold'; readonly locks: number } // in total
  | { readonly type: 'use'; readonly lock: string; readonly pace: Pace }
  | { readonly type: 'take'; readonly locks: readonly string[] }; // each once, all at the same time

export interface Replies {
  readonly join: Joined;
  readonly hold: object;
  readonly use: object;
  readonly rest: object;
  readonly logs: { readonly logs: ReadonlyMap<string, Float64Array> };
  readonly look: Look;
  readonly weigh: Weight;
  readonly take: { readonly waits: readonly number[] }; // milliseconds
  readonly leave: { readonly bytes: number };
}

export interface Joined {
  readonly resolvedMs: number; // from the call of `join` until it resolves
  readonly firstLockMs: number; // from the call of `join` until this process has a lock
}

export interface Look {
  readonly id: string;
  readonly epoch: number;
  readonly members: number;
  readonly isSettled: boolean; // is a member, and locks are granted in its view
  readonly viewAt: number; // when it last installed a view
  readonly outs: readonly string[]; // why it was put out, each time
  readonly errors: readonly string[];
  readonly bytes: number; // sent so far
  readonly processor: number; // microseconds of processor time so far
}

export interface Weight {
  readonly heap: number; // bytes, after a garbage collection
  readonly resident: number;
}

const { group: name, leaseMs } = ordersOf<MemberOrders>();
const batch = 500; // locks that are requested at the same time
const uses: LockUse[] = [];
let group: Group | null = null;
let held: Lock[] = [];
let holds = 0; // locks that were taken to be held, lost ones included
let installed = -1; // the epoch of the view in which locks are granted
let viewAt = 0;
const outs: string[] = [];

async function enter(): Promise<Joined> {
  const began = performance.now();
  group = await join(name, { leaseMs });
  const resolvedMs = performance.now() - began;
  group.on('out', (cause) => {
    outs.push(cause);
  });
  group.on('view', ({ epoch }) => {
    installed = epoch;
    viewAt = now();
  });
  const lock = await group.lock(`first-${process.pid}`);
  const firstLockMs = performance.now() - began;
  installed = Math.max(installed, group.view!.epoch); // the first view may have been installed before the listener was there
  viewAt ||= now();
  await lock.release();
  return { resolvedMs, firstLockMs };
}

/** Locks that were lost are replaced. */
async function hold(locks: number): Promise<object> {
  held = held.filter(({ state }) => state !== 'lost');
  while (held.length < locks) {
    const some = Array.from({ length: Math.min(batch, locks - held.length) }, () => {
      holds += 1;
      return group!.lock(`held-${process.pid}-${holds}`);
    });
    held.push(...(await Promise.all(some)));
  }
  return {};
}

async function use(lock: string, pace: Pace): Promise<object> {
  uses.push(new LockUse(group!, lock, pace));
  return {};
}

async function rest(): Promise<object> {
  await Promise.all(uses.splice(0).map((one) => one.stop()));
  return {};
}

async function take(locks: readonly string[]): Promise<Replies['take']> {
  const began = performance.now();
  const waits = locks.map(async (lock) => {
    const taken = await group!.lock(lock);
    const waitedMs = performance.now() - began;
    await taken.release();
    return waitedMs;
  });
  return { waits: await Promise.all(waits) };
}

function look(): Look {
  const { id, view, state } = group!;
  const { user, system } = process.cpuUsage();
  return {
    id,
    epoch: view?.epoch ?? -1,
    members: view?.members.length ?? 0,
    isSettled: state === 'member' && view?.epoch === installed,
    viewAt,
    outs,
    errors: uses.flatMap(({ errors }) => errors),
    bytes: sentBytes(),
    processor: user + system,
  };
}

function weigh(): Weight {
  globalThis.gc!();
  globalThis.gc!();
  const { heapUsed, rss } = process.memoryUsage();
  return { heap: heapUsed, resident: rss };
}

async function leave(): Promise<Replies['leave']> {
  await rest();
  await group!.leave();
  return { bytes: sentBytes() };
}

function answer(request: Request): Promise<object> | object {
  switch (request.type) {
    case 'join':
      return enter();
    case 'hold':
      return hold(request.locks);
    case 'use':
      return use(request.lock, request.pace);
    case 'rest':
      return rest();
    case 'logs':
      return { logs: new Map(uses.map((one) => [one.name, one.takeLog()])) };
    case 'look':
      return look();
    case 'weigh':
      return weigh();
    case 'take':
      return take(request.locks);
    case 'leave':
      return leave();
  }
}

process.on('message', async (request: Request) => {
  process.send!({ type: request.type, ...(await answer(request)) });
});
process.on('disconnect', () => process.exit());
process.send!({ type: 'ready' });
