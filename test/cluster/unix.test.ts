import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { connect, createServer, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, test } from 'vitest';
import { frameFormats } from '../../src/cluster/transport/encoding/frame-formats.ts';
import { FrameReader } from '../../src/cluster/transport/encoding/framing.ts';
import { packHelloAnswer, versionsOf } from '../../src/cluster/transport/encoding/handshake.ts';
import { listenUnix } from '../../src/cluster/transport/unix.ts';
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
import { type Child, start } from './child-program.ts';

const folder = mkdtempSync(join(tmpdir(), 'baton-unix-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));
let count = 0;
const path = () => {
  count += 1;
  return join(folder, `${count}.sock`);
};
const silent = { received: () => {}, closed: () => {}, refused: () => {} };

conformsToTransport('unix domain sockets', () => {
  const children: Child[] = [];
  return {
    open: (id, listener) => listenUnix(path(), { id, group, listener }),
    nobody: path,
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

async function subject(): Promise<Subject> {
  const made = new Subject('a');
  made.transport = await listenUnix(path(), { id: 'a', group, listener: made });
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

  test('a path that is too long for the kernel is refused with its length', async () => {
    const long = join(folder, 'x'.repeat(120));
    await expect(listenUnix(long, { id: 'a', group, listener: silent })).rejects.toThrow(/BATON_DIR/);
  });

  test('a closed transport leaves no path', async () => {
    const { transport } = await subject();
    expect(existsSync(transport.address)).toBe(true);
    await transport.close();
    expect(existsSync(transport.address)).toBe(false);
  });

  test('a process that has closed everything exits', async () => {
    const child = start('leaver', [], { BATON_DIR: join(folder, 'leaver') });
    await child.ready('closed');
    const began = performance.now();
    expect(await child.ended).toEqual({ code: 0, signal: null });
    expect(performance.now() - began).toBeLessThan(2000);
  });
});
