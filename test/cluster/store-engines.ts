// What the tests of engines that many machines reach have in common.
import { expect } from 'vitest';
import { openEngine } from '../../src/cluster/engines/open-engine.ts';
import type { StoreEngine, StoreOptions } from '../../src/cluster/engines/remote/store-engine.ts';
import type { View } from '../../src/member/index.ts';
import { algorithm, peerNamed, type Surroundings, soon } from '../conformance/engine.ts';

/** Engines of one kind that are closed together, with what they warned of. */
export class StoreEngines {
  readonly #options: () => Pick<StoreOptions, 'address' | 'leaseMs' | 'unsafe'>;
  #opened: StoreEngine[] = [];
  warnings: string[] = [];

  constructor(options: () => Pick<StoreOptions, 'address' | 'leaseMs' | 'unsafe'>) {
    this.#options = options;
  }

  async open(group = 'orders', changes: Partial<StoreOptions> = {}): Promise<StoreEngine> {
    const warn = (sentence: string) => this.warnings.push(sentence);
    const engine = await openEngine({ ...this.#options(), group, warn, ...changes });
    this.#opened.push(engine);
    return engine;
  }

  async close(): Promise<void> {
    await Promise.all(this.#opened.map((engine) => engine.close()));
    this.#opened = [];
    this.warnings = [];
  }

  /** For the conformance suite. */
  surroundings(wipe: () => Promise<void>): Surroundings {
    return {
      open: (group) => this.open(group),
      living: async (_, id) => peerNamed(id), // leases are all that is known of members
      end: async () => {
        await this.close();
        await wipe();
      },
    };
  }
}

/** All that a member asks of an engine, none of which takes long while the server is away. */
export async function rejectsPromptly(engine: StoreEngine, sentence: RegExp, limitMs: number): Promise<void> {
  const view: View = { epoch: 1, algorithm, members: [] };
  const operations = [
    () => engine.read(),
    () => engine.change(view, algorithm, []),
    () => engine.renew('x'),
    () => engine.expired([peerNamed('x')]),
    () => engine.forget('x'),
  ];
  for (const operation of operations) {
    const begun = performance.now();
    await expect(operation()).rejects.toThrow(sentence);
    expect(performance.now() - begun).toBeLessThan(limitMs);
  }
}

/** Changes the view until somebody who watches has seen the newest. */
export async function isWatchedAgain(engine: StoreEngine, seen: readonly View[]): Promise<void> {
  const view = await engine.change(await engine.read(), algorithm, [peerNamed('w')]);
  await soon(() => seen.at(-1)).toEqual(view);
}
