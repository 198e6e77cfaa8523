// A process of a service that is deployed anew. It takes locks again and again. On SIGTERM it leaves the group, sends its log and ends.
import { setTimeout as pause } from 'node:timers/promises';
import { leaseMs } from './contenders/contender.js';
import { join } from './contenders/ours.js';
import { ordersOf, told } from './crew.js';
import type { Raced } from './judge.js';
import { LockUse, type Pace } from './lock-use.js';

export interface DeployOrders {
  readonly group: string;
  readonly drainMs: number;
  readonly uses: readonly {
    readonly kind: string;
    readonly lock: string;
    readonly number: number; // of the lock, among those of its kind
    readonly pace: Pace;
  }[];
}

export type DeploySaid =
  | { readonly type: 'first' } // has had its first lock
  | ({ readonly type: 'logs' } & Logs);

export interface Logs {
  readonly logs: readonly ({ readonly kind: string } & Raced)[];
  readonly errors: readonly string[];
}

const { group: name, drainMs, uses: wanted } = ordersOf<DeployOrders>();
const say = (said: DeploySaid) => process.send?.(said);
const terminated = new Promise((resolve) => process.once('SIGTERM', resolve));

const group = await join(name, { leaseMs });
const errors: string[] = [];
group.on('out', (cause) => errors.push(`out of the group: ${cause}`));
const uses = wanted.map(({ kind, lock, number, pace }) => ({
  kind,
  use: new LockUse(group, lock, pace, number),
}));
while (uses.every(({ use }) => use.grants === 0)) await pause(1);
say({ type: 'first' });

await terminated;
await group.leave({ drainMs });
await Promise.all(uses.map(({ use }) => use.stop()));
const read = told();
say({
  type: 'logs',
  logs: uses.map(({ kind, use }) => ({ kind, log: use.takeLog(), alone: null })),
  errors: [...errors, ...uses.flatMap(({ use }) => use.errors)],
});
await read;
process.disconnect();
