// One process of a race: acquires and releases locks repeatedly, and logs the times.
import type { Client, Connect, Options } from './contenders/contender.js';
import { type ContenderName, contenders } from './contenders/index.js';
import { now, ordersOf, told } from './crew.js';
import { columns, type Raced, type Window } from './judge.js';

export interface RaceOrders {
  readonly contender: ContenderName;
  readonly where: string;
  readonly run: string;
  readonly names: number;
  readonly seed: number;
  readonly options: Options;
  readonly isAlone: boolean;
}

const mostEntries = 2_000_000;

const oneTimedIn = 64;

async function race(client: Client, { to }: Window, { names, seed }: RaceOrders): Promise<Raced> {
  const log = new Float64Array(columns * mostEntries); // unused pages cost nothing
  const called = Array.from({ length: names }, (_, k) => `name-${k}`);
  let x = seed;
  let at = 0;
  for (let asked = now(); asked < to; asked = now()) {
    x ^= x << 13;
    x ^= x >>> 17;
    x ^= x << 5;
    const chosen = (x >>> 0) % names;
    const held = await client.acquire(called[chosen]!);
    const entered = now();
    const fence = client.fence?.(held) ?? 0;
    const left = now();
    await client.release(held, called[chosen]!);
    if (at === log.length) throw new Error('more entries than the log can take');
    log[at] = asked;
    log[at + 1] = entered;
    log[at + 2] = left;
    log[at + 3] = chosen;
    log[at + 4] = fence;
    at += columns;
  }
  return { log: log.slice(0, at), alone: null };
}

/** Races without competitors. Times only one acquisition in many, because otherwise reading the clock would dominate. */
async function raceAlone(client: Client, { from, to }: Window): Promise<Raced> {
  const log: number[] = [];
  let count = 0;
  let began = 0;
  for (let asked = now(); asked < to; asked = now()) {
    const held = await client.acquire('name-0');
    const entered = now();
    await client.release(held, 'name-0');
    for (let k = 1; k < oneTimedIn; k += 1) await client.release(await client.acquire('name-0'), 'name-0');
    if (asked < from) continue;
    if (began === 0) began = asked;
    count += oneTimedIn;
    log.push(asked, entered, entered, 0, 0);
  }
  return { log: new Float64Array(log), alone: { count, seconds: (now() - began) / 1e9 } };
}

const orders = ordersOf<RaceOrders>();
const { connect }: { connect: Connect } = await contenders[orders.contender].load();
const client = await connect(orders.where, orders.run, orders.options);
const started = told<Window>();
process.send!('ready');
const raced = await (orders.isAlone ? raceAlone : race)(client, await started, orders);
const over = told();
process.send!(raced);
await over; // no process leaves before all have finished
await client.close();
process.disconnect();
