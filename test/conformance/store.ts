// The suite for an engine on an external database that fails.
import { afterEach, describe, expect, test } from 'vitest';
import type { Database } from '../../bench/servers.ts';
import type { Engine } from '../../src/cluster/engines/engine.ts';
import { openEngine } from '../../src/cluster/engines/open-engine.ts';
import type { StoreEngine } from '../../src/cluster/engines/remote/store-engine.ts';
import type { OpenStore, Store, StoreOptions } from '../../src/cluster/engines/store.ts';
import { BatonError } from '../../src/cluster/errors.ts';
import { type Group, inspectGroup } from '../../src/cluster/index.ts';
import { InputError } from '../../src/core/assert.ts';
import { type StoreSetup, storeConformance } from '../../src/engine-conformance/index.ts';
import type { View } from '../../src/member/index.ts';
import { CuttingProxy } from '../cluster/cutting-proxy.ts';
import { lacksKeys, readsLate } from '../cluster/other-runtimes.ts';
import { algorithm, pause, peerNamed, soon } from './engine.ts';

export const leaseMs = 3000; // a third of it suffices even if many tests run at once

let engines: Engine[] = [];
let proxies: CuttingProxy[] = [];

const usual: StoreOptions = { group: 'orders', leaseMs, unsafe: false, warn: () => {} };

/** Closed when the test ends. */
export async function open(
  chosen: string | OpenStore,
  options: Partial<StoreOptions> = {},
): Promise<StoreEngine> {
  const engine = await openEngine(chosen, { ...usual, ...options });
  engines.push(engine);
  return engine;
}

export async function closeAll(): Promise<void> {
  await Promise.all(engines.map((engine) => engine.close()));
  for (const proxy of proxies) proxy.close();
  engines = [];
  proxies = [];
}

/** The error message of this engine. */
export async function refusal(
  chosen: string | OpenStore,
  options: Partial<StoreOptions> = {},
): Promise<string> {
  const error = await open(chosen, options).catch((reason: Error) => reason);
  expect(error).toBeInstanceOf(InputError);
  return (error as Error).message;
}

/** How long a call took to be rejected, and its error. */
export async function rejected(work: () => Promise<unknown>): Promise<{ ms: number; error: BatonError }> {
  const begin = performance.now();
  const error = await work().then(
    () => null,
    (reason) => reason,
  );
  expect(error).toBeInstanceOf(BatonError);
  return { ms: performance.now() - begin, error };
}

/** Engines that start at the same time, on a database without tables, create them once. */
export async function createTablesOnce(address: string, drop: () => Promise<void>): Promise<void> {
  for (let round = 0; round < 5; round += 1) {
    await drop();
    const engines = await Promise.all(Array.from({ length: 8 }, () => open(address)));
    for (const engine of engines) expect(await engine.read()).toBe(null);
    await closeAll();
  }
}

/** Engines that change the view at the same time get the same view, and the same key. */
export async function agree(address: string): Promise<void> {
  const engines = await Promise.all(Array.from({ length: 6 }, () => open(address)));
  let before: View | null = null;
  for (let round = 0; round < 10; round += 1) {
    const after = await Promise.all(
      engines.map((engine, i) => engine.change(before, algorithm, [peerNamed(`m${round}-${i}`)])),
    );
    for (const view of after) expect(view).toEqual(after[0]);
    before = after[0]!;
  }
  const keys = await Promise.all(engines.map((engine) => engine.groupKey()));
  for (const key of keys) expect(key).toEqual(keys[0]);
}

/** Two members hand a lock on, are seen from outside, and leave. */
export async function handOn(one: Group, other: Group, engine: string): Promise<void> {
  const lock = await one.lock('a');
  const waiting = other.lock('a');
  const first = lock.fence;
  await lock.release();
  expect((await waiting).fence).toBeGreaterThan(first);
  expect((await inspectGroup('orders', { engine }))?.members.length).toBe(2);
  await Promise.all([one.leave(), other.leave()]);
}

/** Runs the tests that authors of other engines get. */
export function passesStoreConformance(name: string, setup: StoreSetup): void {
  describe(name, () => {
    for (const { name, run } of storeConformance({ leaseMs, ...setup })) {
      test(name, ({ skip }) => {
        if (lacksKeys !== null && name.startsWith('a group meets')) skip(lacksKeys);
        return run();
      });
    }
  });
}

export interface Troubles {
  /** Chooses the engine at an address. Defaults to its URL. */
  engineAt?(address: string): OpenStore;
  openStore(options: StoreOptions): Promise<Store>;
  /** Whether `watch` tells of changes. Defaults to true. */
  readonly watches?: boolean;
  /** Removes all stored records. */
  wipe(): Promise<void>;
  /** Copies the records of group orders. Returns a function that restores them. */
  save(): Promise<() => Promise<void>>;
}

export function survivesTroubles(name: string, server: () => Database, troubles: Troubles): void {
  const { engineAt, openStore, watches = true, wipe, save } = troubles;
  describe(`${name}, failing`, () => {
    afterEach(async () => {
      await closeAll();
      await wipe();
    });
    const [a, b] = [peerNamed('a'), peerNamed('b')];
    const at = (address: string) => engineAt?.(address) ?? address;
    const here = () => open(at(server().url));
    const highest = (views: readonly View[]) => Math.max(...views.map(({ epoch }) => epoch));

    async function changes(engine: Engine, count: number): Promise<View[]> {
      const views = [await engine.change(await engine.read(), algorithm, [a])];
      while (views.length < count) views.push(await engine.change(views.at(-1)!, algorithm, [b]));
      return views;
    }

    test('wiped: there is no view, and the next one has a higher epoch, whichever member makes it', async () => {
      const engine = await here();
      for (const next of [engine, await here(), engine]) {
        const before = await changes(engine, 30); // faster than one in an epoch
        await wipe();
        expect(await engine.read()).toBe(null);
        expect((await engine.change(before.at(-1)!, algorithm, [b])).members).toEqual([]);
        const after = await next.change(null, algorithm, [b]);
        expect(after.epoch).toBeGreaterThan(highest(before));
        expect(await engine.read()).toEqual(after);
      }
    });

    test('restored to an older state: the next view has a higher epoch than any before', async () => {
      const engine = await here();
      const early = await changes(engine, 2);
      const restore = await save();
      const late = await changes(engine, 3);
      for (const next of [engine, await here()]) {
        await pause(1000);
        await restore();
        const restored = await next.read();
        expect(restored).toEqual(next === engine ? null : early.at(-1)); // an engine returns nothing older than it has seen
        late.push(await next.change(restored, algorithm, [b]));
        expect(late.at(-1)!.epoch).toBeGreaterThan(highest(late.slice(0, -1)));
      }
    });

    test('a view read before a wipe does not match one made after it, after any number of changes', async () => {
      const store = await openStore(usual);
      try {
        await changes(await here(), 1);
        const before = await store.read();
        await wipe();
        await changes(await here(), 1);
        expect(await store.swap(before, '{}')).toBe(false);
        expect(await store.swap(await store.read(), '{}')).toBe(true);
      } finally {
        await store.close();
      }
    });

    test('killed: calls reject promptly; started again: calls succeed, records are kept, watchers are notified', async () => {
      const [engine, other] = [await here(), await here()];
      const seen: View[] = [];
      other.watch((view) => view !== null && seen.push(view));
      const isSeen = async (view: View) => {
        if (watches) await soon(() => seen.at(-1)).toEqual(view);
      };
      const view = await engine.change(null, algorithm, [a]);
      await isSeen(view);
      await engine.renew('a');
      const last = await engine.change(view, algorithm, [a, b]);
      await server().kill();
      try {
        for (const work of [
          () => engine.read(),
          () => engine.renew('a'),
          () => engine.expired([a]),
          () => engine.change(last, algorithm, [a]),
          () => engine.forget('a'),
        ]) {
          const { ms, error } = await rejected(work);
          expect(ms).toBeLessThan(leaseMs / 2);
          expect(error.code).toBe('unavailable');
        }
        await expect(here()).rejects.toThrow(/127\.0\.0\.1:\d+.* fails: .*ECONNREFUSED/);
      } finally {
        await server().again();
      }
      expect(await engine.read()).toEqual(last);
      const next = await engine.change(last, algorithm, [b]);
      await isSeen(next);
      await pause(1000); // by now the watcher has reconnected
      await isSeen(await engine.change(next, algorithm, [a]));
      await engine.renew('a');
      expect(await engine.expired([a, b])).toEqual(['b']);
    });

    test('killed right after an acknowledgement: the record is kept', async () => {
      const engine = await here();
      for (let round = 0; round < 3; round += 1) {
        const view = await engine.change(await engine.read(), algorithm, [peerNamed(`m${round}`)]);
        await server().kill();
        await server().again();
        await expect.poll(() => engine.read().catch(() => null), { timeout: 10_000 }).toEqual(view);
      }
    });

    async function openByWay(): Promise<{ way: CuttingProxy; engine: Engine }> {
      const url = new URL(server().url);
      const proxy = await CuttingProxy.to(url.host);
      proxies.push(proxy);
      url.host = proxy.address;
      return { way: proxy, engine: await open(at(url.href)) };
    }

    test('silent: calls reject promptly, queued ones too; later it reconnects', async () => {
      const { way: proxy, engine } = await openByWay();
      const view = await engine.change(null, algorithm, [a]);
      proxy.stall();
      const all = await Promise.all(
        [
          () => engine.read(),
          () => engine.renew('a'),
          () => engine.expired([a]),
          () => engine.change(view, algorithm, [b]),
        ].map(rejected),
      );
      for (const { ms, error } of all) {
        expect(ms).toBeGreaterThan(leaseMs / 4);
        expect(ms).toBeLessThan(leaseMs / 2);
        expect(error).toMatchObject({ code: 'unavailable', definite: false });
        expect(error.message).toMatch(/127\.0\.0\.1:\d+.* has not answered for 1000 ms/);
      }
      const { ms } = await rejected(() => engine.read()); // while connecting
      expect(ms).toBeLessThan(leaseMs / 2);
      proxy.flow();
      await expect.poll(() => engine.read().catch(() => null), { timeout: 10_000 }).toEqual(view);
      expect(proxy.connections).toBeGreaterThan(1);
    });

    test('an answer that arrived while this process was busy counts', async ({ skip }) => {
      if (readsLate !== null) skip(readsLate);
      const engine = await here();
      expect(await engine.read()).toBe(null);
      for (let round = 0; round < 2; round += 1) {
        const reading = engine.read();
        for (let turn = 0; turn < 3; turn += 1) await new Promise(setImmediate); // to be sent
        const until = performance.now() + leaseMs / 2;
        while (performance.now() < until);
        expect(await reading).toBe(null);
      }
    });

    test('silent, and closed: it waits for nothing', async () => {
      const { way: proxy, engine } = await openByWay();
      engine.watch(() => {});
      await engine.read();
      proxy.stall();
      const reading = rejected(() => engine.read());
      await pause(10);
      await engine.close();
      expect((await reading).ms).toBeLessThan(leaseMs / 2);
      expect((await rejected(() => engine.read())).error.code).toBe('left');
    });

    if (engineAt === undefined)
      test('the error for an invalid address does not reveal the address', async () => {
        const { protocol } = new URL(server().url);
        const message = await refusal(`${protocol}//user:geheim@host:port:/x`);
        expect(message).toMatch(/^the address of \w+ cannot be read: write/);
        expect(message).not.toContain('geheim');
      });
  });
}
