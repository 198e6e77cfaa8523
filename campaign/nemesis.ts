// Injects faults into the members, their network and their engine, from a seed.
import { execFileSync } from 'node:child_process';
import { existsSync, readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Database } from '../bench/servers.ts';
import type { Random } from '../src/core/random.ts';
import type { WallClocks } from './clock.ts';
import type { Crew } from './crew.ts';
import { engine, type Ground } from './ground.ts';

interface Around {
  readonly crew: Crew;
  readonly ground: Ground;
  readonly server: Database;
  readonly clocks: WallClocks | null;
  readonly random: Random;
  readonly members: number;
  readonly leaseMs: number;
}

const now = () => Number(process.hrtime.bigint()) / 1e6;
const backups = ['-at-first', '-later'] as const;

export class Nemesis {
  readonly injected = new Map<string, number>();
  readonly #around: Around;
  readonly #cut = new Set<string>();
  #isOver = false;
  #engineBusy = false; // being killed or restored

  constructor(around: Around) {
    this.#around = around;
  }

  /** Takes the backup that `engine wiped` restores. */
  async prepare(): Promise<void> {
    this.end();
    await this.#engine(async () => this.#backUp('-at-first'));
  }

  async rage(until: number, only: readonly string[]): Promise<void> {
    const { random } = this.#around;
    const all = Object.entries(this.#faults());
    const chosen = only.length === 0 ? all : all.filter(([name]) => only.includes(name));
    while (performance.now() < until) {
      const [name, fault] = chosen[random.below(chosen.length)]!;
      this.injected.set(name, (this.injected.get(name) ?? 0) + 1);
      void fault();
      await sleep(50 + random.below(900));
    }
  }

  async mend(): Promise<void> {
    const { crew, ground, members } = this.#around;
    this.#isOver = true;
    while (this.#engineBusy) await sleep(50);
    for (const pair of this.#cut) ground.mend(...(pair.split('>').map(Number) as [number, number]));
    this.#cut.clear();
    if (ground.delays) ground.delay(0, 0);
    for (let i = 0; i < members; i += 1) {
      crew.goOn(i);
      crew.start(i);
    }
  }

  end(): void {
    for (const backup of backups)
      rmSync(this.#around.server.folder + backup, { recursive: true, force: true });
  }

  names(): string[] {
    return Object.keys(this.#faults());
  }

  #faults(): Record<string, () => Promise<void>> {
    const { crew, ground, server, clocks, random, members, leaseMs } = this.#around;
    const any = () => random.below(members);
    const victim = () => {
      const { inside } = crew;
      return inside.length > 0 && random.chance(0.6) ? inside[random.below(inside.length)]! : any();
    };
    const some = () => Array.from({ length: members }, (_, i) => i).filter(() => random.chance(0.4));
    const lasts = () => 0.1 * leaseMs + random.below(2.5 * leaseMs);
    const during = async (begin: () => void, end: () => void, ms = lasts()) => {
      begin();
      await sleep(ms);
      if (!this.#isOver) end();
    };
    const cutting = (pairs: readonly (readonly [number, number])[], ms?: number) =>
      during(
        () => {
          for (const pair of pairs) this.#cutOff(...pair);
        },
        () => {
          for (const pair of pairs) this.#mend(...pair);
        },
        ms,
      );
    const bothWays = (pairs: readonly (readonly [number, number])[]) =>
      pairs.flatMap(([a, b]) => [[a, b] as const, [b, a] as const]);
    const between = (side: readonly number[]) =>
      side.flatMap((a) =>
        Array.from({ length: members }, (_, b) => b).flatMap((b) =>
          side.includes(b) ? [] : [[a, b] as const],
        ),
      );
    return {
      kill: () => this.#restart(victim(), () => crew.kill),
      'join and leave': () => this.#restart(any(), () => crew.leave),
      pause: () => {
        const i = victim();
        return during(
          () => crew.pause(i),
          () => crew.goOn(i),
        );
      },
      'blocked loop': async () => crew.block(victim(), lasts()),
      partition: () => cutting(bothWays(between(some()))),
      'one-way partition': () => cutting(between(some())),
      'non-transitive partition': () => cutting(bothWays([[any(), any()]]), 3 * leaseMs),
      'flapping link': () => this.#flap(any(), any()),
      'engine cut off': () => {
        const side = random.chance(0.5) ? [victim()] : some();
        return cutting(bothWays(side.map((i) => [i, engine] as const)));
      },
      'engine killed': () => this.#engine(async () => {}),
      'engine wiped': () => this.#engine(async () => this.#restore('-at-first'), true),
      'engine restored': () =>
        existsSync(`${server.folder}-later`)
          ? this.#engine(async () => this.#restore('-later'), true)
          : this.#engine(async () => this.#backUp('-later')), // for a later restore
      ...(ground.delays
        ? {
            'delay and reordering': () =>
              during(
                () => ground.delay(0, 5 + random.below(200)),
                () => ground.delay(0, 0),
              ),
          }
        : {}),
      ...(clocks === null
        ? {}
        : {
            'clock stepped': async () => clocks.set(any(), random.below(60) - 30),
          }),
    };
  }

  async #restart(i: number, how: () => (i: number) => void): Promise<void> {
    const { crew, random, leaseMs } = this.#around;
    how().call(crew, i);
    await sleep(random.below(1.5 * leaseMs));
    if (!this.#isOver) crew.start(i);
  }

  async #flap(a: number, b: number): Promise<void> {
    const { random } = this.#around;
    for (let times = 2 + random.below(8); times > 0 && !this.#isOver; times -= 1) {
      this.#cutOff(a, b);
      this.#cutOff(b, a);
      await sleep(random.below(200));
      this.#mend(a, b);
      this.#mend(b, a);
      await sleep(random.below(200));
    }
  }

  /** Kills the engine, calls `meanwhile`, and restarts the engine. */
  async #engine(meanwhile: () => Promise<void>, forgets = false): Promise<void> {
    const { server, random, crew, leaseMs } = this.#around;
    if (this.#engineBusy) return;
    this.#engineBusy = true;
    try {
      const from = now();
      await server.kill();
      await meanwhile();
      await sleep(random.below(leaseMs));
      await server.again();
      if (forgets) crew.history.excuse({ from, to: now() + 2 * leaseMs });
    } finally {
      this.#engineBusy = false;
    }
  }

  #backUp(which: (typeof backups)[number]): void {
    const { folder } = this.#around.server;
    execFileSync('cp', ['-a', folder, folder + which]);
  }

  #restore(which: (typeof backups)[number]): void {
    const { folder } = this.#around.server;
    for (const name of readdirSync(folder)) rmSync(join(folder, name), { recursive: true });
    execFileSync('cp', ['-a', `${folder + which}/.`, folder]);
  }

  #cutOff(from: number, to: number): void {
    if (from === to || this.#cut.has(`${from}>${to}`)) return;
    this.#cut.add(`${from}>${to}`);
    this.#around.ground.cut(from, to);
  }

  #mend(from: number, to: number): void {
    if (this.#cut.delete(`${from}>${to}`)) this.#around.ground.mend(from, to);
  }
}
