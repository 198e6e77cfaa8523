// What a store promises, as tests for any test runner: those of every engine, on top of the store, and those of the store itself.
import { notDeepStrictEqual as differs, deepStrictEqual as equals, fail, ok } from 'node:assert/strict';
import { StoreEngine } from '../cluster/engines/remote/store-engine.ts';
import { join, type OpenStore, type Store, type StoreOptions } from '../cluster/index.ts';
import { algorithm, becomes, engineTests, pause, peerNamed } from './engine-tests.ts';

/** What {@link storeConformance} needs of an engine. */
export interface StoreSetup {
  /** The engine: what `join` takes. */
  readonly open: OpenStore;
  /** Removes all that is stored, of all groups. Called after every test. */
  wipe(): Promise<void>;
  /** The lease of the tests, in milliseconds. A call that takes a third of it counts as failed. Defaults to 1000. */
  readonly leaseMs?: number | undefined;
  /** Whether `watch` tells of changes. Defaults to true. */
  readonly watches?: boolean | undefined;
  /** Whether to accept a database that may lose acknowledged writes. Defaults to false. */
  readonly unsafe?: boolean | undefined;
}

/** One test of {@link storeConformance}. */
export interface ConformanceTest {
  /** What it tests. */
  readonly name: string;
  /** Runs it. Rejects with an `AssertionError` if the store breaks its promise. */
  run(): Promise<void>;
}

/**
 * Returns the tests that a {@link Store} of your own must pass, for any test runner. See [an engine of your own](docs/engines/your-own.md).
 *
 * @example
 * import type { OpenStore } from 'batonjs';
 * import { storeConformance } from 'batonjs-lab/engine-conformance';
 *
 * // Give it `test` of node:test, vitest or Jest.
 * export function testMyStore(
 *   test: (name: string, run: () => Promise<void>) => unknown,
 *   open: OpenStore,
 *   wipe: () => Promise<void>,
 * ): void {
 *   for (const { name, run } of storeConformance({ open, wipe })) test(name, run);
 * }
 */
export function storeConformance(setup: StoreSetup): readonly ConformanceTest[] {
  const { open, leaseMs = 1000, watches = true, unsafe = false } = setup;
  const optionsOf = (group: string): StoreOptions => ({ group, leaseMs, unsafe, warn: () => {} });
  const openEngine = async (group: string) => new StoreEngine(await open(optionsOf(group)), optionsOf(group));
  const ofEngine = engineTests
    .filter(({ needsWatching = false }) => watches || !needsWatching)
    .map(({ name, run }) => ({
      name,
      run: () => run({ leaseMs, open: openEngine, living: async (_, id) => peerNamed(id) }),
    }));
  const ofStore = storeTests.map(({ name, work }) => ({
    name,
    run: async () => {
      const opened: Store[] = [];
      const openStore = async (group = 'orders') => {
        const store = await open(optionsOf(group));
        opened.push(store);
        return store;
      };
      try {
        await work(openStore, { ...setup, leaseMs, unsafe });
      } finally {
        await Promise.all(opened.map((store) => store.close()));
      }
    },
  }));
  const limitMs = 20_000 + 10 * leaseMs;
  return [...ofEngine, ...ofStore].map(({ name, run }) => ({
    name,
    run: () => within(limitMs, run()).finally(() => setup.wipe()),
  }));
}

/** Rejects if the work takes longer: a store with a mistake may keep its user waiting forever. */
async function within(ms: number, work: Promise<void>): Promise<void> {
  const over = new AbortController();
  const late = pause(ms, undefined, { signal: over.signal }).then(() => fail(`not over after ${ms} ms`));
  try {
    await Promise.race([work, late]);
  } finally {
    over.abort();
    late.catch(() => {});
  }
}

interface StoreTest {
  readonly name: string;
  work(
    open: (group?: string) => Promise<Store>,
    setup: StoreSetup & { readonly leaseMs: number; readonly unsafe: boolean },
  ): Promise<void>;
}

const storeTests: readonly StoreTest[] = [
  {
    name: 'a record is swapped only if it is the one that was read, even if its text is the same',
    async work(open) {
      const [one, other] = [await open(), await open()];
      const none = await one.read();
      equals(none.text, null);
      ok(await one.swap(none, 'first'));
      ok(!(await other.swap(none, 'other')));
      const first = await other.read();
      equals(first.text, 'first');
      ok(await other.swap(first, 'first'));
      ok(!(await one.swap(first, 'late')), 'the record was written meanwhile, with the same text');
      const again = await one.read();
      differs(again.revision, first.revision);
      ok(await one.swap(again, 'second'));
      equals((await other.read()).text, 'second');
    },
  },
  {
    name: 'a record that was read before all was lost does not match a later one',
    async work(open, { wipe }) {
      const store = await open();
      ok(await store.swap(await store.read(), 'one'));
      const before = await store.read();
      await wipe();
      equals((await (await open()).read()).text, null);
      const other = await open();
      ok(await other.swap(await other.read(), 'one'));
      ok(!(await store.swap(before, 'late')));
      ok(await store.swap(await store.read(), 'two'));
    },
  },
  {
    name: 'a long record is kept',
    async work(open) {
      const store = await open();
      const text = 'ä🔒"\'\\\u0001'.repeat(30_000);
      ok(await store.swap(await store.read(), text));
      equals((await store.read()).text, text);
    },
  },
  {
    name: 'the clock of the database goes forward, at the speed of ours',
    async work(open) {
      const store = await open();
      const [early, begun] = [await store.read(), performance.now()];
      await pause(1200);
      const late = await store.read();
      const [told, passed] = [late.wallMs - early.wallMs, performance.now() - begun];
      ok(
        told > 1000 - early.precisionMs && told < passed + 300 + late.precisionMs,
        `${told} ms in ${passed} ms`,
      );
    },
  },
  {
    name: 'all who ask for the key of a group get the same one, and it stays',
    async work(open) {
      const stores = await Promise.all(Array.from({ length: 8 }, () => open()));
      const keys = await Promise.all(stores.map((store, i) => store.keyOr(`key-${i}`)));
      const [key] = keys as [string];
      ok(/^key-\d$/.test(key));
      for (const one of keys) equals(one, key);
      equals(await (await open()).keyOr('late'), key);
      equals(await (await open('invoices')).keyOr('another'), 'another');
      equals((await stores[0]!.read()).text, null);
    },
  },
  {
    name: 'a lease lasts as long as it says, and no id but the asked ones is returned',
    async work(open, { leaseMs }) {
      const [one, other] = [await open(), await open()];
      await one.renew('y');
      for (const store of [one, other]) equals(await store.living([]), []);
      const begun = performance.now();
      await one.renew('x');
      for (const store of [one, other]) {
        const found = await store.living(['x', 'z']);
        if (performance.now() - begun < 0.95 * leaseMs) equals(found, ['x']); // neither y, which has a lease, nor z
      }
      while (performance.now() - begun < 0.9 * leaseMs) {
        await pause(leaseMs / 20);
        const found = await Promise.all([one, other].map((store) => store.living(['x'])));
        if (performance.now() - begun < 0.95 * leaseMs) equals(found, [['x'], ['x']]);
      }
      for (const store of [one, other]) await becomes(() => store.living(['x']), []);
    },
  },
  {
    name: 'after all was lost there is no view, and the next one has a higher epoch',
    async work(open, { wipe, leaseMs, unsafe }) {
      const options = { group: 'orders', leaseMs, unsafe, warn: () => {} };
      const engine = new StoreEngine(await open(), options);
      let view = await engine.change(null, algorithm, [peerNamed('a')]);
      for (let i = 0; i < 30; i += 1) view = await engine.change(view, algorithm, [peerNamed(`m${i}`)]); // faster than one in an epoch
      await wipe();
      equals(await engine.read(), null);
      equals((await engine.change(view, algorithm, [peerNamed('b')])).members, []);
      const fresh = new StoreEngine(await open(), options);
      const next = await fresh.change(null, algorithm, [peerNamed('b')]);
      ok(next.epoch > view.epoch, `epoch ${next.epoch} after ${view.epoch}`);
      equals(await engine.read(), next);
    },
  },
  {
    name: 'a group meets by it: locks are handed on, and fences rise when a member joins or leaves',
    async work(_, { open, leaseMs, unsafe }) {
      const member = () => join('orders', { engine: open, unsafe, leaseMs: Math.max(3000, 3 * leaseMs) });
      const fences: number[] = [];
      const [one, other] = [await member(), await member()];
      for (const group of [one, other, one, other]) {
        const lock = await group.lock('invoice-42', { timeoutMs: 20_000 });
        fences.push(lock.fence);
        await lock.release();
      }
      await one.leave();
      const third = await member();
      for (const group of [third, other]) {
        const lock = await group.lock('invoice-42', { timeoutMs: 20_000 });
        fences.push(lock.fence);
        await lock.release();
      }
      await Promise.all([third.leave(), other.leave()]);
      equals(
        fences,
        [...new Set(fences)].sort((x, y) => x - y),
      );
    },
  },
];
