// Members reach each other at the addresses that they advertise, and dial no others.
import { existsSync } from 'node:fs';
import { connect, createServer, type Server } from 'node:net';
import { join as joinPath } from 'node:path';
import { afterEach, describe, expect, test } from 'vitest';
import { liHudak } from '../../src/algorithms/index.ts';
import { EmbeddedEngine } from '../../src/cluster/engines/local/embedded-engine.ts';
import { Group } from '../../src/cluster/group/group.ts';
import { type JoinOptions, join } from '../../src/cluster/index.ts';
import { openBackend } from '../../src/cluster/membership/backend.ts';
import type { GroupConfig } from '../../src/cluster/membership/group-config.ts';
import { listenTcp } from '../../src/cluster/transport/tcp.ts';
import { bytesOf, hello, pack, pause, soon } from '../conformance/transport.ts';
import { CuttingProxy } from './cutting-proxy.ts';
import { withServer } from './database-server.ts';
import { lacksKeys, skipper } from './other-runtimes.ts';
import { StoreEngines } from './store-engines.ts';
import { inOwnDirectory } from './temporary-directory.ts';

const skipFor = skipper();

const leaseMs = 3000; // a third of it is the time for an answer of the engine, even if many tests run at once
const self =
  /^this process does not reach itself at (127\.0\.0\.1:\d+), where other members would dial it \((.*)\): check listen and advertise/;
let ends: (() => unknown)[] = [];
afterEach(async () => {
  await Promise.all(ends.map((end) => end()));
  ends = [];
});

async function listening(server: Server): Promise<string> {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  ends.push(() => server.close());
  return `127.0.0.1:${(server.address() as { port: number }).port}`;
}

async function closedPort(): Promise<string> {
  const server = createServer();
  const address = await listening(server);
  await new Promise((resolve) => server.close(resolve));
  return address;
}

withServer('redis', (server) => {
  const stored = new StoreEngines(() => ({ address: server().url, leaseMs, unsafe: false }));
  afterEach(() => stored.close());
  let names = 0;
  const newName = () => {
    names += 1;
    return `reach-${names}`;
  };
  const member = async (name: string, options: JoinOptions = {}): Promise<Group> => {
    const group = await join(name, { engine: server().url, leaseMs, ...options });
    ends.push(() => group.leave());
    return group;
  };
  const refusal = (name: string, advertise: string) =>
    member(name, { advertise }).then(
      () => 'joined',
      ({ code, message }) => `${code}: ${message}`,
    );

  async function memberWith(
    group: string,
    listening: (listen: GroupConfig['listen']) => GroupConfig['listen'],
  ): Promise<Group> {
    const { engine, listen } = await openBackend(group, leaseMs, { engine: server().url });
    const made = new Group({
      ...{ group, algorithm: liHudak.name, algorithmOf: () => liHudak, leaseMs, priority: 0, engine },
      spansMachines: true,
      listen: listening(listen),
    });
    ends.push(() => made.leave().catch(() => {}));
    return made.join(undefined);
  }

  /** Joins from a network that lets no host reach its own address. */
  const withoutHairpin = (group: string) =>
    memberWith(group, (listen) => async (id, listener) => {
      const transport = await listen(id, listener);
      return {
        address: transport.address,
        send: transport.send.bind(transport),
        keep: transport.keep.bind(transport),
        reachItself: async () => 'no answer',
        close: transport.close.bind(transport),
      };
    });

  describe('a first member whose address leads elsewhere does not keep others out:', () => {
    test.each<[string, () => Promise<string>, string]>([
      ['to a port where nobody listens', closedPort, 'nobody listens there'],
      [
        'to another program',
        () => listening(createServer((socket) => socket.on('error', () => {}).end('220 mail.example\r\n'))),
        'something else listens there',
      ],
    ])(
      '%s',
      async (_, advertised, why) => {
        skipFor(lacksKeys);
        const name = newName();
        const address = await advertised();
        const message = await refusal(name, address);
        expect(message).toMatch(/^unavailable: /);
        expect(self.exec(message.slice('unavailable: '.length))?.slice(1)).toEqual([address, why]);
        expect(await (await stored.open(name)).read()).toBe(null);
        const [a, b] = [await member(name), await member(name)];
        await soon(() => [a.view?.members.length, b.view?.members.length]).toEqual([2, 2]);
      },
      60_000,
    );

    test('an address that leads to it by a proxy is right', async () => {
      skipFor(lacksKeys);
      const name = newName();
      const listen = await closedPort();
      const proxy = await CuttingProxy.to(listen);
      ends.push(() => proxy.close());
      const a = await member(name, { listen, advertise: proxy.address });
      const b = await member(name);
      await soon(() => [a.view?.members.length, b.view?.members.length]).toEqual([2, 2]);
    }, 60_000);
  });

  test('a process that members do not reach is told so, and does not disturb them', async () => {
    skipFor(lacksKeys);
    const name = newName();
    const a = await member(name);
    const epoch = a.view?.epoch;
    const address = await closedPort();
    expect(await refusal(name, address)).toMatch(
      new RegExp(
        `^unavailable: .*, which is in group '${name}', does not reach us at ${address}: check listen`,
      ),
    );
    expect(a.view?.epoch).toBe(epoch);
  }, 60_000);

  test('a member that comes back with a key that was replaced meanwhile reads it again', async () => {
    skipFor(lacksKeys);
    const name = newName();
    const a = await member(name);
    let opened = 0;
    const b = await memberWith(name, (listen) => (id, listener) => {
      opened += 1;
      const groupKey = async () => Buffer.alloc(32, 1);
      const outdated = { groupKey, unreachableAfterMs: leaseMs / 2 };
      return opened === 2 ? listenTcp(outdated, { id, group: name, listener }) : listen(id, listener);
    });
    const { id } = b;
    const engine = await stored.open(name);
    const view = (await engine.read())!;
    await engine.change(
      view,
      view.algorithm,
      view.members.filter((peer) => peer.id !== id),
    );
    await soon(() => opened).toBe(2);
    await soon(() => opened).toBe(3);
    await soon(() => [a.view?.members.length, b.view?.members.length]).toEqual([2, 2]);
    await (await b.lock('a', { timeoutMs: 5000 })).release();
  }, 60_000);

  test('a process that members reach need not reach itself', async () => {
    skipFor(lacksKeys);
    const name = newName();
    await expect(withoutHairpin(name)).rejects.toThrow(/advertise a host name that leads to this machine/);
    const a = await member(name);
    const b = await withoutHairpin(name);
    await soon(() => [a.view?.members.length, b.view?.members.length]).toEqual([2, 2]);
    await (await b.lock('a', { timeoutMs: 5000 })).release();

    const failures: [string, string | null][] = [];
    b.on('failed', (error, address) => failures.push([(error as Error).message, address]));
    const { address } = b.view!.members.find(({ id }) => id === b.id)!;
    await a.leave();
    const engine = await stored.open(name);
    const view = (await engine.read())!;
    await engine.change(view, view.algorithm, []);
    await soon(() => failures.length).toBeGreaterThan(0); // alone, it does not come back
    const [message, failed] = failures[0]!;
    expect(/^this process does not reach itself at (\S+),/.exec(message)?.[1]).toBe(failed);
    expect(failed).not.toBe(address); // it listens on another port now
  }, 60_000);
});

describe('on one machine', () => {
  inOwnDirectory();

  test('a member dials no address that a peer names', async () => {
    const group = await join('orders');
    const refusals: string[] = [];
    group.on('refused', (why) => refusals.push(why));
    const engine = new EmbeddedEngine({ group: 'orders', leaseMs });
    const { id, address } = (await engine.read())!.members[0]!;
    let dialled = 0;
    const bait = createServer(() => {
      dialled += 1;
    });
    const path = joinPath(process.env.BATON_DIR!, 'bait');
    await new Promise<void>((resolve) => bait.listen(path, resolve));
    expect(existsSync(path)).toBe(true);
    const socket = connect(address);
    socket.write(bytesOf(hello('x', id), pack({ type: 'reach', question: 1, address: path })));
    await soon(() => refusals).toEqual(['stranger']);
    await pause(50);
    expect(dialled).toBe(0);
    socket.destroy();
    bait.close();
    await engine.close();
    await group.leave();
  });
});
