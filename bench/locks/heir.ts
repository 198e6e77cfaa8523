// A process that waits for a lock whose holder will not release it. Reports when it has the lock, and keeps it.
import type { Connect, Options } from './contenders/contender.js';
import { type ContenderName, contenders } from './contenders/index.js';
import { now, ordersOf } from './crew.js';

export interface HeirOrders {
  readonly contender: ContenderName;
  readonly where: string;
  readonly run: string;
  readonly options: Options;
}

export type Word = { readonly type: 'waiting' } | { readonly type: 'entered'; readonly at: number };

const { contender, where, run, options } = ordersOf<HeirOrders>();
const { connect }: { connect: Connect } = await contenders[contender].load();
const client = await connect(where, run, options);
const entered = client.acquire('inheritance');
process.send!({ type: 'waiting' } satisfies Word);
await entered;
process.send!({ type: 'entered', at: now() } satisfies Word);
setInterval(() => {}, 1000); // lives until it is killed
