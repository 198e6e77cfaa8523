// What every engine promises about views and leases, as tests for any test runner.
import { deepStrictEqual as equals, ok } from 'node:assert/strict';
import { setTimeout as pause } from 'node:timers/promises';
import type { Engine } from '../cluster/engines/engine.ts';
import { epochAt } from '../cluster/engines/view-record.ts';
import { Random } from '../core/random.ts';
import type { Peer, View } from '../member/index.ts';

export { pause };

/** What the tests need of an engine. Each opened engine is isolated from the others. */
export interface EngineSetup {
  readonly leaseMs: number;
  /** Whether a missing lease is over only one lease after that was found. Defaults to false. */
  readonly isPatient?: boolean;
  /** Closed by the tests. */
  open(group: string): Promise<Engine>;
  /** Returns a member that can be reached until the test ends. */
  living(group: string, id: string): Promise<Peer>;
}

export interface EngineTest {
  readonly name: string;
  /** Whether it fails where notifications do not arrive, for example behind a proxy. */
  readonly needsWatching?: boolean;
  run(setup: EngineSetup): Promise<void>;
}

/** The algorithm of the views in the tests. */
export const algorithm = 'naimi-trehel';

const patienceMs = 10_000;

/** Asks again until the answer is the expected one. */
export async function becomes<T>(ask: () => T | Promise<T>, expected: T): Promise<void> {
  const deadline = performance.now() + patienceMs;
  for (;;) {
    try {
      equals(await ask(), expected);
      return;
    } catch (error) {
      if (performance.now() > deadline) throw error;
      await pause(5);
    }
  }
}

export const peerNamed = (id: string): Peer => ({
  id,
  address: `/nowhere/${id}.sock`,
  label: `host, ${id}`,
  priority: 0,
});
const [a, b, c] = ['a', 'b', 'c'].map(peerNamed) as [Peer, Peer, Peer];

/** The engines of one test. */
class OpenEngines {
  readonly #setup: EngineSetup;
  readonly #opened: Engine[] = [];

  constructor(setup: EngineSetup) {
    this.#setup = setup;
  }

  async open(group = 'orders'): Promise<Engine> {
    const engine = await this.#setup.open(group);
    this.#opened.push(engine);
    return engine;
  }

  async close(): Promise<void> {
    await Promise.all(this.#opened.map((engine) => engine.close()));
  }
}

const engineTest = (
  name: string,
  work: (open: (group?: string) => Promise<Engine>, setup: EngineSetup) => Promise<void>,
  options: Pick<EngineTest, 'needsWatching'> = {},
): EngineTest => ({
  name,
  ...options,
  async run(setup) {
    const engines = new OpenEngines(setup);
    try {
      await work((group) => engines.open(group), setup);
    } finally {
      await engines.close();
    }
  },
});

export const engineTests: readonly EngineTest[] = [
  engineTest('the view is null initially, then the created one, for every member', async (open) => {
    const [one, other] = [await open(), await open()];
    equals(await one.read(), null);
    const view = await one.change(null, algorithm, [a, b]);
    equals([view.algorithm, view.members], [algorithm, [a, b]]);
    equals(await one.read(), view);
    equals(await other.read(), view);
  }),

  engineTest('the view is followed by a view of a higher epoch', async (open) => {
    const engine = await open();
    let view = await engine.change(null, algorithm, [a]);
    for (const members of [[a, b], [b], [b, c], []]) {
      const next: View = await engine.change(view, algorithm, members);
      equals(next.members, members);
      ok(next.epoch > view.epoch, `epoch ${next.epoch} after ${view.epoch}`);
      view = next;
    }
  }),

  engineTest('the view is changed by only one of several concurrent proposals', async (open) => {
    const engines = await Promise.all(Array.from({ length: 8 }, () => open()));
    let before: View | null = null;
    for (let round = 0; round < 20; round += 1) {
      const previous: View | null = before;
      const wanted = engines.map((_, i) => peerNamed(`m${round}-${i}`));
      const after = await Promise.all(
        engines.map((engine, i) => engine.change(previous, algorithm, [wanted[i]!])),
      );
      const winner: View = after[0]!;
      for (const view of after) equals(view, winner);
      ok(
        wanted.some(({ id }) => id === winner.members[0]?.id),
        'the view is not one of the proposed ones',
      );
      ok(winner.epoch > (previous?.epoch ?? -1), `epoch ${winner.epoch} after ${previous?.epoch}`);
      before = winner;
    }
  }),

  engineTest(
    'the view has a higher epoch in every engine that has seen it, however fast it changes',
    async (open) => {
      const [one, other] = [await open(), await open()];
      let view = await one.change(null, algorithm, [a]);
      for (let i = 0; i < 20; i += 1) {
        const before = await other.read();
        equals(before, view);
        view = await (i % 2 === 0 ? other : one).change(before, algorithm, [b]);
        ok(view.epoch > before!.epoch, `epoch ${view.epoch} after ${before!.epoch}`);
        ok(view.epoch <= epochAt(Date.now()) + 63, 'the epoch is more than a second ahead of the clock'); // a clock may have whole seconds
      }
    },
  ),

  engineTest('the view is not changed by a late proposal, which gets the latest view', async (open) => {
    const engine = await open();
    const first = await engine.change(null, algorithm, [a]);
    let newest = first;
    for (let i = 0; i < 12; i += 1) newest = await engine.change(newest, algorithm, [b]);
    equals(await engine.change(first, algorithm, [c]), newest);
    equals(await engine.change(null, algorithm, [c]), newest);
    equals(await engine.read(), newest);
  }),

  engineTest('the view includes every member that retries until it joins, in any order', async (open) => {
    const random = new Random(7, 'joiners');
    const ids = Array.from({ length: 24 }, (_, i) => `m${i}`);
    const epochs: number[] = [];
    await Promise.all(
      ids.map(async (id) => {
        const engine = await open();
        for (;;) {
          if (random.below(2) === 0) await pause(random.below(3));
          const before = await engine.read();
          if (random.below(2) === 0) await pause(random.below(3));
          const after = await engine.change(before, algorithm, [...(before?.members ?? []), peerNamed(id)]);
          if (!after.members.some((peer) => peer.id === id)) continue;
          if (after.members.at(-1)?.id === id) epochs.push(after.epoch);
          break;
        }
      }),
    );
    const last = await (await open()).read();
    equals(last?.members.map(({ id }) => id).sort(), [...ids].sort());
    equals(new Set(epochs).size, epochs.length);
  }),

  engineTest(
    'the view is sent to watchers',
    async (open) => {
      const [one, other] = [await open(), await open()];
      const seen: View[] = [];
      other.watch((view) => view !== null && seen.push(view));
      let view = await one.change(null, algorithm, [a]);
      await becomes(() => seen.at(-1), view);
      for (let i = 0; i < 5; i += 1) view = await one.change(view, algorithm, [b]);
      await becomes(() => seen.at(-1), view);
      const epochs = seen.map(({ epoch }) => epoch);
      equals(
        epochs,
        epochs.toSorted((x, y) => x - y),
      );
    },
    { needsWatching: true },
  ),

  engineTest('the view of another group is another one', async (open) => {
    const [orders, invoices] = [await open('orders'), await open('invoices')];
    const view = await orders.change(null, algorithm, [a]);
    equals(await invoices.read(), null);
    await invoices.change(null, algorithm, [b]);
    equals(await orders.read(), view);
  }),

  engineTest('the view keeps any text, whatever the group is called', async (open) => {
    for (const group of [
      'Überstunden / ../ "🔒"\n',
      "'; drop table x --",
      'a'.repeat(200),
      '🔒'.repeat(100),
    ]) {
      const engine = await open(group);
      const odd = { ...a, label: '"\\\'日本' };
      const view = await engine.change(null, algorithm, [odd]);
      equals(await engine.read(), { epoch: view.epoch, algorithm, members: [odd] });
    }
  }),

  engineTest(
    'a lease lasts while it is renewed and expires later; a member without one is expired',
    async (open, setup) => {
      const [one, other] = [await open(), await open()];
      const [x, y] = [await setup.living('orders', 'x'), await setup.living('orders', 'y')];
      await one.renew('x');
      await other.renew('y');
      equals(await other.expired([x, y, a]), setup.isPatient ? [] : ['a']);
      for (let i = 0; i < 5; i += 1) {
        await pause(setup.leaseMs / 3);
        await one.renew('x');
      }
      equals(await other.expired([x, y]), ['y']);
      await becomes(() => other.expired([x]), ['x']);
      await one.renew('x');
      equals(await other.expired([x]), []);
    },
  ),

  engineTest('a lease ends when the engine forgets it', async (open, setup) => {
    const [one, other] = [await open(), await open()];
    const x = await setup.living('orders', 'x');
    await one.renew('x');
    equals(await other.expired([x]), []);
    await one.forget('x');
    await one.forget('x');
    equals(await other.expired([x]), ['x']);
  }),

  engineTest('a lease in another group is another one', async (open, setup) => {
    const [orders, invoices] = [await open('orders'), await open('invoices')];
    const x = await setup.living('orders', 'x');
    await orders.renew('x');
    await becomes(async () => {
      await orders.renew('x');
      return invoices.expired([x]);
    }, ['x']);
    equals(await orders.expired([x]), []);
  }),
];
