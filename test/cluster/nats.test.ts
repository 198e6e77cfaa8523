import { rmSync } from 'node:fs';
import { createServer } from 'node:http';
import { type AddressInfo, createServer as createTcpServer, type Socket } from 'node:net';
import { join } from 'node:path';
import { type Bucket, Kvm } from '@nats-io/kv';
import { connect, type NatsConnection } from '@nats-io/transport-node';
import { afterAll, afterEach, describe, expect, test, vi } from 'vitest';
import { nats } from '../../src/cluster/engines/clients/nats-connection.ts';
import { RevisionClock } from '../../src/cluster/engines/remote/revision-clock.ts';
import { join as joinGroup } from '../../src/cluster/index.ts';
import { InputError } from '../../src/core/assert.ts';
import type { View } from '../../src/member/index.ts';
import { algorithm, conformsToEngine, pause, peerNamed, soon } from '../conformance/engine.ts';
import { keepsGroupKey } from '../conformance/group-key.ts';
import { reconnects } from '../conformance/reconnection.ts';
import { passesStoreConformance } from '../conformance/store.ts';
import { withServer } from './database-server.ts';
import { lacksKeys, skipper } from './other-runtimes.ts';
import { isWatchedAgain, rejectsPromptly, StoreEngines } from './store-engines.ts';

const skipFor = skipper();

const leaseMs = 1000;
const [a, b] = [peerNamed('a'), peerNamed('b')];
const viewOf = (epoch: number) => JSON.stringify({ format: 2, boot: '', epoch, algorithm, members: [a] });

withServer('nats', (server) => {
  const stored = new StoreEngines(() => ({ address: server().url, leaseMs, unsafe: true }));
  let connection: Promise<NatsConnection> | null = null;
  const connected = () => {
    connection ??= connect({ servers: server().url, maxReconnectAttempts: -1, reconnectTimeWait: 50 });
    return connection;
  };
  afterAll(async () => (await connection)?.close());
  const bucket = async () =>
    (await new Kvm(await connected()).create('baton', { allow_direct: false })) as Bucket;
  const wipe = async () => {
    await (await bucket().catch(bucket)).destroy(); // a request to a server that has just ended is never answered
  };
  const keys = async () => {
    const found: string[] = [];
    for await (const key of await (await bucket()).keys()) found.push(key);
    return found.sort();
  };

  conformsToEngine('NATS', () => ({ ...stored.surroundings(wipe), leaseMs }));

  passesStoreConformance('NATS by the connection of the application', {
    open: async (options) => nats(await connected())(options),
    leaseMs,
    unsafe: true,
    wipe,
  });

  test('a group uses the connection of the application, and leaves it open', async () => {
    skipFor(lacksKeys);
    const own = await connected();
    const engine = nats(own);
    const [one, other] = [
      await joinGroup('orders', { engine, unsafe: true }),
      await joinGroup('orders', { engine: server().url, unsafe: true }),
    ];
    const lock = await one.lock('a');
    const waiting = other.lock('a');
    const first = lock.fence;
    await lock.release();
    expect((await waiting).fence).toBeGreaterThan(first);
    await Promise.all([one.leave(), other.leave()]);
    expect(own.isClosed()).toBe(false);
    await wipe();
    for (const wrong of [undefined, {}, server().url])
      expect(() => nats(wrong as never)).toThrow(
        'the client of the engine must be a connection of NATS, which connect() of the package @nats-io/transport-node returns',
      );
  });

  reconnects('NATS', server);

  keepsGroupKey('NATS', {
    open: (group) => stored.open(group),
    wipe,
    end: async () => {
      await stored.close();
      await wipe();
    },
    replace: async (text) => {
      await (await bucket()).put('key.orders', text);
    },
    options: () => ({ engine: server().url, unsafe: true }),
  });

  describe('NATS', () => {
    afterEach(async () => {
      await stored.close();
      await wipe();
    });

    test('is refused without unsafe, because it may lose acknowledged writes', async () => {
      const opening = stored.open('orders', { unsafe: false });
      await expect(opening).rejects.toThrow(InputError);
      await expect(opening).rejects.toThrow(
        /may forget .* sync_interval: always .*: set it, and join with unsafe$/,
      );
      await wipe();
      await new Kvm(await connected()).create('baton', { storage: 'memory' as never });
      await expect(stored.open('orders', { unsafe: false })).rejects.toThrow(
        /bucket 'baton' .* is in memory .*: create it with file storage, or join with unsafe$/,
      );
      const engine = await stored.open();
      expect((await engine.change(null, algorithm, [a])).members).toEqual([a]);
    });

    test('is refused with a bucket that discards old entries', async () => {
      await wipe();
      await new Kvm(await connected()).create('baton', { ttl: 60_000 });
      await expect(stored.open()).rejects.toThrow(
        /forgets what is older than 60000 ms: create it without a ttl$/,
      );
    });

    test('stores its keys under the documented names, and only those of live members', async () => {
      const engine = await stored.open('Über stunden.');
      await engine.change(null, algorithm, [a]);
      for (const id of ['x', 'y', 'z']) await engine.renew(id);
      await engine.forget('x');
      await engine.groupKey();
      expect(await keys()).toEqual([
        'clock',
        'key.=C3=9Cber=20stunden=2E',
        'lease.=C3=9Cber=20stunden=2E.y',
        'lease.=C3=9Cber=20stunden=2E.z',
        'view.=C3=9Cber=20stunden=2E',
      ]);
      await pause(leaseMs * 1.1);
      await engine.renew('z');
      expect(await engine.expired([peerNamed('y'), peerNamed('z')])).toEqual(['y']);
      await soon(async () => (await keys()).length).toBe(4);
      const { state } = (await (await bucket()).status()).streamInfo;
      expect(state.messages).toBe(4); // no delete markers
    });

    test('reads from the leader of the stream, also in a bucket that allows direct gets', async () => {
      await wipe();
      const direct = (await new Kvm(await connected()).create('baton', { allow_direct: true })) as Bucket;
      expect((await direct.status()).streamInfo.config.allow_direct).toBe(true);
      const asked: string[] = [];
      const own = await connected();
      own.subscribe('$JS.API.>', { callback: (_, { subject }) => void asked.push(subject) });
      const engine = await stored.open();
      await engine.read();
      await own.flush();
      expect(asked).toContain('$JS.API.STREAM.MSG.GET.KV_baton');
      expect(asked.filter((subject) => subject.startsWith('$JS.API.DIRECT'))).toEqual([]);
    });

    test('a process that starts later finds leases expired that ended long ago', async () => {
      const [engine, looker] = [await stored.open(), await stored.open()];
      await engine.renew('a');
      expect(await looker.expired([a, b])).toEqual(['b']);
      await engine.renew('a');
      const now = performance.now.bind(performance);
      const clock = vi.spyOn(performance, 'now');
      clock.mockImplementation(() => now() + 20_000);
      expect(await looker.expired([a])).toEqual([]); // within the clock skew of servers
      await engine.renew('a');
      clock.mockImplementation(() => now() + 40_000);
      expect(await looker.expired([a])).toEqual(['a']);
      clock.mockRestore();
    });

    test('a lease lasts as long as its owner states, whatever others do', async () => {
      const patient = await stored.open('orders', { leaseMs: 20 * leaseMs });
      const [hasty, looker] = [await stored.open(), await stored.open()];
      await patient.renew('a');
      for (let i = 0; i < 10; i += 1) {
        await hasty.renew('b');
        await pause(leaseMs / 5);
      }
      expect(await hasty.expired([a, b])).toEqual([]);
      expect(await looker.expired([a, b])).toEqual([]);
      expect((await keys()).filter((key) => key.endsWith('.a'))).toHaveLength(1);
    });

    test('several members that died at once are found together', async () => {
      const [engine, other] = [await stored.open(), await stored.open()];
      const ids = ['p', 'q', 'r'];
      for (const id of ids) await other.renew(id);
      for (let i = 0; i < 7; i += 1) {
        await engine.renew('a');
        await pause(leaseMs / 5);
      }
      const peers = ids.map(peerNamed);
      expect(await engine.expired([...peers, a])).toEqual(ids); // without an earlier check
    });

    test('after a kill and a restart it is as before', async () => {
      const [engine, watcher] = [await stored.open(), await stored.open()];
      const seen: View[] = [];
      watcher.watch((view) => view !== null && seen.push(view));
      const view = await engine.change(null, algorithm, [a]);
      await engine.renew('a');
      await soon(() => seen.at(-1)).toEqual(view);
      await server().kill();
      await rejectsPromptly(engine, /^NATS cannot be reached at 127\.0\.0\.1:\d+/, leaseMs / 2);
      await expect(stored.open()).rejects.toThrow(/cannot be reached/);
      await server().again();
      await soon(() => engine.read().catch(() => null)).toEqual(view);
      await engine.renew('a');
      await soon(() => watcher.expired([a, b]).catch(() => null)).toEqual(['b']);
      await isWatchedAgain(engine, seen);
    });

    test('wiped: there is no view and no lease, epochs increase, and watchers are notified', async () => {
      const [engine, watcher] = [await stored.open(), await stored.open()];
      const seen: View[] = [];
      watcher.watch((view) => view !== null && seen.push(view));
      const view = await engine.change(null, algorithm, [a]);
      await engine.renew('a');
      await soon(() => seen.at(-1)).toEqual(view);
      await server().kill();
      rmSync(join(server().folder, 'jetstream'), { recursive: true });
      await server().again();
      await soon(() => engine.read().catch(() => 'away')).toBe(null);
      const stranger = await stored.open().catch(() => stored.open()); // a server that has just started may not answer
      expect(await stranger.expired([a])).toEqual(['a']);
      await engine.renew('a');
      expect(await stranger.expired([a])).toEqual([]);
      const next = await stranger.change(null, algorithm, [b]);
      expect(next.epoch).toBeGreaterThan(view.epoch);
      await soon(() => seen.at(-1)).toEqual(next);
    });

    test('wiped: another view with the revision of the lost one is not replaced', async () => {
      const engine = await stored.open();
      const view = await engine.change(null, algorithm, [a]);
      expect(await engine.read()).toEqual(view);
      const reached = (await (await bucket()).get('view.orders'))!.revision;
      await server().kill();
      rmSync(join(server().folder, 'jetstream'), { recursive: true });
      await server().again();
      await soon(() => engine.read().catch(() => 'away')).toBe(null);
      const restarted = await bucket().catch(bucket); // a server that has just started may not answer
      while ((await restarted.put('other', '')) < reached - 1);
      expect(await restarted.put('view.orders', viewOf(view.epoch + 1))).toBe(reached);
      expect((await engine.change(view, algorithm, [b])).epoch).toBe(view.epoch + 1);
      expect((await engine.read())?.epoch).toBe(view.epoch + 1);
    });

    test('wiped while it runs: the same', async () => {
      const [engine, watcher] = [await stored.open(), await stored.open()];
      const seen: View[] = [];
      watcher.watch((view) => view !== null && seen.push(view));
      const view = await engine.change(null, algorithm, [a]);
      for (let i = 0; i < 50; i += 1) await engine.renew('a');
      await wipe();
      await pause(200);
      expect(await engine.read()).toBe(null);
      await engine.renew('a');
      expect(await engine.expired([a])).toEqual([]);
      const next = await (await stored.open()).change(null, algorithm, [b]);
      expect(next.epoch).toBeGreaterThan(view.epoch);
      expect(await watcher.read()).toEqual(next);
    });

    test('restored to an older state: the next view has a higher epoch than any before', async () => {
      const engine = await stored.open();
      await engine.change(null, algorithm, [a]);
      let view = await engine.change(await engine.read(), algorithm, [b]);
      await (await bucket()).put('view.orders', viewOf(view.epoch - 1));
      view = await engine.change(await engine.read(), algorithm, [a, b]);
      await pause(500); // a new process only knows the wall clock
      await (await bucket()).put('view.orders', viewOf(17));
      const stranger = await stored.open();
      const old = await stranger.read();
      expect(old?.epoch).toBe(17);
      expect((await stranger.change(old, algorithm, [b])).epoch).toBeGreaterThan(view.epoch);
    });

    test('another value instead of a view is ignored with a warning', async () => {
      const engine = await stored.open();
      await (await bucket()).put('view.orders', '{"format":2,');
      expect(await engine.read()).toBe(null);
      expect(await engine.read()).toBe(null);
      expect(stored.warnings).toEqual([expect.stringMatching(/^what is stored for group 'orders'/)]);
      expect((await engine.change(null, algorithm, [a])).members).toEqual([a]);
      await (await bucket()).delete('view.orders');
      expect(await engine.read()).toBe(null);
      expect((await engine.change(null, algorithm, [b])).members).toEqual([b]);
    });

    test('works with several hosts while one of them is available', async () => {
      const silent = createTcpServer(() => {}).listen(0, '127.0.0.1');
      await new Promise((resolve) => silent.once('listening', resolve));
      const { port } = silent.address() as AddressInfo;
      const { host } = new URL(server().url);
      const engine = await stored.open('orders', { address: `nats://127.0.0.1:1,127.0.0.1:${port},${host}` });
      expect((await engine.change(null, algorithm, [a])).members).toEqual([a]);
      silent.close();
    });

    test('is not used without TLS if TLS is requested', async () => {
      const { host } = new URL(server().url);
      await expect(stored.open('orders', { address: `tls://${host}` })).rejects.toThrow(/reached.*tls/);
    });
  });
});

describe('another server than NATS', () => {
  const stored = new StoreEngines(() => ({ address: '', leaseMs, unsafe: true }));
  afterEach(() => stored.close());

  test('is reported in a sentence', async () => {
    const stranger = createServer((_, response) => response.writeHead(404).end()).listen(0, '127.0.0.1');
    await new Promise((resolve) => stranger.once('listening', resolve));
    const { port } = stranger.address() as AddressInfo;
    const opening = stored.open('orders', { address: `nats://u:secret@127.0.0.1:${port}` });
    await expect(opening).rejects.toThrow(/^NATS cannot be reached at 127\.0\.0\.1:\d+: \w/);
    await expect(opening).rejects.not.toThrow(/secret/);
    stranger.closeAllConnections();
    stranger.close();
  });

  /** Imitates NATS, and answers each line of the client with the result of `said`. */
  async function pretender(said: (line: string) => string): Promise<{ port: number; end: () => void }> {
    const sockets: Socket[] = [];
    const pretending = createTcpServer((socket) => {
      sockets.push(socket);
      socket.on('error', () => {}).setEncoding('utf8');
      socket.write(
        'INFO {"server_id":"x","version":"2.9.10","proto":1,"headers":true,"max_payload":1000}\r\n',
      );
      socket.on('data', (lines: string) => socket.write(lines.split('\r\n').map(said).join('')));
    }).listen(0, '127.0.0.1');
    await new Promise((resolve) => pretending.once('listening', resolve));
    const end = () => {
      for (const socket of sockets) socket.destroy();
      pretending.close();
    };
    return { port: (pretending.address() as AddressInfo).port, end };
  }

  test.each([
    ['us%3Aer:secret%40', '"pass":"secret@","user":"us:er"'],
    ['secret%40', '"auth_token":"secret@"'],
  ])('%s is sent as credentials; wrong ones are reported', async (credentials, sent) => {
    let greeting = '';
    const { port, end } = await pretender((line) => {
      if (line.startsWith('CONNECT')) greeting = line;
      return line.startsWith('CONNECT') ? "-ERR 'Authorization Violation'\r\n" : '';
    });
    const opening = stored.open('orders', { address: `nats://${credentials}@127.0.0.1:${port}` });
    await expect(opening).rejects.toThrow(InputError);
    await expect(opening).rejects.toThrow(/^NATS at 127.*refuses this user, password or token$/);
    const { pass, user, auth_token } = JSON.parse(greeting.slice('CONNECT '.length));
    expect(JSON.stringify({ pass, user, auth_token })).toContain(sent);
    end();
  });

  test('a server without JetStream is detected', async () => {
    const { port, end } = await pretender((line) => {
      const [verb, , reply] = line.split(' ');
      if (verb === 'PING') return 'PONG\r\n';
      return verb === 'PUB' ? `HMSG ${reply} 1 16 16\r\nNATS/1.0 503\r\n\r\n\r\n` : '';
    });
    const opening = stored.open('orders', { address: `nats://127.0.0.1:${port}` });
    await expect(opening).rejects.toThrow(/has no JetStream: start nats-server with --jetstream$/);
    end();
  });

  test.each(['nats://', 'nats://host:99999', 'nats://user:secret@host/path'])(
    '%s is not a valid address',
    async (address) => {
      await expect(stored.open('orders', { address })).rejects.toThrow(/is not nats:\/\/\[user:password@\]/);
    },
  );
});

describe('the revision clock', () => {
  test('returns the revision that had been reached, and no higher one', () => {
    const clock = new RevisionClock(100);
    expect(clock.reachedBefore(100, 0)).toBe(0);
    for (let i = 0; i <= 1000; i += 1) clock.observe(i + 1, i);
    expect(clock.reachedBefore(100, 1000)).toBeLessThanOrEqual(901);
    expect(clock.reachedBefore(100, 1000)).toBeGreaterThan(890);
    expect(clock.highest).toBe(1001);
    clock.observe(1001, 1050); // nothing new
    expect(clock.reachedBefore(100, 1099)).toBeLessThan(1001);
    expect(clock.reachedBefore(100, 1100)).toBe(1001);
    clock.clear();
    expect(clock.reachedBefore(100, 2000)).toBe(0);
  });

  test('keeps marks for the longest time that was asked for', () => {
    const clock = new RevisionClock(100);
    for (let i = 0; i <= 1000; i += 1) clock.observe(i + 1, i);
    expect(clock.reachedBefore(500, 1000)).toBe(0); // not kept
    for (let i = 1001; i <= 2000; i += 1) clock.observe(i + 1, i);
    expect(clock.reachedBefore(500, 2000)).toBeGreaterThan(1490);
    expect(clock.reachedBefore(500, 2000)).toBeLessThanOrEqual(1501);
    expect(clock.reachedBefore(100, 2000)).toBeGreaterThan(1890);
  });
});
