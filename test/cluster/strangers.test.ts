// Processes that are not in the group: they learn nothing and change nothing.
import { afterEach, expect, test } from 'vitest';
import { type Group, inspectGroup, join } from '../../src/cluster/index.ts';
import { soon } from '../conformance/transport.ts';
import { start } from './child-program.ts';
import { withServer } from './database-server.ts';
import { lacksKeys, skipAll } from './other-runtimes.ts';
import { StoreEngines } from './store-engines.ts';

const leaseMs = 5000;
skipAll(lacksKeys);

withServer('redis', (server) => {
  const stored = new StoreEngines(() => ({ address: server().url, leaseMs, unsafe: false }));
  let groups: Group[] = [];
  afterEach(async () => {
    await Promise.all(groups.map((group) => group.leave()));
    groups = [];
    await stored.close();
  });

  async function membersOf(name: string, refusals = new Map<string, number>()) {
    for (let i = 0; i < 2; i += 1) {
      const group = await join(name, { engine: server().url, leaseMs });
      group.on('refused', (why, _, count) => refusals.set(why, (refusals.get(why) ?? 0) + count));
      groups.push(group);
    }
    return stored.open(name);
  }

  test('a process that knows name, ids and addresses, but not the key, learns and changes nothing', async () => {
    const refusals = new Map<string, number>();
    const total = () => [...refusals.values()].reduce((sum, count) => sum + count, 0);
    const engine = await membersOf('orders', refusals);
    const lock = await groups[0]!.lock('invoice-42');
    const before = (await engine.read())!;
    const [first, second] = before.members;
    for (const [victim, other] of [
      [first!, second!],
      [second!, first!],
    ] as const) {
      const known = total();
      const stranger = start('stranger', ['orders', victim.id, victim.address, other.id]);
      await stranger.ready();
      const learned = JSON.parse(stranger.lines[0]!);
      expect(learned).toMatchObject({ frames: [], dialled: 0, secured: 0 });
      expect(learned.bytes).toMatch(/^(1503..000202..)*$/); // fatal alerts of TLS, and nothing else
      await soon(() => total() - known).toBeGreaterThanOrEqual(8);
    }
    expect(new Set(refusals.keys())).toEqual(new Set(['stranger', 'malformed']));
    expect(await engine.read()).toEqual(before);
    expect(lock.state).toBe('held');
    expect(await groups[1]!.tryLock('invoice-42')).toBe(null);
    const inspection = await inspectGroup('orders', { engine: server().url });
    expect(inspection?.members.map(({ answered }) => answered)).toEqual([true, true]);
    expect(inspection?.locks).toMatchObject([{ name: 'invoice-42', holder: { id: first!.id } }]);
    await lock.release();
  }, 60_000);

  test('the same process with the key learns, so the attack would succeed', async () => {
    const engine = await membersOf('open');
    const [victim, other] = (await engine.read())!.members;
    const key = Buffer.from(await engine.groupKey()).toString('hex');
    const stranger = start('stranger', ['open', victim!.id, victim!.address, other!.id, key]);
    await stranger.ready();
    const { frames, dialled } = JSON.parse(stranger.lines[0]!);
    expect(new Set(frames.map(({ type }: { type: string }) => type))).toEqual(new Set(['answer', 'pong']));
    expect(dialled).toBeGreaterThan(0);
  }, 60_000);
});
