// One member of a campaign: takes locks and, while it holds one, increments a counter that its parent keeps.
import { setTimeout as sleep } from 'node:timers/promises';
import type { Client, Connect, Held, Setting } from './contenders/contender.ts';
import { contenders } from './contenders/index.ts';

export type Told =
  | { readonly what: 'is'; readonly id: string }
  | {
      readonly what: 'acquired';
      readonly hold: number;
      readonly lock: string;
      readonly at: number;
      readonly fence: number | null;
      readonly waitedMs: number;
    }
  | { readonly what: 'held'; readonly hold: number; readonly at: number } // the library confirmed it; `at` is from before the question
  | { readonly what: 'released' | 'lost'; readonly hold: number; readonly at: number }
  | { readonly what: 'failed'; readonly message: string }
  | { readonly what: 'read'; readonly ask: number; readonly lock: string; readonly fence: number | null }
  | {
      readonly what: 'write';
      readonly ask: number;
      readonly lock: string;
      readonly fence: number | null;
      readonly fenced: number | null;
      readonly plain: number | null;
    }
  | { readonly what: 'over' };

export type Ordered =
  | { readonly blockMs: number }
  | { readonly stop: true }
  | { readonly ask: number; readonly fenced: number | null; readonly plain: number | null };

type Values = { readonly fenced: number | null; readonly plain: number | null };

const setting: Setting = JSON.parse(process.env.CAMPAIGN_SETTING!);
const now = () => Number(process.hrtime.bigint()) / 1e6; // one clock for all processes of the machine
const tell = (told: Told) => {
  if (process.connected) process.send!(told);
};

let isStopping = false;
let asks = 0;
let holds = 0;
const asked = new Map<number, (values: Values) => void>();

process.on('message', (order: Ordered) => {
  if ('blockMs' in order) for (const until = now() + order.blockMs; now() < until; );
  else if ('stop' in order) isStopping = true;
  else {
    asked.get(order.ask)?.(order);
    asked.delete(order.ask);
  }
});
process.on('disconnect', () => process.exit());

const answer = (request: (ask: number) => Told): Promise<Values> => {
  asks += 1;
  const ask = asks;
  return new Promise((resolve) => {
    asked.set(ask, resolve);
    tell(request(ask));
  });
};

const patienceMs = 4000;
const holdMs = 30;
const thinkMs = 20;

async function turn(client: Client): Promise<void> {
  const lock = setting.locks[Math.floor(Math.random() * setting.locks.length)]!;
  const begun = now();
  const held = await client.acquire(lock, patienceMs);
  if (held === null) return;
  holds += 1;
  const hold = holds;
  const { fence } = held;
  tell({ what: 'acquired', hold, lock, at: now(), fence, waitedMs: now() - begun });
  const values = await answer((ask) => ({ what: 'read', ask, lock, fence }));
  await sleep(Math.random() * holdMs);
  const isCareless = fence !== null && Math.random() < 0.2; // relies on the resource to refuse the write
  const at = now();
  const isOurs = held.isOurs();
  if (isOurs) tell({ what: 'held', hold, at });
  if (isOurs || isCareless)
    await answer((ask) => ({
      what: 'write',
      ask,
      lock,
      fence,
      fenced: values.fenced,
      plain: isOurs ? values.plain : null,
    }));
  await end(held, hold, isOurs);
}

async function end(held: Held, hold: number, wasOurs: boolean): Promise<void> {
  const at = now();
  tell({ what: wasOurs && held.isOurs() ? 'released' : 'lost', hold, at });
  await held.release();
}

/** Retries, as a service manager would. */
async function connected(connect: Connect): Promise<Client> {
  for (;;) {
    try {
      return await connect(setting, (id) => tell({ what: 'is', id }));
    } catch (error) {
      tell({ what: 'failed', message: `not joined: ${(error as Error).message}` });
      await sleep(200);
    }
  }
}

async function main(): Promise<void> {
  const { connect } = await contenders[setting.contender]!.load();
  const client = await connected(connect);
  while (!isStopping) {
    try {
      await turn(client);
    } catch (error) {
      tell({ what: 'failed', message: String((error as Error).message) });
    }
    await sleep(Math.random() * thinkMs);
  }
  await client.close();
  tell({ what: 'over' });
  process.disconnect();
}

await main().catch((error) => {
  tell({ what: 'failed', message: String(error.message) });
  process.exit(1);
});
