// What faults act on in one round of a campaign.
import { setTimeout as sleep } from 'node:timers/promises';
import type { Database } from '../../bench/servers.ts';
import type { Random } from '../../src/core/random.ts';
import type { WallClocks } from '../clock.ts';
import type { Ground } from '../ground.ts';
import type { GroupFiles } from '../group-files.ts';
import type { History } from '../history.ts';
import type { MemberProcesses } from '../member-processes.ts';

export interface Surroundings {
  readonly processes: MemberProcesses;
  readonly history: History;
  readonly clocks: WallClocks | null;
  readonly members: number;
  readonly leaseMs: number;
  readonly network: { readonly ground: Ground; readonly server: Database } | null;
  readonly files: GroupFiles | null;
}

export type Faults = Readonly<Record<string, () => Promise<void>>>;

/** One round of a campaign: a time of faults, from a seed, and then healing. */
export class Round {
  readonly random: Random;
  readonly #leaseMs: number;
  readonly #busy = new Set<Promise<void>>();
  isOver = false;

  constructor(random: Random, leaseMs: number) {
    this.random = random;
    this.#leaseMs = leaseMs;
  }

  /** Draws how long a fault lasts: from a tenth of a lease to this many leases more. */
  lasts(leases = 2.5): number {
    return 0.1 * this.#leaseMs + this.random.below(leases * this.#leaseMs);
  }

  /** Makes a fault for a while. Healing undoes it if the round ends before. */
  async during(begin: () => void, end: () => void, ms = this.lasts()): Promise<void> {
    begin();
    await sleep(ms);
    if (!this.isOver) end();
  }

  /** Healing waits for this. */
  async completes(work: Promise<void>): Promise<void> {
    this.#busy.add(work);
    await work.finally(() => this.#busy.delete(work));
  }

  async settle(): Promise<void> {
    await Promise.allSettled(this.#busy);
  }
}
