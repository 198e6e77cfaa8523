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
      readonly waitedMs: number; // since its last lock, or since it started; includes attempts that timed out
    }
  | { readonly what: 'held'; readonly hold: number; readonly at: number } // the library confirmed it; `at` is from before the question
  | { readonly what: 'released' | 'lost'; readonly hold: number; readonly at: number }
  | { readonly what: 'failed'; readonly message: string; readonly isForeign: boolean } // foreign: not a BatonError
  | { readonly what: 'read'; readonly ask: number; readonly lock: string; readonly fence: number | null }
  | {
      readonly what: 'write';
      readonly ask: number;
      readonly lock: string;
      readonly fence: number | null;
      readonly fenced: number | null;
      readonly plain: number | null;
    };

export type Ordered =
  | { readonly blockUntil: number } // by the clock of all processes, so that it ends then, also in a process that was paused
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
let waitingSince = now();
const asked = new Map<number, (values: Values) => void>();

process.on('message', (order: Ordered) => {
  if ('blockUntil' in order) while (now() < order.blockUntil);
  else if ('stop' in order) isStopping = true;
  else {
    asked.get(order.ask)?.(order);
    asked.delete(order.ask);
  }
});
process.on('disconnect', () => process.exit());
process.on('SIGINT', () => {}); // ^C reaches all processes of the terminal: the campaign ends them

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
const longHolds = 0.02; // the share of holds that take up to half a lease
const thinkMs = 20;
const longestVisit = 2; // turns before a visitor leaves, drawn each time
const visitsAtOnce = 3;

async function turn(client: Client): Promise<void> {
  const lock = setting.locks[Math.floor(Math.random() * setting.locks.length)]!;
  const held = await client.acquire(lock, patienceMs);
  if (held === null) return;
  const at = now(); // before the question: at this time the member certainly held the lock
  if (!held.isOurs()) return;
  holds += 1;
  const hold = holds;
  const { fence } = held;
  tell({ what: 'acquired', hold, lock, at, fence, waitedMs: at - waitingSince });
  const values = await answer((ask) => ({ what: 'read', ask, lock, fence }));
  const isLong = !setting.isVisitor && Math.random() < longHolds;
  await sleep(Math.random() * (isLong ? setting.leaseMs / 2 : holdMs));
  const isCareless = fence !== null && Math.random() < 0.2; // relies on the resource to refuse the write
  const asked = now();
  const isOurs = held.isOurs();
  if (isOurs) tell({ what: 'held', hold, at: asked });
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
  waitingSince = at;
  await held.release();
}

function failed(error: unknown, doing: string): void {
  const { name, message } = error as Error;
  tell({ what: 'failed', message: `${doing}${name}: ${message}`, isForeign: name !== 'BatonError' });
}

/** Retries, as a service manager would. Returns null if the campaign has ended meanwhile. */
async function connected(connect: Connect): Promise<Client | null> {
  while (!isStopping) {
    try {
      return await connect(setting, (id) => tell({ what: 'is', id }));
    } catch (error) {
      failed(error, 'not joined: ');
      await sleep(200);
    }
  }
  return null;
}

/** Takes locks until the member is told to stop, or for the given number of turns. */
async function stay(client: Client, turns: number): Promise<void> {
  for (let left = turns; left > 0 && !isStopping; left -= 1) {
    try {
      await turn(client);
    } catch (error) {
      failed(error, '');
    }
    await sleep(Math.random() * thinkMs);
  }
  await client.close();
}

async function main(): Promise<void> {
  const { connect } = await contenders[setting.contender]!.load();
  const comeAndGo = async () => {
    while (!isStopping) {
      const client = await connected(connect);
      if (client === null) break;
      await stay(client, setting.isVisitor ? Math.floor(Math.random() * longestVisit) : Infinity);
    }
  };
  await Promise.all(Array.from({ length: setting.isVisitor ? visitsAtOnce : 1 }, comeAndGo));
  process.disconnect();
}

await main().catch((error) => {
  failed(error, 'ended: ');
  process.exit(1);
});
