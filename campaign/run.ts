// The campaign against one contender: rounds of faults, each followed by healing and by a judgement of what the members reported.
import { appendFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { start } from '../bench/servers.ts';
import { Random } from '../src/core/random.ts';
import { WallClocks } from './clock.ts';
import type { Network } from './contenders/contender.ts';
import { contenders } from './contenders/index.ts';
import { backUpAtFirst, removeBackups } from './faults/engine-faults.ts';
import type { Surroundings } from './faults/surroundings.ts';
import { groundFor, type MemberHost } from './ground.ts';
import { GroupFiles } from './group-files.ts';
import { History, type Judged, type Violation } from './history.ts';
import { MemberProcesses } from './member-processes.ts';
import { type Injected, Nemesis } from './nemesis.ts';
import type { FirstViolation, Outcome } from './report.ts';
import { Resources } from './resource.ts';

export interface Plan {
  readonly name: string; // of the contender
  readonly seconds: number;
  readonly seed: number;
  readonly members: number;
  readonly leaseMs: number;
  readonly faults: readonly string[]; // only these; empty for all
  readonly isLoopback: boolean;
  readonly out: string; // the folder for reports
  readonly interrupt: AbortSignal;
}

const locks = ['a', 'b'];
const roundSeconds = 25;
const shortestRound = 5;
const serviceSeconds = 60; // a member without a lock by then is never served
const beginSeconds = 60;
const mostViolations = 50; // that are described; all are counted
const mostRoundsKept = 20; // rounds with violations whose history is kept

const now = () => Number(process.hrtime.bigint()) / 1e6;

/** Where the members of a contender run, and what can be made to fail there. */
interface Stage {
  readonly host: MemberHost;
  readonly network: Surroundings['network'];
  readonly files: GroupFiles | null;
  readonly networkOf: (member: number) => Network | null;
  readonly env: NodeJS.ProcessEnv;
  end(): Promise<void>;
}

/** Returns null if the server of the contender is missing and cannot be installed. */
async function stageFor({ name, seed, members, isLoopback }: Plan): Promise<Stage | null> {
  const { server: serverName } = contenders[name]!;
  if (serverName === null) {
    const files = new GroupFiles();
    return {
      host: files,
      network: null,
      files,
      networkOf: () => null,
      env: { BATON_DIR: files.root },
      end: () => files.end(),
    };
  }
  const server = await start(serverName, { durable: true });
  if (server === null) return null;
  const url = new URL(server.url);
  const isDirect = new Random(seed, name).chance(0.5);
  const ground = await groundFor(members, Number(url.port), { isDirect, isLoopback });
  await backUpAtFirst(server);
  return {
    host: ground,
    network: { ground, server },
    files: null,
    networkOf: (i) => {
      const addresses = ground.addressesOf(i);
      const { engineHost, enginePort } = addresses;
      return { url: addressOf(serverName, url, engineHost, enginePort), addresses };
    },
    env: {},
    end: async () => {
      await ground.end();
      removeBackups(server);
      await server.stop();
    },
  };
}

function addressOf(server: string, url: URL, host: string, port: number): string {
  if (server === 'etcd') return `etcd://${host}:${port}`;
  const user = url.username === '' ? '' : `${url.username}@`;
  return `${url.protocol}//${user}${host}:${port}${url.pathname}`;
}

/** Runs the campaign against one contender. Returns null if its server is missing. */
export async function run(plan: Plan): Promise<Outcome | null> {
  const stage = await stageFor(plan);
  if (stage === null) return null;
  const campaign = new Campaign(plan, stage);
  try {
    return await campaign.run();
  } finally {
    await campaign.end();
  }
}

class Campaign {
  readonly #plan: Plan;
  readonly #stage: Stage;
  readonly #history = new History();
  readonly #resources = new Resources();
  readonly #clocks: WallClocks | null;
  readonly #processes: MemberProcesses;
  readonly #around: Surroundings;
  readonly #injected = new Map<string, number>();
  readonly #violations: FirstViolation[] = [];
  readonly #file: string; // the histories of rounds with violations
  readonly #begun = now();
  #reported = now();
  #roundsKept = 0;
  #rounds = 0;
  #roundSeed = 0;
  #late = 0; // rounds after which a member waited too long
  #slowestServiceMs = 0;

  constructor(plan: Plan, stage: Stage) {
    const { name, seed, members, leaseMs } = plan;
    this.#plan = plan;
    this.#stage = stage;
    this.#clocks = WallClocks.open(stage.network === null);
    this.#processes = new MemberProcesses({
      host: stage.host,
      serverPid: () => stage.network?.server.pid,
      members,
      settingOf: (i) => ({
        contender: name,
        group: `campaign-${process.pid}`,
        network: stage.networkOf(i),
        leaseMs,
        locks,
      }),
      envOf: (i) => ({ ...stage.env, ...this.#clocks?.env(i) }),
      history: this.#history,
      resources: this.#resources,
    });
    this.#around = {
      processes: this.#processes,
      history: this.#history,
      clocks: this.#clocks,
      members,
      leaseMs,
      network: stage.network,
      files: stage.files,
    };
    this.#roundSeed = seed;
    this.#file = join(plan.out, `${name}-${seed}.jsonl`);
    rmSync(this.#file, { force: true });
    this.#resources.onLost = (lock) =>
      this.#violated({
        at: now(),
        promise: 'no lost update',
        what: `lost an update of '${lock}', with fence`,
      });
  }

  async run(): Promise<Outcome> {
    const { seconds, interrupt, name } = this.#plan;
    this.#processes.awaitService();
    this.#startAll();
    if (!(await this.#isServed(beginSeconds)) && !interrupt.aborted)
      throw new Error(`${name} did not begin: ${[...this.#processes.failures.keys()].join('; ')}`);
    const until = now() + 1000 * seconds;
    const left = () => (until - now()) / 1000;
    do {
      await this.#round(Math.min(roundSeconds, Math.max(left(), shortestRound)));
    } while (left() > shortestRound && !interrupt.aborted);
    if (interrupt.aborted) this.#processes.abandon();
    else await this.#processes.end();
    await sleep(100); // for the last messages
    this.#keep(this.#history.judge(Infinity), []);
    return this.#outcome();
  }

  async end(): Promise<void> {
    this.#processes.abandon();
    await this.#stage.end();
    this.#clocks?.end();
  }

  /** Injects faults, heals, and waits until every member has had a lock. Each round has a seed of its own. */
  async #round(seconds: number): Promise<void> {
    const { name, seed, faults, interrupt, leaseMs } = this.#plan;
    this.#roundSeed = seed + this.#rounds;
    this.#rounds += 1;
    const random = new Random(this.#roundSeed, name);
    const nemesis = new Nemesis(this.#around, contenders[name]!.faults, random);
    const known = nemesis.names.filter((one) => faults.length === 0 || faults.includes(one));
    if (known.length === 0)
      throw new Error(`${name} has none of these faults; it has ${nemesis.names.join(', ')}`);
    // Every other seed has half of the faults, so that frequent ones do not hide what the others do.
    const isWhole = this.#roundSeed % 2 === 1;
    const chosen = isWhole ? known : random.shuffle(known).slice(Math.floor(known.length / 2));
    await nemesis.rage(seconds, chosen, interrupt);
    for (const { fault } of nemesis.injected) this.#injected.set(fault, (this.#injected.get(fault) ?? 0) + 1);
    if (interrupt.aborted) return;
    await nemesis.heal();
    const healed = now();
    this.#processes.awaitService();
    const isServed = await this.#isServed(serviceSeconds);
    if (interrupt.aborted) return;
    const ms = this.#processes.slowestServiceMs;
    this.#slowestServiceMs = Math.max(this.#slowestServiceMs, ms);
    if (!isServed || ms > 2 * leaseMs) {
      this.#late += 1;
      const unserved = this.#processes.unserved.map((i) => this.#processes.describe(i));
      const who = isServed
        ? `a member waited ${Math.round(ms)} ms`
        : `${unserved.join(' and ')} waited in vain for ${serviceSeconds} s`;
      this.#violated({
        at: healed,
        promise: 'service',
        what: `after healing ${who}, where two leases are ${2 * leaseMs} ms`,
      });
    }
    this.#keep(this.#history.judge(healed), nemesis.injected);
    if (!isServed) await this.#startOver();
    this.#report();
  }

  /** Starts all members again, without their files, so that the next rounds say something. */
  async #startOver(): Promise<void> {
    this.#processes.killAll();
    this.#stage.files?.sweepRoot();
    this.#startAll();
    this.#processes.awaitService();
    await this.#isServed(beginSeconds);
  }

  #startAll(): void {
    for (let i = 0; i < this.#plan.members; i += 1) this.#processes.start(i);
  }

  async #isServed(seconds: number): Promise<boolean> {
    const { interrupt } = this.#plan;
    for (const until = now() + 1000 * seconds; now() < until && !interrupt.aborted; await sleep(20))
      if (this.#processes.unserved.length === 0) return true;
    return false;
  }

  /** Reports the first violation of each promise in a round. The figures count the others. */
  #violated({ at, promise, what }: Violation): void {
    const second = Math.round((at - this.#begun) / 100) / 10;
    const seed = this.#roundSeed;
    const isKnown = this.#violations.some((one) => one.seed === seed && one.promise === promise);
    if (isKnown || this.#violations.length === mostViolations) return;
    this.#violations.push({ seed, second, promise, what });
    if (this.#isOurs) console.log(`VIOLATION with seed ${seed}, at ${second} s: ${what}`);
  }

  /** Writes the history of a round in which a promise was broken, with the faults. */
  #keep({ holds, violations }: Judged, injected: readonly Injected[]): void {
    for (const violation of violations) this.#violated(violation);
    if (violations.length === 0 || this.#roundsKept === mostRoundsKept) return;
    this.#roundsKept += 1;
    const lines = [
      ...holds.map((hold) => [hold.acquired, { seed: this.#roundSeed, ...hold }] as const),
      ...injected.map((one) => [one.at, { seed: this.#roundSeed, ...one }] as const),
    ].sort(([a], [b]) => a - b);
    appendFileSync(this.#file, lines.map(([, line]) => `${JSON.stringify(line)}\n`).join(''));
  }

  get #isOurs(): boolean {
    return contenders[this.#plan.name]!.title.startsWith('baton');
  }

  /** Prints a line each minute. */
  #report(): void {
    if (now() < this.#reported + 60_000) return;
    this.#reported = now();
    const { seconds, injected, verdict, service } = this.#outcome();
    const faults = Object.values(injected).reduce((sum, count) => sum + count, 0);
    console.log(
      [
        `${Math.round(seconds / 60)} min: ${this.#rounds} rounds`,
        `${faults} faults`,
        `${verdict.holds} acquired`,
        `slowest service ${Math.round(service.slowestMs)} ms`,
        `${this.#violations.length} violations`,
        `${Math.round(process.memoryUsage().rss / 1e6)} MB`,
      ].join(', '),
    );
  }

  #outcome(): Outcome {
    const { name, seed, members, leaseMs } = this.#plan;
    const { failures, crashes, foreignErrors } = this.#processes;
    return {
      name,
      title: contenders[name]!.title,
      ground: this.#stage.host.title,
      seconds: Math.round((now() - this.#begun) / 1000),
      seed,
      rounds: this.#rounds,
      members,
      leaseMs,
      service: { slowestMs: this.#slowestServiceMs, late: this.#late },
      injected: Object.fromEntries(this.#injected),
      leftOut: this.#stage.files?.leftOut ?? [],
      failures: Object.fromEntries(failures),
      crashes,
      foreignErrors,
      resource: this.#resources.sums,
      verdict: this.#history.verdict,
      violations: this.#violations,
    };
  }
}
