import { mkdtempSync, rmSync } from 'node:fs';
import { createServer, type RequestListener, type Server } from 'node:http';
import { type AddressInfo, connect, createServer as createTcpServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createServer as createTlsServer } from 'node:tls';
import { afterEach, describe, expect, test } from 'vitest';
import { type EtcdOptions, etcd } from '../../src/cluster/engines/clients/etcd-settings.ts';
import { InputError } from '../../src/core/assert.ts';
import type { View } from '../../src/member/index.ts';
import { algorithm, conformsToEngine, pause, peerNamed, soon } from '../conformance/engine.ts';
import { keepsGroupKey } from '../conformance/group-key.ts';
import { reconnects } from '../conformance/reconnection.ts';
import { passesStoreConformance } from '../conformance/store.ts';
import { certificatesFor } from './certificates.ts';
import { withServer } from './database-server.ts';
import { isWatchedAgain, rejectsPromptly, StoreEngines } from './store-engines.ts';

const leaseMs = 2000; // the minimum of etcd
const [a, b] = [peerNamed('a'), peerNamed('b')];
const viewOf = (epoch: number) => JSON.stringify({ format: 2, boot: '', epoch, algorithm, members: [a] });
const base64 = (text: string) => Buffer.from(text).toString('base64');

withServer('etcd', (server) => {
  const hosts = () => new URL(server().url).host;
  const stored = new StoreEngines(() => ({ address: `etcd://${hosts()}`, leaseMs, unsafe: false }));
  const ask = async (path: string, question: object, token?: string) => {
    const headers = token === undefined ? {} : { authorization: token };
    const answer = await fetch(server().url + path, {
      method: 'POST',
      body: JSON.stringify(question),
      headers,
    });
    const text = await answer.text();
    if (!answer.ok) throw new Error(text);
    return JSON.parse(text);
  };
  const put = (key: string, value: string) => ask('/v3/kv/put', { key: base64(key), value: base64(value) });
  const wipe = () => ask('/v3/kv/deleterange', { key: base64('\0'), range_end: base64('\0') });

  conformsToEngine('etcd', () => ({ ...stored.surroundings(wipe), leaseMs }));

  passesStoreConformance('etcd by options', {
    open: (options) => etcd({ hosts: server().url })(options),
    leaseMs,
    wipe: async () => {
      await wipe();
    },
  });

  reconnects('etcd', server);

  keepsGroupKey('etcd', {
    open: (group) => stored.open(group),
    wipe,
    end: async () => {
      await stored.close();
      await wipe();
    },
    replace: (text) => put('baton/orders/key', text),
    options: () => ({ engine: `etcd://${hosts()}` }),
  });

  test('etcd by options with certificates: both sides authenticate each other', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'baton-etcd-'));
    const { ca, key, cert } = certificatesFor('127.0.0.1', folder);
    const secured = createTlsServer({ ca, key, cert, requestCert: true }, (socket) => {
      const { hostname: host, port } = new URL(server().url);
      const plain = connect({ host, port: Number(port) });
      socket.pipe(plain).pipe(socket);
      for (const end of [socket, plain]) end.on('error', () => {});
    });
    await new Promise<void>((resolve) => secured.listen(0, '127.0.0.1', resolve));
    const hosts = `https://127.0.0.1:${(secured.address() as AddressInfo).port}`;
    const openWith = (tls: EtcdOptions['tls']) => stored.open('orders', { address: etcd({ hosts, tls }) });
    try {
      const engine = await openWith({ ca, key, cert });
      const seen: View[] = [];
      engine.watch((view) => view !== null && seen.push(view));
      await isWatchedAgain(engine, seen);
      await expect(openWith({ ca })).rejects.toThrow(
        /etcd cannot be reached at 127\.0\.0\.1:\d+: .*certificate/i,
      );
      await expect(openWith({ key, cert })).rejects.toThrow(/: .*certificate|: .*SELF_SIGNED|: .*LEAF/i);
    } finally {
      await stored.close();
      await wipe();
      secured.close();
      rmSync(folder, { recursive: true });
    }
  });

  test.each([
    [{ hosts: [] }, /at least one host/],
    [{ hosts: ['http://a', 'https://b'] }, /https:\/\/ for all hosts or for none/],
    [{ hosts: 'etcd://a' }, /written like https:\/\/etcd-1\.example:2379, without user, password and path/],
    [{ hosts: 'https://user:geheim@a' }, /without user, password and path$/],
    [{ hosts: 'https://a', password: 'x', usr: 'y' }, /no option 'usr': did you mean user/],
    [{ hosts: 'https://a', tls: { crt: '' } }, /no option 'crt': did you mean cert/],
    [undefined, /options are an object/],
  ])('etcd with the options %o is refused in a sentence', (options, sentence) => {
    expect(() => etcd(options as never)).toThrow(sentence);
  });

  describe('etcd', () => {
    afterEach(async () => {
      await stored.close();
      await wipe();
    });

    test('stores its keys under the documented names', async () => {
      const engine = await stored.open('Über stunden/');
      await engine.change(null, algorithm, [a]);
      await engine.renew('x');
      await engine.groupKey();
      const { kvs } = await ask('/v3/kv/range', {
        key: base64('b'),
        range_end: base64('c'),
        keys_only: true,
      });
      expect(kvs.map(({ key }: { key: string }) => Buffer.from(key, 'base64').toString())).toEqual([
        'baton/%C3%9Cber%20stunden%2F/key',
        'baton/%C3%9Cber%20stunden%2F/leases/x',
        'baton/%C3%9Cber%20stunden%2F/view',
      ]);
    });

    test('after a kill and a restart it is as before', async () => {
      const [engine, watcher] = [await stored.open(), await stored.open()];
      const seen: View[] = [];
      watcher.watch((view) => view !== null && seen.push(view));
      const view = await engine.change(null, algorithm, [a]);
      await engine.renew('a');
      await soon(() => seen.at(-1)).toEqual(view);
      await server().kill();
      await rejectsPromptly(engine, /^etcd cannot be reached at 127\.0\.0\.1:\d+: E?\w/, leaseMs / 2);
      await expect(stored.open()).rejects.toThrow(/cannot be reached/);
      await server().again();
      await soon(() => engine.read().catch(() => null)).toEqual(view);
      await engine.renew('a');
      expect(await watcher.expired([a, b])).toEqual(['b']);
      await isWatchedAgain(engine, seen);
    });

    test('wiped: there is no view and no lease, and epochs increase', async () => {
      const engine = await stored.open();
      const view = await engine.change(null, algorithm, [a]);
      await engine.renew('a');
      await server().kill();
      rmSync(join(server().folder, 'member'), { recursive: true });
      await server().again();
      await soon(() => engine.read().catch(() => 'away')).toBe(null);
      const stranger = await stored.open();
      expect(await stranger.expired([a])).toEqual(['a']);
      await engine.renew('a');
      expect(await stranger.expired([a])).toEqual([]);
      expect((await stranger.change(null, algorithm, [b])).epoch).toBeGreaterThan(view.epoch);
    });

    test('restored to an older state: the next view has a higher epoch than any before', async () => {
      const engine = await stored.open();
      await engine.change(null, algorithm, [a]);
      let view = await engine.change(await engine.read(), algorithm, [b]);
      await put('baton/orders/view', viewOf(view.epoch - 1));
      view = await engine.change(await engine.read(), algorithm, [a, b]);
      await pause(1000); // a restored view is older by at least a second, which is how etcd tells the time
      await put('baton/orders/view', viewOf(17));
      const stranger = await stored.open();
      const old = await stranger.read();
      expect(old?.epoch).toBe(17);
      expect((await stranger.change(old, algorithm, [b])).epoch).toBeGreaterThan(view.epoch);
    });

    test('wiped: another view with the revision of the lost one is not replaced', async () => {
      const revision = async () => (await put('other', '')).header.revision as string;
      const engine = await stored.open();
      const view = await engine.change(null, algorithm, [a]);
      expect(await engine.read()).toEqual(view);
      const reached = Number(await revision()) - 1;
      await server().kill();
      rmSync(join(server().folder, 'member'), { recursive: true });
      await server().again();
      while (Number(await revision()) < reached - 1);
      await put('baton/orders/view', viewOf(view.epoch + 1));
      expect((await engine.change(view, algorithm, [b])).epoch).toBe(view.epoch + 1);
      expect((await engine.read())?.epoch).toBe(view.epoch + 1);
    });

    test('another value instead of a view is ignored with a warning', async () => {
      const engine = await stored.open();
      await put('baton/orders/view', '{"format":2,');
      expect(await engine.read()).toBe(null);
      expect(await engine.read()).toBe(null);
      expect(stored.warnings).toEqual([expect.stringMatching(/^what is stored for group 'orders'/)]);
      expect((await engine.change(null, algorithm, [a])).members).toEqual([a]);
    });

    test('concurrent renewals share one lease in the end', async () => {
      const engine = await stored.open();
      await Promise.all(Array.from({ length: 5 }, () => engine.renew('a')));
      await put('baton/orders/other', '');
      for (let i = 0; i < 8; i += 1) {
        await pause(leaseMs / 4);
        await engine.renew('a');
      }
      expect(await engine.expired([a])).toEqual([]);
    });

    describe('with several hosts', () => {
      test('works while one of them is available', async () => {
        const engine = await stored.open('orders', { address: `etcd://127.0.0.1:1,${hosts()}` });
        const seen: View[] = [];
        engine.watch((view) => view !== null && seen.push(view));
        const view = await engine.change(null, algorithm, [a]);
        expect(await engine.read()).toEqual(view);
        await soon(() => seen.at(-1)).toEqual(view);
      });

      test('works if another one accepts connections but does not answer', async () => {
        const silent = createTcpServer(() => {}).listen(0, '127.0.0.1');
        await new Promise((resolve) => silent.once('listening', resolve));
        const { port } = silent.address() as AddressInfo;
        const engine = await stored.open('orders', { address: `etcd://127.0.0.1:${port},${hosts()}` });
        expect((await engine.change(null, algorithm, [a])).members).toEqual([a]);
        await engine.close();
        silent.close();
      });
    });

    describe('with authentication', () => {
      const address = (user: string) => `etcd://${user}@${hosts()}`;
      const tokenOf = async (name: string, password: string) =>
        (await ask('/v3/auth/authenticate', { name, password })).token;

      const withAuthentication = async (work: () => Promise<void>) => {
        for (const name of ['root', 'baton', 'guest']) {
          await ask('/v3/auth/user/add', { name, password: 'p@ss,w:rd' });
          await ask('/v3/auth/role/add', { name });
          await ask('/v3/auth/user/grant', { user: name, role: name });
        }
        const perm = { permType: 'READWRITE', key: base64('baton/'), range_end: base64('baton0') };
        await ask('/v3/auth/role/grant', { name: 'baton', perm });
        await ask('/v3/auth/enable', {});
        try {
          await work();
        } finally {
          await ask('/v3/auth/disable', {}, await tokenOf('root', 'p@ss,w:rd'));
          for (const name of ['root', 'baton', 'guest']) {
            await ask('/v3/auth/user/delete', { name });
            await ask('/v3/auth/role/delete', { role: name });
          }
        }
      };

      test('accepts the right password, and reports what is wrong with others', async () => {
        const early = await stored.open('orders', { address: address('baton:p%40ss%2Cw%3Ard') });
        await withAuthentication(async () => {
          const engine = await stored.open('orders', { address: address('baton:p%40ss%2Cw%3Ard') });
          const seen: View[] = [];
          engine.watch((view) => view !== null && seen.push(view));
          let view = await engine.change(null, algorithm, [a]);
          await soon(() => seen.at(-1)).toEqual(view);
          await engine.renew('a');
          await engine.renew('a');
          expect(await engine.expired([a, b])).toEqual(['b']);
          expect(await early.read()).toEqual(view); // opened without a token, before authentication was enabled
          await engine.forget('a');
          await engine.groupKey();
          await server().kill(); // a restart invalidates its tokens
          await server().again();
          await soon(() => engine.read().catch(() => null)).toEqual(view);
          view = await engine.change(view, algorithm, [b]);
          await soon(() => seen.at(-1)).toEqual(view);
          const refused: [string, RegExp][] = [
            [address('baton:secret'), /refuses user 'baton' with this password$/],
            [address('nobody:secret'), /refuses user 'nobody' with this password$/],
            [address('guest:p%40ss%2Cw%3Ard'), /does not let user 'guest' read and write keys under baton/],
            [`etcd://${hosts()}`, /wants a user: write etcd:\/\/user:password@host$/],
          ];
          for (const [wrong, sentence] of refused) {
            const opening = stored.open('orders', { address: wrong });
            await expect(opening).rejects.toThrow(InputError);
            await expect(opening).rejects.toThrow(sentence);
            await expect(opening).rejects.not.toThrow(/secret|p@ss/);
          }
        });
      });
    });
  });
});

describe('another server than etcd', () => {
  const stored = new StoreEngines(() => ({ address: '', leaseMs, unsafe: false }));
  let stranger: Server | null = null;
  afterEach(async () => {
    await stored.close();
    stranger?.closeAllConnections();
    stranger?.close();
  });

  const answers: [string, RequestListener, RegExp][] = [
    [
      '404',
      (_, response) => response.writeHead(404).end('nothing here'),
      /is not etcd 3\.4 or newer \(HTTP 404/,
    ],
    ['400', (_, response) => response.writeHead(400).end('TLS!'), /HTTP 400.*write etcds:\/\//],
    ['other JSON', (_, response) => response.end('{"hello":[1]}'), /is not etcd/],
    ['null', (_, response) => response.end('null'), /is not etcd/],
    ['nothing', (_, response) => response.end(), /is not etcd/],
    [
      'half an answer',
      (request) => request.socket.end('HTTP/1.1 200 OK\r\ncontent-length: 9\r\n\r\n{'),
      /reached/,
    ],
    ['503', (_, response) => response.writeHead(503).end('busy'), /cannot be reached at .*: HTTP 503$/],
    ['silence', () => {}, /cannot be reached at .*: no answer for \d+ ms$/],
    [
      'a full disk',
      (_, response) =>
        response.writeHead(429).end('{"code":8,"message":"etcdserver: mvcc: database space exceeded"}'),
      /is full and takes no writes: see etcdctl alarm list$/,
    ],
    [
      'an error inside a stream',
      (_, response) => response.end('{"error":{"grpc_code":13,"message":"etcdserver: odd"}}\n'),
      /says: odd$/,
    ],
  ];
  test.each(answers)('%s is reported in a sentence', async (_, listener, sentence) => {
    stranger = createServer(listener).listen(0, '127.0.0.1');
    await new Promise((resolve) => stranger!.once('listening', resolve));
    const { port } = stranger.address() as AddressInfo;
    const opening = stored.open('orders', { address: `etcd://u:secret@127.0.0.1:${port}` });
    await expect(opening).rejects.toThrow(sentence);
    await expect(opening).rejects.not.toThrow(/secret/);
  });

  test('etcds:// uses TLS', async () => {
    stranger = createServer(() => {}).listen(0, '127.0.0.1');
    await new Promise((resolve) => stranger!.once('listening', resolve));
    const { port } = stranger.address() as AddressInfo;
    await expect(stored.open('orders', { address: `etcds://127.0.0.1:${port}` })).rejects.toThrow(/reached/);
  });

  test.each([
    'etcd://',
    'etcd://host:99999',
    'etcd://host:0',
    'etcd://a,,b',
    'etcd://user:secret@',
    'etcd://user:%zz@host',
    'etcd://user:secret@host/path',
  ])('%s is not a valid address', async (address) => {
    const opening = stored.open('orders', { address });
    await expect(opening).rejects.toThrow(InputError);
    await expect(opening).rejects.toThrow(/is not etcd:\/\/\[user:password@\]host:2379/);
    await expect(opening).rejects.not.toThrow(/secret/);
  });
});
