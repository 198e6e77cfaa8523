import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';
import { Cluster, Redis } from 'ioredis';
import { createClient, createCluster, createSentinel } from 'redis';
import { afterEach, describe, expect, test } from 'vitest';
import { start } from '../../bench/servers.ts';
import { ioredis } from '../../src/cluster/engines/clients/ioredis-client.ts';
import { redis } from '../../src/cluster/engines/clients/redis-client.ts';
import { openRedis } from '../../src/cluster/engines/remote/redis.ts';
import { type ConnectionOptions, join as joinGroup } from '../../src/cluster/index.ts';
import { algorithm, conformsToEngine, pause, peerNamed, soon } from '../conformance/engine.ts';
import { keepsGroupKey } from '../conformance/group-key.ts';
import { reconnects } from '../conformance/reconnection.ts';
import {
  closeAll,
  leaseMs,
  open,
  passesStoreConformance,
  refusal,
  survivesTroubles,
} from '../conformance/store.ts';
import { carriesGroups } from '../conformance/stored-group.ts';
import { withServer } from './database-server.ts';
import { lacksKeys, skipper } from './other-runtimes.ts';

const skipFor = skipper();

const secret = 'correct horse battery staple';

withServer('redis', (server) => {
  const [a, b] = [peerNamed('a'), peerNamed('b')];

  async function run(command: string | string[], address = server().url): Promise<unknown> {
    const client = createClient({ url: address, RESP: 2, socket: { reconnectStrategy: false } });
    client.on('error', () => {});
    await client.connect();
    try {
      return await client.sendCommand(typeof command === 'string' ? command.split(' ') : command);
    } finally {
      client.destroy();
    }
  }
  const wipe = async () => {
    await run('FLUSHALL');
  };
  const as = (user: string, password: string) => {
    const url = new URL(server().url);
    url.username = user;
    url.password = password;
    return url.href;
  };

  conformsToEngine('Redis as an engine', () => ({
    leaseMs,
    open: (group) => open(server().url, { group }),
    living: async (_, id) => peerNamed(id),
    end: async () => {
      await closeAll();
      await wipe();
    },
  }));

  carriesGroups('Redis', server, wipe);

  reconnects('Redis', server);

  keepsGroupKey('Redis', {
    open: (group) => open(server().url, { group }),
    wipe,
    end: async () => {
      await closeAll();
      await wipe();
    },
    replace: async (text) => {
      await run(['SET', 'baton:{orders}:key', text]);
    },
    options: () => ({ engine: server().url }),
  });

  const save = async () => {
    const key = 'baton:{orders}:view';
    const fields = (await run(`HGETALL ${key}`)) as string[];
    return async () => {
      await run(['HSET', key, ...fields]);
    };
  };
  survivesTroubles('Redis as an engine', server, {
    openStore: (options) => openRedis(server().url, options),
    wipe,
    save,
  });

  /** Clients that are not connected, with settings that would change answers and keys. */
  const clients = {
    redis: (address: string) =>
      redis(createClient({ url: address, RESP: 3, clientSideCache: { ttl: 0, maxEntries: 9 } })),
    ioredis: (address: string) =>
      ioredis(
        new Redis(address, {
          lazyConnect: true,
          keyPrefix: 'mine:',
          stringNumbers: true,
          enableAutoPipelining: true,
        }),
      ),
  };
  describe.each(Object.entries(clients))(
    "by the application's own client of the package %s",
    (_, engineAt) => {
      passesStoreConformance('Redis', { open: (options) => engineAt(server().url)(options), wipe });

      test('a group meets the members that use a URL, and leaves no connection', async () => {
        skipFor(lacksKeys);
        const [one, other] = [
          await joinGroup('orders', { engine: engineAt(server().url) }),
          await joinGroup('orders', { engine: server().url }),
        ];
        const lock = await one.lock('a');
        const waiting = other.lock('a');
        const first = lock.fence;
        await lock.release();
        expect((await waiting).fence).toBeGreaterThan(first);
        await Promise.all([one.leave(), other.leave()]);
        await soon(async () => ((await run('CLIENT LIST')) as string).trim().split('\n').length).toBe(1);
        await wipe();
      });

      test('a wrong password is reported in one sentence, without it', async () => {
        await run('ACL SETUSER careful on >right ~* &* +@all');
        const message = await refusal(engineAt(as('careful', 'geheim')));
        expect(message).toMatch(/^Redis at 127\.0\.0\.1:\d+ refuses us: WRONGPASS/);
        expect(message).not.toContain('geheim');
        await run('ACL DELUSER careful');
      });
    },
  );

  // The client of the package redis is the one of a URL, which was tried above.
  survivesTroubles("Redis by the application's own client of the package ioredis", server, {
    engineAt: clients.ioredis,
    openStore: (options) => clients.ioredis(server().url)(options),
    wipe,
    save,
  });

  test('clients that are not for one server are refused in a sentence', async () => {
    const nodes = [{ host: '127.0.0.1', port: 1 }];
    const ofRedis = [
      createCluster({ rootNodes: [{ url: 'redis://127.0.0.1:1' }] }),
      createSentinel({ name: 'm', sentinelRootNodes: nodes }),
      'redis://host',
      null,
    ];
    for (const client of ofRedis)
      expect(() => redis(client as never)).toThrow(
        'the client of the engine must be what createClient() of the package redis returns; clients of a cluster, of Sentinel and of a pool are not supported',
      );
    for (const client of [new Cluster(nodes, { lazyConnect: true }), createClient(), undefined])
      expect(() => ioredis(client as never)).toThrow(
        'the client of the engine must be an instance of Redis of the package ioredis; a Cluster is not supported',
      );
  });

  describe('Redis as an engine', () => {
    afterEach(async () => {
      await closeAll();
      await wipe();
    });

    test('uses one connection, and one more to watch; opens them again when the server ends them', async () => {
      const connections = async () => ((await run('CLIENT LIST')) as string).trim().split('\n').length - 1;
      await soon(connections).toBe(0);
      const engine = await open(server().url);
      await Promise.all(Array.from({ length: 20 }, () => engine.read()));
      expect(await connections()).toBe(1);
      const seen: number[] = [];
      engine.watch((view) => view !== null && seen.push(view.epoch));
      await soon(connections).toBe(2);
      let view = await engine.change(null, algorithm, [a]);
      for (let round = 0; round < 3; round += 1) {
        await soon(() => seen.at(-1)).toBe(view.epoch);
        await run('CLIENT KILL TYPE normal');
        await run('CLIENT KILL TYPE pubsub');
        await soon(async () => (await engine.read().catch(() => null))?.epoch).toBe(view.epoch);
        view = await engine.change(view, algorithm, [b]);
      }
      await soon(() => seen.at(-1)).toBe(view.epoch);
      await engine.close();
      await soon(connections).toBe(0);
    });

    test('leaves only the view when all leases have expired', async () => {
      const engine = await open(server().url, { group: 'a}b{c' });
      await engine.renew('a');
      await engine.change(null, algorithm, [a]);
      expect(await run('KEYS *')).toHaveLength(2);
      await soon(() => run('KEYS *')).toEqual(['baton:{a%7Db%7Bc}:view']);
    });

    test('continues when the server forgets its scripts', async () => {
      const engine = await open(server().url);
      const view = await engine.change(null, algorithm, [a]);
      await run('SCRIPT FLUSH');
      expect(await engine.read()).toEqual(view);
      await run('SCRIPT FLUSH');
      expect(await engine.expired([a])).toEqual(['a']);
      await run('SCRIPT FLUSH');
      expect((await engine.change(view, algorithm, [b])).members).toEqual([b]);
    });

    test('needs only the documented permissions', async () => {
      const [, rights] = /needs `(.*?)`/.exec(readFileSync('docs/engines/redis.md', 'utf8'))!;
      await run(`ACL SETUSER own reset on >secret ${rights}`);
      const engine = await open(as('own', 'secret'));
      const seen: unknown[] = [];
      engine.watch((view) => seen.push(view));
      await engine.renew('a');
      const view = await engine.change(await engine.read(), algorithm, [a]);
      await soon(() => seen).toEqual([view]);
      expect(await engine.expired([a, b])).toEqual(['b']);
      await engine.forget('a');
      await engine.groupKey();
    });

    test('works for a user who may not publish or subscribe', async () => {
      await run('ACL SETUSER quiet on >secret ~baton:* resetchannels +@all');
      const engine = await open(as('quiet', 'secret'));
      engine.watch(() => {});
      const view = await engine.change(null, algorithm, [a]);
      expect(await engine.read()).toEqual(view);
    });

    test('the host defaults to localhost', async () => {
      const message = await open('redis:///9999').catch((error: Error) => error.message); // whether or not a server runs there
      expect(message).toMatch(/^Redis at localhost /);
    });

    test.each<[string, ConnectionOptions, ConnectionOptions, RegExp]>([
      ['another secret', { secret }, { secret: `${secret}!` }, /: it refuses our secret or certificate, or/],
      ['no secret', { secret }, {}, /secret or/],
      ['a secret where there is none', {}, { secret }, /secret or/],
    ])(
      'a user with %s is refused with the reason',
      { timeout: 30_000 },
      async (_, ours, theirs, sentence) => {
        skipFor(lacksKeys);
        const options = { engine: server().url, leaseMs };
        await using group = await joinGroup('guarded', { ...options, ...ours });
        await expect(joinGroup(group.name, { ...options, ...theirs })).rejects.toMatchObject({
          code: 'unavailable',
          message: expect.stringMatching(sentence),
        });
      },
    );

    test('leaves no connection if it is closed while it connects to a server that hangs', async () => {
      const sockets = new Set<Socket>();
      let isHung = false;
      const hangingProxy = createServer((socket) => {
        sockets.add(socket.on('error', () => {}).on('close', () => sockets.delete(socket)));
        if (isHung) socket.resume();
        else socket.pipe(connect(Number(new URL(server().url).port), '127.0.0.1')).pipe(socket);
      });
      await once(hangingProxy.listen(0, '127.0.0.1'), 'listening');
      const engine = await open(`redis://127.0.0.1:${(hangingProxy.address() as AddressInfo).port}`);
      isHung = true;
      const hung = once(hangingProxy, 'connection');
      engine.watch(() => {});
      await engine.close();
      await Promise.race([hung, pause(500)]);
      await soon(() => sockets.size).toBe(0);
      hangingProxy.close();
    });

    describe('refuses', () => {
      const settings: [string, string, RegExp][] = [
        ['appendfsync', 'everysec', /: appendfsync is everysec, not always\. /],
        ['no-appendfsync-on-rewrite', 'yes', /: no-appendfsync-on-rewrite is yes, not no\. /],
        [
          'maxmemory-policy',
          'allkeys-lru',
          /: maxmemory-policy is allkeys-lru, which may remove our keys\. /,
        ],
        ['maxmemory-policy', 'volatile-ttl', /: maxmemory-policy is volatile-ttl, which/],
        ['appendonly', 'no', /: appendonly is not yes\. /],
      ];
      test.each(settings)('%s %s, unless unsafe is set', async (name, value, expected) => {
        const [, before] = (await run(`CONFIG GET ${name}`)) as string[];
        await run('CONFIG SET maxmemory 100mb');
        await run(`CONFIG SET ${name} ${value}`);
        try {
          const message = await refusal(server().url);
          expect(message).toMatch(/^Redis at 127\.0\.0\.1:\d+ may forget what it has acknowledged: /);
          expect(message).toMatch(expected);
          expect(message).toMatch(/or join with \{ unsafe: true \}$/);
          const engine = await open(server().url, { unsafe: true });
          expect((await engine.change(null, algorithm, [a])).members).toEqual([a]);
        } finally {
          await run(`CONFIG SET ${name} ${before}`);
          await run('CONFIG SET maxmemory 0');
        }
      });

      test('a server that was configured to lose writes, at the next connection', async () => {
        const engine = await open(server().url);
        await engine.read();
        await run('CONFIG SET appendfsync everysec');
        try {
          await run('CLIENT KILL TYPE normal');
          await soon(() => engine.read().catch(({ message }) => message)).toMatch(/appendfsync is everysec/);
        } finally {
          await run('CONFIG SET appendfsync always');
        }
        await soon(() => engine.read().catch(({ message }) => message)).toBe(null);
      });

      test('a server whose configuration cannot be read, because CONFIG is forbidden', async () => {
        await run('ACL SETUSER poor on >secret ~* &* +@all -config');
        expect(await refusal(as('poor', 'secret'))).toMatch(
          /: whether appendfsync is always cannot be seen, as CONFIG is forbidden, whether no-append.*\. Configure/,
        );
        await open(as('poor', 'secret'), { unsafe: true });
      });

      test('a replica, also one that became a replica later', async () => {
        const other = (await start('redis', { durable: true }))!;
        try {
          const engine = await open(other.url);
          await engine.renew('a');
          await run(`REPLICAOF 127.0.0.1 ${new URL(server().url).port}`, other.url);
          const sentence =
            /^Redis at 127\.0\.0\.1:\d+ is a replica, which may not be written: give the address of its master$/;
          expect(await refusal(other.url, { unsafe: true })).toMatch(sentence);
          await expect(engine.read()).rejects.toThrow(sentence);
          await expect(engine.expired([a])).rejects.toThrow(sentence);
          await expect(engine.renew('a')).rejects.toThrow(sentence);
        } finally {
          await closeAll();
          await other.stop();
        }
      });

      test('a wrong password and an unknown database, in one sentence without the password', async () => {
        await run('ACL SETUSER guarded on >right ~* &* +@all');
        const message = await refusal(as('guarded', 'geheim'));
        expect(message).toMatch(/^Redis at 127\.0\.0\.1:\d+ refuses us: WRONGPASS/);
        expect(message).not.toContain('geheim');
        expect(await refusal(`${as('guarded', 'right')}/99`)).toMatch(/refuses us: ERR DB index/);
      });
    });
  });
});
