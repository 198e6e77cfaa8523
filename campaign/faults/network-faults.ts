// Faults of the network between members, and between them and their engine.
import { setTimeout as sleep } from 'node:timers/promises';
import { engine, type Ground } from '../ground.ts';
import { victim } from './process-faults.ts';
import type { Faults, Round, Surroundings } from './surroundings.ts';

type Link = readonly [from: number, to: number];

const bothWays = (links: readonly Link[]): Link[] =>
  links.flatMap(([a, b]): Link[] => [
    [a, b],
    [b, a],
  ]);

export class NetworkFaults {
  readonly faults: Faults;
  readonly #round: Round;
  readonly #ground: Ground;
  readonly #cut = new Set<string>();

  constructor(round: Round, around: Surroundings) {
    const { members, leaseMs } = around;
    const { random } = round;
    const { ground } = around.network!;
    const any = () => random.below(members);
    const all = Array.from({ length: members }, (_, i) => i);
    const some = () => all.filter(() => random.chance(0.4));
    const between = (side: readonly number[]) =>
      side.flatMap((a) => all.flatMap((b): Link[] => (side.includes(b) ? [] : [[a, b]])));
    this.#round = round;
    this.#ground = ground;
    this.faults = {
      partition: () => this.#cutting(bothWays(between(some()))),
      'one-way partition': () => this.#cutting(between(some())),
      'non-transitive partition': () => this.#cutting(bothWays([[any(), any()]]), 3 * leaseMs),
      'flapping link': () => this.#flap(any(), any()),
      'engine cut off': () => {
        const side = random.chance(0.5) ? [victim(round, around)] : some();
        return this.#cutting(bothWays(side.map((i) => [i, engine])));
      },
      ...(ground.delays
        ? {
            'delay and reordering': () =>
              round.during(
                () => ground.delay(0, 5 + random.below(200)),
                () => ground.delay(0, 0),
              ),
          }
        : {}),
    };
  }

  heal(): void {
    for (const link of this.#cut) this.#ground.mend(...(link.split('>').map(Number) as [number, number]));
    this.#cut.clear();
    if (this.#ground.delays) this.#ground.delay(0, 0);
  }

  #cutting(links: readonly Link[], ms?: number): Promise<void> {
    return this.#round.during(
      () => {
        for (const link of links) this.#cutOff(...link);
      },
      () => {
        for (const link of links) this.#mend(...link);
      },
      ms,
    );
  }

  async #flap(a: number, b: number): Promise<void> {
    const { random } = this.#round;
    for (let times = 2 + random.below(8); times > 0 && !this.#round.isOver; times -= 1) {
      this.#cutOff(a, b);
      this.#cutOff(b, a);
      await sleep(random.below(200));
      this.#mend(a, b);
      this.#mend(b, a);
      await sleep(random.below(200));
    }
  }

  #cutOff(from: number, to: number): void {
    if (from === to || this.#cut.has(`${from}>${to}`)) return;
    this.#cut.add(`${from}>${to}`);
    this.#ground.cut(from, to);
  }

  #mend(from: number, to: number): void {
    if (this.#cut.delete(`${from}>${to}`)) this.#ground.mend(from, to);
  }
}
