import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { connect, createServer, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, test } from 'vitest';
import { frameFormats } from '../../src/cluster/transport/encoding/frame-formats.ts';
import { FrameReader } from '../../src/cluster/transport/encoding/framing.ts';
import { packHelloAnswer, versionsOf } from '../../src/cluster/transport/encoding/handshake.ts';
import { isSocketDead, listenUnix } from '../../src/cluster/transport/unix.ts';
import {
  bytesOf,
  conformsToTransport,
  group,
  numbered,
  pause,
  Subject,
  soon,
  unpack,
} from '../conformance/transport.ts';
import { certificatesIn } from './certificates.ts';
import { type Child, start } from './child-program.ts';
import { lacksKeys } from './other-runtimes.ts';

const folder = mkdtempSync(join(tmpdir(), 'baton-unix-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));
let count = 0;
const path = () => {
  count += 1;
  return join(folder, `${count}.sock`);
};
const silent = { received: () => {}, closed: () => {}, refused: () => {} };

/** The path of a socket at which nobody listens any more. */
async function deadSocket(): Promise<string> {
  const transport = await listenUnix(path(), { id: 'nobody', group, listener: silent });
  await transport.close();
  return transport.address;
}

conformsToTransport('unix domain sockets', () => {
  const children: Child[] = [];
  return {
    open: (id, listener) => listenUnix(path(), { id, group, listener }),
    nobody: deadSocket,
    dial: (address) => connect(address),
    async echo(id, to) {
      const address = path();
      const child = start('echo', [address, id, group, to]);
      children.push(child);
      await child.ready();
      return { ...child, peer: { id, address, label: id, priority: 0 } };
    },
    end: () => {
      for (const child of children) child.signal('SIGKILL');
    },
  };
});

const answer = packHelloAnswer({ ...versionsOf(frameFormats), by: 'bare', offset: 0 });

/** A fake peer. Records its connections and their chunks, and answers hellos. */
async function bare() {
  const address = path();
  const sockets: Socket[] = [];
  const chunks: Buffer[] = [];
  const server = createServer((socket) => {
    sockets.push(socket);
    socket.on('data', (chunk) => chunks.push(chunk)).on('error', () => {});
    socket.once('data', () => socket.write(bytesOf(answer)));
  });
  await new Promise<void>((resolve) => server.listen(address, resolve));
  const end = () => {
    server.close();
    for (const socket of sockets) socket.destroy();
  };
  return { peer: { id: 'bare', address, label: '', priority: 0 }, server, sockets, chunks, end };
}

async function subject(id = 'a'): Promise<Subject> {
  const made = new Subject(id);
  made.transport = await listenUnix(path(), { id, group, listener: made });
  return made;
}

describe('over unix domain sockets', () => {
  test('the frames of one turn are written together', async () => {
    const [a, b] = [await subject(), await bare()];
    for (let i = 0; i < 100; i += 1) a.send(b.peer, numbered(i));
    await soon(() => b.chunks.length).toBe(2);
    for (let i = 0; i < 100; i += 1) a.send(b.peer, numbered(i));
    await soon(() => b.chunks.length).toBe(3);
    const bodies: unknown[] = [];
    for (const chunk of b.chunks) new FrameReader().add(chunk, (body) => bodies.push(body) > 0);
    expect(bodies.length).toBe(201); // including the hello
    await a.transport.close();
    b.end();
  });

  test('a connection that breaks while both live is reported, opened again and used', async () => {
    const [a, b] = [await subject(), await bare()];
    a.send(b.peer, numbered(1));
    await soon(() => b.chunks.length).toBe(2);
    b.sockets[0]!.destroy();
    await soon(() => a.closings).toEqual(['bare is broken']);
    b.chunks.length = 0;
    a.send(b.peer, numbered(2));
    await soon(() => b.chunks.length).toBe(2);
    const heard: unknown[] = [];
    new FrameReader().add(Buffer.concat(b.chunks), (body) => heard.push(unpack(body)) > 0);
    expect(heard.at(-1)).toEqual(numbered(2));
    expect(b.sockets.length).toBe(3); // one of them is the liveness probe
    await a.transport.close();
    b.end();
  });

  test('a peer that ends every connection is reported as alive, and dialed again only for a new frame', async () => {
    const [a, b] = [await subject(), await bare()];
    b.server.on('connection', (socket) => socket.once('data', () => socket.destroy()));
    for (let i = 1; i <= 3; i += 1) {
      a.send(b.peer, numbered(i));
      await soon(() => a.closings.length).toBe(i);
    }
    await pause(100);
    expect(a.closings).toEqual(Array(3).fill('bare is broken'));
    expect(b.sockets.length).toBe(6);
    b.server.on('connection', (socket) => socket.destroy()); // like a process without free descriptors
    a.send(b.peer, numbered(4));
    await soon(() => a.closings.length).toBe(4);
    await pause(100);
    expect(a.closings).toEqual(Array(4).fill('bare is broken'));
    await a.transport.close();
    b.end();
  });

  test('retries while the backlog of the peer is full', async () => {
    const address = path();
    const child = start('narrow', [address]);
    await child.ready();
    child.signal('SIGSTOP');
    const others = Array.from({ length: 8 }, () => connect(address).on('error', () => {}));
    await pause(50);
    const a = await subject();
    a.send({ id: 'narrow', address, label: '', priority: 0 }, numbered(1));
    await pause(100);
    expect(a.closings).toEqual([]);
    expect(child.lines).toEqual(['ready']);
    child.signal('SIGCONT');
    await child.ready('frames');
    expect(a.closings).toEqual([]);
    for (const socket of others) socket.destroy();
    await a.transport.close();
    child.signal('SIGKILL');
  });

  test('the first member of the view asks at once whether a peer is dead, and the second only if the peer is still in the view then', async () => {
    const [a, b] = [await subject('a'), await subject('b')];
    for (const removes of [true, false]) {
      const c = await subject('c');
      const all = [a.peer, b.peer, c.peer];
      for (const { transport } of [a, b, c]) transport.keep(all);
      for (const one of [a, b]) one.send(c.peer, numbered(1));
      await soon(() => c.frames.length).toBe(2);
      a.closed = (peer, why) => {
        Subject.prototype.closed.call(a, peer, why);
        if (removes) b.transport.keep([a.peer, b.peer]); // the view that a proposes
      };
      await c.transport.close();
      await soon(() => a.closings).toEqual(['c is dead']);
      await pause(100);
      expect(b.closings).toEqual(removes ? [] : ['c is dead']);
      a.closings.length = 0;
      for (const { transport } of [a, b]) transport.keep([a.peer, b.peer]);
    }
    for (const { transport } of [a, b]) await transport.close();
  });

  test('a path that is too long for the kernel is refused with its length', async () => {
    const long = join(folder, 'x'.repeat(120));
    await expect(listenUnix(long, { id: 'a', group, listener: silent })).rejects.toThrow(/BATON_DIR/);
  });

  test('a closed transport leaves its socket, which shows that nobody listens', async () => {
    const { transport } = await subject();
    expect(await isSocketDead(transport.address)).toBe(false);
    await transport.close();
    expect(existsSync(transport.address)).toBe(true);
    expect(await isSocketDead(transport.address)).toBe(true);
  });

  describe('a socket that another program removes', () => {
    const refusingFile = (address: string) => {
      rmSync(address);
      writeFileSync(address, '');
    };

    test.each([
      ['removed', rmSync],
      ['replaced by a file', refusingFile],
    ])('or here %s, is no sign of death', async (_, remove) => {
      const a = await subject();
      remove(a.transport.address);
      expect(await isSocketDead(a.transport.address)).toBe(false);
      await a.transport.close();
    });

    test('and that is there again before the refusal is read, is no sign of death', async () => {
      const address = path();
      writeFileSync(address, '');
      const isDead = isSocketDead(address); // the kernel refuses at once, and the event loop hears of it later
      rmSync(address);
      const server = createServer().listen(address);
      expect(await isDead).toBe(false);
      server.close();
    });

    test('before the process has accepted a connection, is no sign of death', async () => {
      const address = path();
      const server = createServer().listen(address); // `close` removes the file, as a sweep would
      const isDead = isSocketDead(address);
      server.close(); // to listen again: the kernel resets the connection
      expect(await isDead).toBe(false);
    });

    test('and that is there again before a refusal is read, tells nobody that the process died', async () => {
      const a = await subject('a');
      const peer = { id: 'x', address: path(), label: '', priority: 0 };
      a.transport.keep([a.peer, peer]);
      for (let k = 0; k < 5; k += 1) {
        writeFileSync(peer.address, '');
        a.send(peer, numbered(1));
        rmSync(peer.address);
        const server = createServer((socket) => socket.destroy()).listen(peer.address);
        await pause(30);
        server.close();
        await pause(5);
      }
      expect(a.closings).not.toContain('x is dead');
      a.transport.keep([a.peer]);
      await a.transport.close();
    });

    test('is there again soon: connections stay, and frames that waited arrive', async () => {
      const [a, b, c] = [await subject('a'), await subject('b'), await subject('c')];
      const all = [a.peer, b.peer, c.peer];
      for (const { transport } of [a, b, c]) transport.keep(all);
      a.send(b.peer, numbered(1));
      await soon(() => b.frames.length).toBe(1);
      rmSync(b.transport.address);
      a.send(b.peer, numbered(2)); // on the old connection
      c.send(b.peer, numbered(3));
      await soon(() => b.frames).toEqual([1, 2, 3].map(numbered));
      expect([a, b, c].flatMap(({ closings }) => closings)).toEqual([]);
      expect(await isSocketDead(b.transport.address)).toBe(false);
      for (const { transport } of [a, b, c]) await transport.close();
    });

    test('of a process that is killed then, tells nobody that it died', async () => {
      const a = await subject('a');
      const address = path();
      const child = start('echo', [address, 'child', group, a.transport.address]);
      await child.ready();
      const peer = { id: 'child', address, label: '', priority: 0 };
      a.transport.keep([a.peer, peer]);
      a.send(peer, numbered(1));
      await soon(() => a.frames.length).toBe(1);
      child.signal('SIGSTOP'); // it cannot listen again
      rmSync(address);
      child.signal('SIGKILL');
      await child.ended;
      await pause(300);
      expect(a.closings).toEqual([]); // its lease decides
      a.transport.keep([a.peer]);
      await a.transport.close();
    });

    test('is not waited for if its process is no member', async () => {
      const a = await subject('a');
      a.send({ id: 'x', address: path(), label: '', priority: 0 }, numbered(1));
      await soon(() => a.closings).toEqual(['x is broken']);
      await a.transport.close();
    });
  });

  test('a process that has closed everything exits', async () => {
    const credentials =
      lacksKeys === null ? { secret: 'correct horse battery staple' } : { tls: certificatesIn(folder) };
    const child = start('leaver', [JSON.stringify(credentials)], { BATON_DIR: join(folder, 'leaver') });
    await child.ready('closed');
    const began = performance.now();
    expect(await child.ended).toEqual({ code: 0, signal: null });
    expect(performance.now() - began).toBeLessThan(2000);
  });
});
