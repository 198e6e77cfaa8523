// Addresses and authentication over TCP.
import { mkdtempSync, rmSync } from 'node:fs';
import { connect, createServer, type Server, type Socket } from 'node:net';
import { networkInterfaces, tmpdir } from 'node:os';
import { join } from 'node:path';
import { connect as connectTls, createServer as createTlsServer } from 'node:tls';
import { afterAll, afterEach, describe, expect, test, vi } from 'vitest';
import { otherRuntime } from '../../src/cluster/runtime.ts';
import type { Certificates } from '../../src/cluster/transport/certificates.ts';
import { frameLimit } from '../../src/cluster/transport/encoding/framing.ts';
import { securityOf } from '../../src/cluster/transport/security.ts';
import { parseSocketAddress } from '../../src/cluster/transport/socket-address.ts';
import { listenTcp, type TcpOptions } from '../../src/cluster/transport/tcp.ts';
import { bytesOf, group, groupKey, hello, numbered, Subject, soon } from '../conformance/transport.ts';
import { certificatesIn } from './certificates.ts';
import { CuttingProxy } from './cutting-proxy.ts';
import { lacksKeys, skipper } from './other-runtimes.ts';

const folder = mkdtempSync(join(tmpdir(), 'baton-strangers-'));
const [tls, foreign] = [certificatesIn(folder), certificatesIn(folder)];
const secret = 'correct horse battery staple';
const unreachableAfterMs = 1000;
const patient = { unreachableAfterMs: 60_000 };
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const skipFor = skipper();
const hosts = otherRuntime === 'Deno' ? ['127.0.0.1', null] : ['127.0.0.1']; // Deno may have forgotten the address of a refused peer
let ends: (() => unknown)[] = [];
afterEach(async () => {
  await Promise.all(ends.map((end) => end()));
  ends = [];
});

async function subject(id: string, options: Partial<TcpOptions> = {}, of = group): Promise<Subject> {
  const made = new Subject(id);
  const isRefused = options.secret !== undefined && options.secret !== secret;
  if (options.tls === undefined && !isRefused) skipFor(lacksKeys);
  made.transport = await listenTcp(
    { groupKey, unreachableAfterMs, ...options },
    { id, group: of, listener: made },
  );
  ends.push(() => made.transport.close());
  return made;
}

describe('an address', () => {
  test.each([
    ['127.0.0.1:0', /^127\.0\.0\.1:\d+\/[0-9a-f]{8}$/],
    ['localhost:0', /^localhost:\d+\/[0-9a-f]{8}$/],
    ['[::1]:0', /^\[::1\]:\d+\/[0-9a-f]{8}$/],
    [undefined, /^127\.0\.0\.1:\d+\/[0-9a-f]{8}$/],
  ])('%s is listened on, and reached', async (listen, seen) => {
    const a = await subject('a', { listen });
    const b = await subject('b', patient);
    expect(a.transport.address).toMatch(seen);
    b.send(a.peer, numbered(1));
    await soon(() => a.frames).toEqual([numbered(1)]);
  });

  const hasOutward = Object.values(networkInterfaces())
    .flat()
    .some((one) => one !== undefined && !one.internal);
  test.skipIf(!hasOutward)('of all interfaces is advertised as one of them', async () => {
    const a = await subject('a', { listen: ':0', secret });
    const { host } = parseSocketAddress(a.transport.address)!;
    const own = Object.values(networkInterfaces()).flatMap((all) => all ?? []);
    expect(own.find(({ address }) => address === host)).toMatchObject({ internal: false });
  });

  test.each(['7400', 'host', '::1:7400', 'host:', 'host:65536', 'host:-1', '[host]:1', 'a:b:1', ''])(
    "that is none is refused with one that is: '%s'",
    async (listen) => {
      await expect(subject('a', { listen, secret })).rejects.toMatchObject({
        code: 'input',
        message: `listen must be 'host:port', ':port' or '[host]:port', for example ':7400', not '${listen}'`,
      });
    },
  );

  test('that is in use, or of another machine, is refused', async () => {
    const { address } = (await subject('a')).transport;
    await expect(subject('b', { listen: address })).rejects.toThrow(
      `cannot listen on ${address}: another process listens there`,
    );
    await expect(subject('b', { listen: '192.0.2.1:0', secret })).rejects.toThrow(/no such address/);
    await expect(subject('b', { listen: 'no.such.host.invalid:0', secret })).rejects.toThrow(
      /no address is known/,
    );
  });

  test.each([':0', '0.0.0.0:0', '[::]:0', '192.0.2.1:0'])(
    'that others could reach needs certificates or a secret: %s',
    async (listen) => {
      await expect(subject('a', { listen })).rejects.toThrow(
        `other machines could reach ${listen}: give tls or secret, or listen on 127.0.0.1`,
      );
    },
  );
});

test.each<[string, Partial<TcpOptions>, RegExp]>([
  ['a short secret', { secret: 'fifteen letters' }, /at least 16 characters/],
  ['a secret that is none', { secret: 42 as never }, /at least 16 characters/],
  ['a list with a short secret', { secret: [secret, 'fifteen letters'] }, /at least 16 characters/],
  ['a list without a secret', { secret: [] }, /at least one secret/],
  ['both', { secret, tls }, /not both/],
  ['a function that returns no certificates', { tls: () => ({ ...tls, key: '' }) }, /key, cert and ca/],
  [
    'a function that fails',
    { tls: () => Promise.reject(new Error('no file')) },
    /tls cannot be used: no file/,
  ],
  ['nothing', { tls: null as never }, /key, cert and ca/],
  ['no authority', { tls: { ...tls, ca: '' } }, /key, cert and ca/],
  ['no certificate', { tls: { ...tls, cert: 'x' } }, /tls cannot be used: /],
  ['the key of another', { tls: { ...tls, key: foreign.key } }, /tls cannot be used: /],
])('%s is refused', async (_, options, message) => {
  await expect(subject('a', options)).rejects.toMatchObject({
    code: 'input',
    message: expect.stringMatching(message),
  });
});

describe('while a member runs', () => {
  const [old, next] = [secret, 'a fresh battery for every horse'];

  test('its secret is replaced: members with both accept connections with either', async () => {
    skipFor(lacksKeys);
    const both = await subject('a', { secret: [next, old] });
    const [before, after] = [
      await subject('b', { secret: old, ...patient }),
      await subject('c', { secret: next, ...patient }),
    ];
    before.send(both.peer, numbered(1));
    await soon(() => both.frames).toEqual([numbered(1)]);
    after.send(both.peer, numbered(2));
    await soon(() => both.frames).toEqual([numbered(1), numbered(2)]);
    both.send(after.peer, numbered(3)); // with the first secret
    await soon(() => after.frames).toEqual([numbered(3)]);
    both.send(before.peer, numbered(4));
    await soon(() => before.refusals.includes('stranger')).toBe(true);
    expect(before.frames).toEqual([]);
  });

  test('its certificates are replaced, also by those of another authority; others stay in use if that fails', async () => {
    vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] });
    const warnings: string[] = [];
    const warned = ({ message }: Error) => warnings.push(message);
    process.on('warning', warned);
    try {
      let current: Certificates | null = tls;
      const reloading = await subject('a', {
        tls: () => current ?? Promise.reject(new Error('no file')),
        ...patient,
      });
      const renewed = certificatesIn(folder, 'orders-2');
      const [own, other] = [
        await subject('b', { tls }),
        await subject('c', { tls: { ...renewed, ca: tls.ca + renewed.ca } }),
      ];
      own.send(reloading.peer, numbered(1));
      await soon(() => reloading.frames).toEqual([numbered(1)]);
      current = null;
      vi.advanceTimersByTime(60_000);
      await soon(() => warnings).toEqual([
        'tls cannot be used: no file: the certificates before stay in use',
      ]);
      current = { ...tls, ca: tls.ca + renewed.ca };
      vi.advanceTimersByTime(60_000);
      await soon(async () => {
        other.send(reloading.peer, numbered(2));
        return reloading.frames.length > 1;
      }).toBe(true);
      current = renewed;
      vi.advanceTimersByTime(60_000);
      const last = await subject('d', { tls: renewed });
      await soon(async () => {
        reloading.send(last.peer, numbered(3));
        return last.frames.length > 0;
      }).toBe(true);
      own.send(reloading.peer, numbered(4)); // over the connection that it has
      await soon(() => reloading.frames.at(-1)).toEqual(numbered(4));
    } finally {
      process.off('warning', warned);
      vi.useRealTimers();
    }
  });
});

test.each(['x'.repeat(200), 'é'.repeat(128), '☃'.repeat(100), '☃'.repeat(200)])(
  'a group may have any name, with a secret: %s',
  async (name) => {
    const [a, b] = [await subject('a', { secret }, name), await subject('b', { secret, ...patient }, name)];
    b.send(a.peer, numbered(1));
    await soon(() => a.frames).toEqual([numbered(1)]);
  },
);

describe('a peer', () => {
  const otherKey = async () => Buffer.alloc(32, 8);
  const secured: Record<string, Partial<TcpOptions>> = {
    'the key of the group': {},
    certificates: { tls },
    'a secret': { secret },
  };

  test.each<[string, Partial<TcpOptions>, Partial<TcpOptions>, group?: string]>([
    ['with a secret', { tls }, { secret }],
    ['of another authority', { tls }, { tls: foreign }],
    [
      'that trusts us, but has a certificate of another authority',
      { tls },
      { tls: { ...foreign, ca: tls.ca } },
    ],
    ['without secret', { secret }, { tls }],
    ['with another secret', { secret }, { secret: `${secret}!` }],
    ['with our secret for another group', { secret }, { secret }, 'invoices'],
    ['with the key of the group, where there is a secret', { secret }, {}],
    ['with a secret, where there is the key of the group', {}, { secret }],
    ['with another key', {}, { groupKey: otherKey }],
    ['with the key of the group, where there are certificates', { tls }, {}],
  ])('%s is refused, counted and survived', async (_, ours, theirs, of = group) => {
    const [a, b] = [await subject('a', ours), await subject('b', { ...ours, ...patient })];
    const stranger = await subject('stranger', theirs, of);
    stranger.send(a.peer, numbered(7));
    const refusals = () => [...a.refusals, ...stranger.refusals]; // either side may notice first
    await soon(() => refusals().length).toBeGreaterThan(0);
    expect(['stranger', 'malformed', 'oversized']).toContain(refusals()[0]);
    expect(hosts).toEqual(expect.arrayContaining([...a.refusedAddresses]));
    expect([a.transport.address]).toEqual(expect.arrayContaining([...stranger.refusedAddresses]));
    await soon(() => stranger.closings).toEqual(['a is unreachable']);
    b.send(a.peer, numbered(1));
    await soon(() => a.frames).toEqual([numbered(1)]);
    a.send(stranger.peer, numbered(8));
    await soon(() => a.closings).toEqual(['stranger is unreachable']);
    expect(stranger.frames).toEqual([]);
  });

  test.each(Object.entries(secured))('that sends garbage where there are %s', async (_, options) => {
    const [a, b] = [await subject('a', options), await subject('b', { ...options, ...patient })];
    const place = parseSocketAddress(a.transport.address)!;
    const length = Buffer.alloc(4);
    length.writeUInt32BE(frameLimit + 1);
    for (const bytes of ['GET / HTTP/1.1\r\n\r\n', Buffer.alloc(1000, 0xff), length, 'x']) {
      const socket = connect(place).on('error', () => {});
      socket.end(bytes);
      await new Promise((resolve) => socket.resume().on('close', resolve));
    }
    await soon(() => a.refusals.length).toBeGreaterThanOrEqual(2);
    expect(new Set(a.refusals)).toEqual(new Set(['malformed']));
    expect(hosts).toEqual(expect.arrayContaining([...a.refusedAddresses]));
    b.send(a.peer, numbered(1));
    await soon(() => a.frames).toEqual([numbered(1)]);
  });

  test.each([{}, { key: foreign.key, cert: foreign.cert }])('that does not verify us', async (own) => {
    const a = await subject('a', { tls });
    const place = parseSocketAddress(a.transport.address)!;
    const socket = connectTls({ ...place, ...own, rejectUnauthorized: false });
    const closed = new Promise((resolve) =>
      socket
        .on('error', () => {})
        .resume()
        .on('close', resolve),
    );
    socket.write('hello');
    await closed;
    expect(a.refusals).toEqual(['stranger']);
  });

  test('with an older TLS is refused', async () => {
    const a = await subject('a', { tls });
    const place = parseSocketAddress(a.transport.address)!;
    const socket = connectTls({
      ...place,
      ...tls,
      maxVersion: 'TLSv1.2',
      checkServerIdentity: () => undefined,
    });
    const code = await new Promise((resolve) =>
      socket.on('error', (error: NodeJS.ErrnoException) => resolve(error.code)),
    );
    expect(code).toMatch(/PROTOCOL_VERSION/);
    await soon(() => a.refusals).toEqual(['stranger']);
  });

  test('that only has a certificate receives nothing where a secret is expected', async () => {
    const heard: Buffer[] = [];
    const server = createTlsServer({ key: tls.key, cert: tls.cert }, (socket) => {
      socket.on('data', (chunk) => heard.push(chunk)).on('error', () => {});
    });
    const address = await listening(server.on('tlsClientError', () => {}));
    const a = await subject('a', { secret });
    a.send({ id: 'b', address, label: '', priority: 0 }, numbered(1));
    await soon(() => a.closings).toEqual(['b is unreachable']);
    expect(heard).toEqual([]);
    expect(new Set(a.refusals)).toEqual(new Set(['stranger']));
  });

  test('that answers with garbage is refused', async () => {
    const server = createServer((socket) => socket.on('error', () => {}).end('HTTP/1.1 200 OK\r\n\r\n'));
    const address = await listening(server);
    const a = await subject('a');
    a.send({ id: 'b', address, label: '', priority: 0 }, numbered(1));
    await soon(() => a.closings).toEqual(['b is unreachable']);
    expect(a.refusals.length).toBeGreaterThan(0);
    expect(new Set(a.refusals)).toEqual(new Set(['stranger']));
  });

  test('learns nothing of the group by dialling, or by being dialled', async () => {
    const heard: Buffer[] = [];
    const name = 'the-name-of-the-group';
    const server = createServer((socket) =>
      socket.on('data', (chunk) => heard.push(chunk)).on('error', () => {}),
    );
    const address = await listening(server);
    for (const options of [{}, { secret }, { tls }]) {
      const a = await subject('the-id-of-a', options, name);
      a.send({ id: 'the-id-of-b', address, label: '', priority: 0 }, numbered(1));
      await soon(() => a.closings).toEqual(['the-id-of-b is unreachable']);
      const socket = connect(parseSocketAddress(a.transport.address)!).on('error', () => {});
      socket.on('data', (chunk) => heard.push(chunk));
      socket.write(bytesOf(hello('the-id-of-b', 'the-id-of-a', { group: name })));
      await new Promise((resolve) => socket.on('close', resolve));
    }
    expect(heard.length).toBeGreaterThan(3);
    expect(Buffer.concat(heard).toString('latin1')).not.toMatch(/the-name|the-id|baton/);
  });

  test('that knows the identity of the key, but not the key, is refused', async () => {
    const heard: Buffer[] = [];
    const server = createServer((socket) =>
      socket.on('data', (chunk) => heard.push(chunk)).on('error', () => {}),
    );
    const address = await listening(server);
    const a = await subject('a', patient);
    a.send({ id: 'b', address, label: '', priority: 0 }, numbered(1));
    await soon(() => heard.length).toBeGreaterThan(0);
    const identity = /[0-9a-f]{32}/.exec(Buffer.concat(heard).toString('latin1'))![0];
    const socket = connectTls({
      ...parseSocketAddress(a.transport.address)!,
      ...{ minVersion: 'TLSv1.3', ciphers: 'TLS_AES_128_GCM_SHA256', rejectUnauthorized: false },
      pskCallback: () => ({ psk: Buffer.alloc(32, 8), identity }),
    });
    let isSecured = false;
    socket.on('secureConnect', () => {
      isSecured = true;
    });
    await new Promise((resolve) => socket.on('error', resolve));
    await soon(() => a.refusals).toEqual(['stranger']);
    expect(isSecured).toBe(false);
  });

  test('that sends byte after byte is disconnected in time', async () => {
    const a = await subject('a', { unreachableAfterMs: 500 });
    const place = parseSocketAddress(a.transport.address)!;
    const hidden = Buffer.from([0x16, 3, 1, 2, 0, 1, 0, 1, 0xfc, 3, 3, ...Buffer.alloc(500)]); // the beginning of a handshake
    const { dial } = await securityOf(group, { groupKey });
    const began = performance.now();
    const drip = async (socket: Socket, bytes: Buffer) => {
      const isClosed = new Promise((resolve) =>
        socket
          .resume()
          .on('error', () => {})
          .on('close', resolve),
      );
      let sent = 0;
      const timer = setInterval(() => {
        socket.write(bytes.subarray(sent, sent + 1));
        sent += 1;
      }, 20);
      await isClosed;
      clearInterval(timer);
      expect(sent).toBeLessThan(bytes.length);
    };
    const slow = bytesOf([...hello('x', 'a'), 'x'.repeat(5000)]);
    await Promise.all([drip(connect(place), hidden), drip(dial(place), slow)]);
    expect(performance.now() - began).toBeGreaterThan(400);
    expect(a.frames).toEqual([]);
  });

  describe.each<[string, Partial<TcpOptions>]>(Object.entries(secured))(
    'that connects and sends nothing, where there is %s,',
    (_, options) => {
      const callers = (to: Subject, count: number) =>
        Array.from({ length: count }, () =>
          connect(parseSocketAddress(to.transport.address)!)
            .on('error', () => {})
            .resume(),
        );
      const closed = (sockets: readonly Socket[]) => sockets.filter((socket) => socket.closed).length;

      test('is disconnected', async () => {
        const sockets = callers(await subject('a', { ...options, unreachableAfterMs: 300 }), 20);
        await soon(() => closed(sockets)).toBe(20);
      });

      test('is disconnected when there are too many, and keeps no member out', async () => {
        const a = await subject('a', { ...options, ...patient });
        const sockets = callers(a, 300);
        await soon(() => closed(sockets)).toBe(300 - 256);
        expect(a.refusals).toEqual(Array(300 - 256).fill('stranger'));
        const b = await subject('b', { ...options, ...patient });
        b.send(a.peer, numbered(1));
        await soon(() => a.frames).toEqual([numbered(1)]);
        expect(closed(sockets)).toBe(300 - 256 + 1);
        for (const socket of sockets) socket.destroy();
      });
    },
  );
});

describe('a member whose address leads elsewhere does not reach itself:', () => {
  const reason = async (advertise: string, timeoutMs = 5000) =>
    (await subject('a', { advertise })).transport.reachItself(timeoutMs);

  test('to a port where nobody listens', async () => {
    const server = createServer();
    const address = await listening(server);
    await new Promise((resolve) => server.close(resolve));
    expect(await reason(address)).toBe('nobody listens there');
  });

  test('to another program', async () => {
    const talking = createServer((socket) => socket.on('error', () => {}).end('HTTP/1.1 200 OK\r\n\r\n'));
    expect(await reason(await listening(talking))).toBe('something else listens there');
    const silent = createServer((socket) => socket.on('error', () => {}).resume());
    expect(await reason(await listening(silent), 300)).toBe('no answer for 300 ms');
    const closing = createServer((socket) => socket.on('error', () => {}).destroy());
    expect(await reason(await listening(closing))).not.toBe(null);
  });

  test('to another member, or a member of another group', async () => {
    const [b, other] = [await subject('b'), await subject('c', { secret }, 'invoices')];
    expect(await reason(b.transport.address)).toBe('another member listens there');
    expect(await reason(other.transport.address)).toBe('something else listens there');
    await soon(() => [b.refusals, other.refusals]).toEqual([['stranger'], ['stranger']]);
  });

  test('to a proxy that leads to it, it does', async () => {
    const a = await subject('a');
    const proxy = await CuttingProxy.to(a.transport.address);
    ends.push(() => proxy.close());
    const { port } = parseSocketAddress(a.transport.address)!;
    await a.transport.close();
    const again = await subject('a', { listen: `127.0.0.1:${port}`, advertise: proxy.address });
    expect(await again.transport.reachItself(5000)).toBe(null);
    expect(proxy.connections).toBe(1);
    proxy.drop('there');
    expect(await again.transport.reachItself(300)).toBe('no answer for 300 ms');
  });
});

async function listening(server: Server): Promise<string> {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  ends.push(() => server.close());
  const { port } = server.address() as { port: number };
  return `127.0.0.1:${port}`;
}
