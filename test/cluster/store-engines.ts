// Common to the tests of engines on databases.
import { expect } from 'vitest';
import { openEngine } from '../../src/cluster/engines/open-engine.ts';
import type { StoreEngine } from '../../src/cluster/engines/remote/store-engine.ts';
import type { OpenStore, StoreOptions } from '../../src/cluster/engines/store.ts';
import type { View } from '../../src/member/index.ts';
import { algorithm, peerNamed, type Surroundings, soon } from '../conformance/engine.ts';

interface StoreEngineOptions extends Pick<StoreOptions, 'leaseMs' | 'unsafe'> {
  readonly address: string | OpenStore;
}

/** Engines of one kind that are closed together, and their warnings. */
export class StoreEngines {
  readonly #options: () => StoreEngineOptions;
  #opened: StoreEngine[] = [];
  warnings: string[] = [];

  constructor(options: () => StoreEngineOptions) {
    this.#options = options;
  }

  async open(group = 'orders', changes: Partial<StoreEngineOptions> = {}): Promise<StoreEngine> {
    const warn = (sentence: string) => this.warnings.push(sentence);
    const { address, leaseMs, unsafe } = { ...this.#options(), ...changes };
    const engine = await openEngine(address, { group, leaseMs, unsafe, warn });
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
      living: async (_, id) => peerNamed(id), // such an engine knows only leases
      end: async () => {
        await this.close();
        await wipe();
      },
    };
  }
}

/** Every operation of an engine. None of them takes long while the server is unavailable. */
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

/** Changes the view until a watcher has seen the newest one. */
export async function isWatchedAgain(engine: StoreEngine, seen: readonly View[]): Promise<void> {
  const view = await engine.change(await engine.read(), algorithm, [peerNamed('w')]);
  await soon(() => seen.at(-1)).toEqual(view);
}
