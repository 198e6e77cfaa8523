// The suite for an engine on an external database that is cut off, and reached again.
import { afterEach, describe, expect, test, vi } from 'vitest';
import type { Database } from '../../bench/servers.ts';
import type { Engine } from '../../src/cluster/engines/engine.ts';
import { openEngine } from '../../src/cluster/engines/open-engine.ts';
import { CuttingProxy } from '../cluster/cutting-proxy.ts';
import { pause } from './engine.ts';

const leaseMs = 1600; // at the engine, of a member with leases of two seconds
const limitMs = 1.5 * leaseMs; // leaves a member time to rejoin within two of its leases

export function reconnects(name: string, server: () => Database): void {
  describe(`${name}, reached again`, () => {
    let engine: Engine | null = null;
    let proxy: CuttingProxy | null = null;
    afterEach(async () => {
      vi.restoreAllMocks();
      await engine?.forget('a').catch(() => {});
      await engine?.close();
      proxy?.close();
    });

    async function connect(): Promise<{ engine: Engine; proxy: CuttingProxy }> {
      const url = new URL(server().url);
      proxy = await CuttingProxy.to(url.host);
      const scheme = url.protocol === 'http:' ? 'etcd:' : url.protocol;
      const user = url.username === '' ? '' : `${url.username}@`;
      const address = `${scheme}//${user}${proxy.address}${url.pathname === '/' ? '' : url.pathname}`;
      engine = await openEngine(address, { group: 'orders', leaseMs, unsafe: true, warn: () => {} });
      await engine.renew('a');
      return { engine, proxy };
    }

    /** Renews as a member does, several times in a lease, whether or not the last renewal was answered. */
    async function servedAfter(one: Engine, proxy: CuttingProxy, cutMs: number): Promise<number> {
      let renewed = 0;
      const renew = async () => {
        await one.renew('a');
        renewed = performance.now();
      };
      for (const direction of ['there', 'back'] as const) proxy.drop(direction);
      renew().catch(() => {});
      const renewing = setInterval(() => renew().catch(() => {}), leaseMs / 5);
      try {
        await pause(cutMs);
        proxy.mend();
        const mended = performance.now();
        await expect.poll(() => renewed, { timeout: 20_000, interval: 5 }).toBeGreaterThan(mended);
        return renewed - mended;
      } finally {
        clearInterval(renewing);
      }
    }

    // Connections that lost bytes stay silent, as after a long partition, when the next retransmission is many seconds away.
    test.each([0.2, 0.5, 1, 1.6, 2.3])(
      'its leases are renewed soon after %d leases without a packet',
      async (leases) => {
        const { engine, proxy } = await connect();
        expect(await servedAfter(engine, proxy, leases * leaseMs)).toBeLessThan(limitMs);
      },
    );

    test('its leases are renewed soon, also if the wall clock was set back meanwhile', async () => {
      const { engine, proxy } = await connect();
      const now = Date.now;
      setTimeout(() => vi.spyOn(Date, 'now').mockImplementation(() => now() - 30_000), 1.2 * leaseMs);
      expect(await servedAfter(engine, proxy, 1.6 * leaseMs)).toBeLessThan(limitMs);
    });
  });
}
