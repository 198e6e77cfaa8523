// Injects faults, from a seed, for one round of a campaign, and heals them.
import { setTimeout as sleep } from 'node:timers/promises';
import type { Random } from '../src/core/random.ts';
import { engineFaults } from './faults/engine-faults.ts';
import { fileFaults } from './faults/file-faults.ts';
import { NetworkFaults } from './faults/network-faults.ts';
import { processFaults } from './faults/process-faults.ts';
import { type Faults, Round, type Surroundings } from './faults/surroundings.ts';

/** What can fail together. A contender declares the families that make sense for it. */
export type FaultFamily = 'processes' | 'network' | 'engine' | 'files';

/** A fault, and when it was injected. */
export interface Injected {
  readonly at: number;
  readonly fault: string;
}

const now = () => Number(process.hrtime.bigint()) / 1e6;

export class Nemesis {
  readonly injected: Injected[] = [];
  readonly #around: Surroundings;
  readonly #round: Round;
  readonly #network: NetworkFaults | null;
  readonly #faults: Faults;

  constructor(around: Surroundings, families: readonly FaultFamily[], random: Random) {
    const round = new Round(random, around.leaseMs);
    this.#around = around;
    this.#round = round;
    this.#network = families.includes('network') ? new NetworkFaults(round, around) : null;
    this.#faults = {
      ...(families.includes('processes') ? processFaults(round, around) : {}),
      ...this.#network?.faults,
      ...(families.includes('engine') ? engineFaults(round, around) : {}),
      ...(families.includes('files') ? fileFaults(round, around) : {}),
    };
  }

  get names(): string[] {
    return Object.keys(this.#faults);
  }

  /** Injects these faults, two in a second, for so long or until it is interrupted. */
  async rage(seconds: number, names: readonly string[], interrupt: AbortSignal): Promise<void> {
    const { random } = this.#round;
    for (const until = now() + 1000 * seconds; now() < until && !interrupt.aborted; ) {
      const fault = names[random.below(names.length)]!;
      this.injected.push({ at: now(), fault });
      this.#faults[fault]!().catch((error) => console.error(`${fault}: ${error.message}`));
      await sleep(50 + random.below(900));
    }
  }

  /** Ends all faults. Afterwards everything works, and all members run. */
  async heal(): Promise<void> {
    const { processes, members, files } = this.#around;
    this.#round.isOver = true;
    processes.killVisitors();
    await this.#round.settle();
    this.#network?.heal();
    files?.makeRoom();
    files?.restore();
    for (let i = 0; i < members; i += 1) {
      processes.goOn(i);
      processes.start(i);
    }
  }
}
