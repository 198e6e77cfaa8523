// The suite for every engine.
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { Engine } from '../../src/cluster/engines/engine.ts';
import { epochAt } from '../../src/cluster/engines/view-record.ts';
import { Random } from '../../src/core/random.ts';
import type { Peer, View } from '../../src/member/index.ts';

export const leaseMs = 300;
export const algorithm = 'naimi-trehel';

/** What an engine's test file provides. Each engine is isolated from the others. */
export interface Surroundings {
  /** The lease of the engines it opens, if not the default. A call that takes a third of it may be too slow. */
  readonly leaseMs?: number;
  /** Whether watching does not work here, because a proxy does not forward it. */
  readonly isDeaf?: boolean;
  /** Whether a missing lease is over only one lease after that was found. */
  readonly isPatient?: boolean;
  open(group: string): Promise<Engine>;
  /** A member that can be reached until the test ends. */
  living(group: string, id: string): Promise<Peer>;
  end(): Promise<void>;
}

export const soon = (condition: () => unknown) => expect.poll(condition, { timeout: 10_000, interval: 5 });
export const pause = (milliseconds: number) => new Promise((resolve) => setTimeout(resolve, milliseconds));
export const peerNamed = (id: string): Peer => ({
  id,
  address: `/nowhere/${id}.sock`,
  label: `host, ${id}`,
  priority: 0,
});

export function conformsToEngine(name: string, surround: () => Surroundings): void {
  describe(name, () => {
    let around: Surroundings;
    let opened: Engine[] = [];
    const open = async (group = 'orders'): Promise<Engine> => {
      const engine = await around.open(group);
      opened.push(engine);
      return engine;
    };
    beforeEach(() => {
      around = surround();
    });
    afterEach(async () => {
      await Promise.all(opened.map((engine) => engine.close()));
      opened = [];
      await around.end();
    });
    const [a, b, c] = ['a', 'b', 'c'].map(peerNamed) as [Peer, Peer, Peer];

    describe('the view', () => {
      test('is null initially, then the created one, for every member', async () => {
        const [one, other] = [await open(), await open()];
        expect(await one.read()).toBe(null);
        const view = await one.change(null, algorithm, [a, b]);
        expect(view).toMatchObject({ algorithm, members: [a, b] });
        expect(await one.read()).toEqual(view);
        expect(await other.read()).toEqual(view);
      });

      test('is followed by a view of a higher epoch', async () => {
        const engine = await open();
        let view = await engine.change(null, algorithm, [a]);
        for (const members of [[a, b], [b], [b, c], []]) {
          const next: View = await engine.change(view, algorithm, members);
          expect(next.members).toEqual(members);
          expect(next.epoch).toBeGreaterThan(view.epoch);
          view = next;
        }
      });

      test('is changed by only one of several concurrent proposals', async () => {
        const engines = await Promise.all(Array.from({ length: 8 }, () => open()));
        let before: View | null = null;
        for (let round = 0; round < 20; round += 1) {
          const wanted = engines.map((_, i) => peerNamed(`m${round}-${i}`));
          const after = await Promise.all(
            engines.map((engine, i) => engine.change(before, algorithm, [wanted[i]!])),
          );
          const winner = after[0]!;
          expect(after.every((view) => JSON.stringify(view) === JSON.stringify(winner))).toBe(true);
          expect(wanted).toContainEqual(winner.members[0]);
          expect(winner.epoch).toBeGreaterThan(before === null ? -1 : (before as View).epoch);
          before = winner;
        }
      });

      test('has a higher epoch in every engine that has seen it, however fast it changes', async () => {
        const [one, other] = [await open(), await open()];
        let view = await one.change(null, algorithm, [a]);
        for (let i = 0; i < 20; i += 1) {
          const before = await other.read();
          expect(before).toEqual(view);
          view = await (i % 2 === 0 ? other : one).change(before, algorithm, [b]);
          expect(view.epoch).toBeGreaterThan(before!.epoch);
          expect(view.epoch).toBeLessThanOrEqual(epochAt(Date.now()) + 63); // etcd tells whole seconds
        }
      });

      test('is not changed by a late proposal, which gets the latest view', async () => {
        const engine = await open();
        const first = await engine.change(null, algorithm, [a]);
        let newest = first;
        for (let i = 0; i < 12; i += 1) newest = await engine.change(newest, algorithm, [b]);
        expect(await engine.change(first, algorithm, [c])).toEqual(newest);
        expect(await engine.change(null, algorithm, [c])).toEqual(newest);
        expect(await engine.read()).toEqual(newest);
      });

      test('includes every member that retries until it joins, in any order', async () => {
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
              const after = await engine.change(before, algorithm, [
                ...(before?.members ?? []),
                peerNamed(id),
              ]);
              if (!after.members.some((peer) => peer.id === id)) continue;
              if (after.members.at(-1)?.id === id) epochs.push(after.epoch);
              break;
            }
          }),
        );
        const last = await (await open()).read();
        expect(last?.members.map(({ id }) => id).sort()).toEqual([...ids].sort());
        expect(new Set(epochs).size).toBe(epochs.length);
      });

      test('is sent to watchers', async ({ skip }) => {
        if (around.isDeaf) skip('members only ask here');
        const [one, other] = [await open(), await open()];
        const seen: View[] = [];
        other.watch((view) => view !== null && seen.push(view));
        let view = await one.change(null, algorithm, [a]);
        await soon(() => seen.at(-1)).toEqual(view);
        for (let i = 0; i < 5; i += 1) view = await one.change(view, algorithm, [b]);
        await soon(() => seen.at(-1)).toEqual(view);
        expect(seen.map(({ epoch }) => epoch)).toEqual(seen.map(({ epoch }) => epoch).sort((x, y) => x - y));
      });

      test('of another group is another one', async () => {
        const [orders, invoices] = [await open('orders'), await open('invoices')];
        const view = await orders.change(null, algorithm, [a]);
        expect(await invoices.read()).toBe(null);
        await invoices.change(null, algorithm, [b]);
        expect(await orders.read()).toEqual(view);
      });

      test('keeps any text', async () => {
        const engine = await open('Überstunden / ../ "🔒"\n');
        const odd = { ...a, label: '"\\\'日本' };
        const view = await engine.change(null, algorithm, [odd]);
        expect(await engine.read()).toEqual({ epoch: view.epoch, algorithm, members: [odd] });
      });
    });

    describe('a lease', () => {
      test('lasts while it is renewed and expires later; a member without one is expired', async () => {
        const [one, other] = [await open(), await open()];
        const [x, y] = [await around.living('orders', 'x'), await around.living('orders', 'y')];
        await one.renew('x');
        await other.renew('y');
        expect(await other.expired([x, y, a])).toEqual(around.isPatient ? [] : ['a']);
        for (let i = 0; i < 5; i += 1) {
          await pause((around.leaseMs ?? leaseMs) / 3);
          await one.renew('x');
        }
        expect(await other.expired([x, y])).toEqual(['y']);
        await soon(async () => await other.expired([x])).toEqual(['x']);
        await one.renew('x');
        expect(await other.expired([x])).toEqual([]);
      });

      test('ends when the engine forgets it', async () => {
        const [one, other] = [await open(), await open()];
        const x = await around.living('orders', 'x');
        await one.renew('x');
        expect(await other.expired([x])).toEqual([]);
        await one.forget('x');
        await one.forget('x');
        expect(await other.expired([x])).toEqual(['x']);
      });

      test('of another group is another one', async () => {
        const [orders, invoices] = [await open('orders'), await open('invoices')];
        const x = await around.living('orders', 'x');
        await orders.renew('x');
        await soon(async () => {
          await orders.renew('x');
          return invoices.expired([x]);
        }).toEqual(['x']);
        expect(await orders.expired([x])).toEqual([]);
      });
    });
  });
}
