// The suite for the key of a group, which every store keeps beside the view.
import { afterEach, describe, expect, test } from 'vitest';
import type { StoreEngine } from '../../src/cluster/engines/remote/store-engine.ts';
import { type Group, inspectGroup, type JoinOptions, join } from '../../src/cluster/index.ts';
import { lacksKeys } from '../cluster/other-runtimes.ts';
import { algorithm, peerNamed, soon } from './engine.ts';

/** What the test file of an engine provides. */
export interface KeyKeeper {
  open(group: string): Promise<StoreEngine>;
  /** Closes the engines, and removes all stored records. */
  end(): Promise<void>;
  wipe(): Promise<void>;
  /** Replaces the stored key of group orders. */
  replace(text: string): Promise<void>;
  options(): JoinOptions;
}

export function keepsGroupKey(name: string, keeper: KeyKeeper): void {
  describe(`the key of a group with ${name}`, () => {
    let groups: Group[] = [];
    afterEach(async () => {
      await Promise.all(groups.map((group) => group.leave()));
      groups = [];
      await keeper.end();
    });
    const hex = async (engine: StoreEngine) => Buffer.from(await engine.groupKey()).toString('hex');

    test('is random, and the same for everybody, even if all ask at once', async () => {
      const engines = await Promise.all(Array.from({ length: 8 }, () => keeper.open('orders')));
      const keys = new Set(await Promise.all(engines.map(hex)));
      expect(keys.size).toBe(1);
      const [key] = keys;
      expect(key).toMatch(/^[0-9a-f]{64}$/);
      expect(await hex(await keeper.open('orders'))).toBe(key);
      expect(await hex(await keeper.open('invoices'))).not.toBe(key);
    });

    test('is not part of the view, and does not change with it', async () => {
      const engine = await keeper.open('orders');
      const key = await hex(engine);
      expect(await engine.read()).toBe(null);
      const view = await engine.change(null, algorithm, [peerNamed('a')]);
      expect(JSON.stringify(view)).not.toContain(Buffer.from(key, 'hex').toString('base64'));
      expect(await hex(engine)).toBe(key);
    });

    test.each(['', 'key', Buffer.alloc(31).toString('base64'), `${Buffer.alloc(32).toString('base64')}!`])(
      'is refused if it is damaged, and not printed: %o',
      async (text) => {
        const engine = await keeper.open('orders');
        await engine.groupKey();
        await keeper.replace(text);
        await expect(engine.groupKey()).rejects.toMatchObject({
          code: 'input',
          message:
            "what is stored as the key of group 'orders' is not a key: delete it and the view of the group, and the members agree on another one",
        });
      },
    );

    test('is another one after the engine was wiped, and the members meet again', async ({ skip }) => {
      if (lacksKeys !== null) skip(lacksKeys);
      const member = async () => {
        groups.push(await join('orders', { leaseMs: 3000, ...keeper.options() }));
      };
      await member();
      await member();
      const engine = await keeper.open('orders');
      const key = await hex(engine);
      await keeper.wipe();
      await soon(() => groups.map(({ view }) => view?.members.length)).toEqual([2, 2]);
      await soon(async () => await hex(engine).catch(() => key)).not.toBe(key);
      await member();
      await soon(() => groups.map(({ view }) => view?.members.length)).toEqual([3, 3, 3]);
      for (const group of groups) await (await group.lock('invoice-42', { timeoutMs: 20_000 })).release();
      const inspection = await inspectGroup('orders', keeper.options());
      expect(inspection?.members.map(({ answered }) => answered)).toEqual([true, true, true]);
    }, 60_000);
  });
}
