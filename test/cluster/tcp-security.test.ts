// Addresses and authentication over TCP.
import { mkdtempSync, rmSync } from 'node:fs';
import { connect, createServer, type Server, type Socket } from 'node:net';
import { networkInterfaces, tmpdir } from 'node:os';
import { join } from 'node:path';
import { connect as connectTls, createServer as createTlsServer } from 'node:tls';
import { afterAll, afterEach, describe, expect, test } from 'vitest';
import { frameLimit } from '../../src/cluster/transport/encoding/framing.ts';
import { parseSocketAddress } from '../../src/cluster/transport/socket-address.ts';
import { listenTcp, type TcpOptions } from '../../src/cluster/transport/tcp.ts';
import { group, numbered, Subject, soon } from '../conformance/transport.ts';
import { certificatesIn } from './certificates.ts';

const folder = mkdtempSync(join(tmpdir(), 'baton-strangers-'));
const [tls, foreign] = [certificatesIn(folder), certificatesIn(folder)];
const secret = 'correct horse battery staple';
const unreachableAfterMs = 1000;
const patient = { unreachableAfterMs: 60_000 };
afterAll(() => rmSync(folder, { recursive: true, force: true }));

let ends: (() => unknown)[] = [];
afterEach(async () => {
  await Promise.all(ends.map((end) => end()));
  ends = [];
});

async function subject(id: string, options: Partial<TcpOptions> = {}, of = group): Promise<Subject> {
  const made = new Subject(id);
  made.transport = await listenTcp({ unreachableAfterMs, ...options }, { id, group: of, listener: made });
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
        `others could reach ${listen} and take part: give tls or secret, or listen on 127.0.0.1`,
      );
    },
  );
});

test.each<[string, Partial<TcpOptions>, RegExp]>([
  ['a short secret', { secret: 'fifteen letters' }, /at least 16 characters/],
  ['a secret that is none', { secret: 42 as never }, /at least 16 characters/],
  ['both', { secret, tls }, /not both/],
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

test.each(['x'.repeat(200), 'é'.repeat(128), '☃'.repeat(100), '☃'.repeat(200)])(
  'a group may have any name, with a secret: %s',
  async (name) => {
    const [a, b] = [await subject('a', { secret }, name), await subject('b', { secret, ...patient }, name)];
    b.send(a.peer, numbered(1));
    await soon(() => a.frames).toEqual([numbered(1)]);
  },
);

describe('a peer', () => {
  const secured: Record<string, Partial<TcpOptions>> = { certificates: { tls }, 'a secret': { secret } };

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
    ['in the clear, where there is TLS', { secret }, {}],
    ['with TLS, where there is none', {}, { secret }],
  ])('%s is refused, counted and survived', async (_, ours, theirs, of = group) => {
    const [a, b] = [await subject('a', ours), await subject('b', { ...ours, ...patient })];
    const stranger = await subject('stranger', theirs, of);
    stranger.send(a.peer, numbered(7));
    const refusals = () => [...a.refusals, ...stranger.refusals]; // either side may notice first
    await soon(() => refusals().length).toBeGreaterThan(0);
    expect(['stranger', 'malformed', 'oversized']).toContain(refusals()[0]);
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
    expect(new Set(a.refusals)).toEqual(new Set(['oversized']));
  });

  describe.each<[string, Partial<TcpOptions>]>([['in the clear', {}], ...Object.entries(secured)])(
    'that connects and sends nothing, %s,',
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

      test('is refused when there are too many', async () => {
        const a = await subject('a', { ...options, ...patient });
        const sockets = callers(a, 300);
        await soon(() => closed(sockets)).toBe(300 - 256);
        expect(a.refusals).toEqual(Array(300 - 256).fill('stranger'));
        const b = await subject('b', { ...options, ...patient });
        for (const socket of sockets) socket.destroy();
        b.send(a.peer, numbered(1));
        await soon(() => a.frames).toEqual([numbered(1)]);
      });
    },
  );
});

async function listening(server: Server): Promise<string> {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  ends.push(() => server.close());
  const { port } = server.address() as { port: number };
  return `127.0.0.1:${port}`;
}
