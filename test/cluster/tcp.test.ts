import { mkdtempSync, rmSync } from 'node:fs';
import type { AddressInfo, Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, describe, expect, test } from 'vitest';
import { frameFormats } from '../../src/cluster/transport/encoding/frame-formats.ts';
import { packHelloAnswer, versionsOf } from '../../src/cluster/transport/encoding/handshake.ts';
import { securityOf } from '../../src/cluster/transport/security.ts';
import {
  formatSocketAddress,
  parseSocketAddress,
  thisMachine,
} from '../../src/cluster/transport/socket-address.ts';
import { listenTcp, type TcpOptions } from '../../src/cluster/transport/tcp.ts';
import type { Frame } from '../../src/cluster/transport/transport.ts';
import { Random } from '../../src/core/random.ts';
import type { MemberId, Peer } from '../../src/member/index.ts';
import {
  bytesOf,
  conformsToTransport,
  group,
  groupKey,
  hello,
  numbered,
  pack,
  pause,
  Subject,
  soon,
} from '../conformance/transport.ts';
import { certificatesIn } from './certificates.ts';
import { type Child, start } from './child-program.ts';
import { CuttingProxy } from './cutting-proxy.ts';
import { lacksKeys } from './other-runtimes.ts';

const folder = mkdtempSync(join(tmpdir(), 'baton-tcp-'));
const tls = certificatesIn(folder);
const secret = 'correct horse battery staple';
const unreachableAfterMs = 5000;
const kinds: Record<string, TcpOptions> = {
  'with the key of the group': { groupKey, unreachableAfterMs },
  'with certificates': { groupKey, tls, unreachableAfterMs },
  'with a secret': { groupKey, secret, unreachableAfterMs },
};
const hasKind = (name: string) => lacksKeys === null || name === 'with certificates';
/** Members authenticate each other by the key of the group where the runtime can, else by certificates. */
const usual: TcpOptions = { groupKey, unreachableAfterMs, ...(lacksKeys === null ? {} : { tls }) };
afterAll(() => rmSync(folder, { recursive: true, force: true }));

async function echo(options: TcpOptions, id: MemberId, to: string): Promise<Child & { readonly peer: Peer }> {
  const key = (await options.groupKey()) as Buffer;
  const child = start('echo', [JSON.stringify(options), id, group, to, key.toString('hex')]);
  await child.ready();
  return { ...child, peer: { id, address: child.lines[0]!.slice('at '.length), label: id, priority: 0 } };
}

for (const [name, options] of Object.entries(kinds)) {
  if (!hasKind(name)) {
    test.skip(`TCP, ${name} (${lacksKeys})`);
    continue;
  }
  const security = await securityOf(group, options);
  conformsToTransport(`TCP, ${name}`, () => {
    const children: Child[] = [];
    return {
      open: (id, listener) => listenTcp(options, { id, group, listener }),
      nobody: () => `127.0.0.1:1/${thisMachine}`,
      dial: (address) => security.dial(parseSocketAddress(address)!),
      async echo(id, to) {
        const child = await echo(options, id, to);
        children.push(child);
        return child;
      },
      end: () => {
        for (const child of children) child.signal('SIGKILL');
      },
    };
  });
}

let ends: (() => unknown)[] = [];
afterEach(async () => {
  await Promise.all(ends.map((end) => end()));
  ends = [];
});

async function subject(id: MemberId, options: Partial<TcpOptions> = {}): Promise<Subject> {
  const made = new Subject(id);
  made.transport = await listenTcp({ ...usual, ...options }, { id, group, listener: made });
  ends.push(() => made.transport.close());
  return made;
}

async function proxyTo({ peer }: { readonly peer: Peer }): Promise<{ proxy: CuttingProxy; peer: Peer }> {
  const proxy = await CuttingProxy.to(peer.address);
  ends.push(() => proxy.close());
  return { proxy, peer: { ...peer, address: proxy.address } };
}

/** A server with the key of the group, as no member would write it. */
async function answering(answer: (socket: Socket) => void): Promise<string> {
  const security = await securityOf(group, usual);
  const server = security.server(1000);
  const accept = (socket: Socket) => {
    socket.on('error', () => {}).once('data', () => answer(socket));
  };
  security.admit(server, accept, () => {});
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  ends.push(() => server.close());
  return formatSocketAddress({ host: '127.0.0.1', port: (server.address() as AddressInfo).port });
}

async function child(id: MemberId, to: Subject, options: Partial<TcpOptions> = {}) {
  const made = await echo({ ...usual, ...options }, id, to.peer.address);
  ends.push(() => made.signal('SIGKILL'));
  return made;
}

/** A peer that has answered before. */
async function stoppedChild(a: Subject) {
  const stopped = await child('child', a);
  a.send(stopped.peer, numbered(0));
  await soon(() => a.frames.length).toBe(1);
  await pause(100);
  stopped.signal('SIGSTOP');
  return stopped;
}

const epochs = ({ frames }: Subject) => frames.map((frame) => (frame as Frame & { type: 'view' }).epoch);
const upTo = (count: number) => Array.from({ length: count }, (_, i) => i);

describe('over connections that are cut', () => {
  test.for([
    ['with the key of the group', 1],
    ['with the key of the group', 2],
    ['with certificates', 3],
    ['with a secret', 4],
  ] as const)('every frame arrives once and in order, %s, seed %i', async ([kind, seed], { skip }) => {
    if (!hasKind(kind)) skip(lacksKeys!);
    const random = new Random(seed, 'cuts');
    const [a, b] = [await subject('a', kinds[kind]), await subject('b', kinds[kind])];
    const [toA, toB] = [await proxyTo(a), await proxyTo(b)];
    const [least, leastConnections] = [5000, 11];
    const connections = () => toA.proxy.connections + toB.proxy.connections;
    const sent = new Map<Subject, number>();
    const sending = async (from: Subject, to: Peer) => {
      let i = 0;
      for (; i < least || connections() < leastConnections; i += 1) {
        from.send(to, numbered(i));
        if (random.chance(0.02)) await pause(random.below(4));
      }
      sent.set(from, i);
    };
    const isOver = () => a.frames.length === sent.get(b) && b.frames.length === sent.get(a);
    const cutting = async () => {
      while (!isOver()) {
        const { proxy } = random.chance(0.5) ? toA : toB;
        proxy.delayMs = random.below(3);
        await pause(random.below(40));
        if (random.chance(0.3)) {
          proxy.stall();
          await pause(random.below(30));
          proxy.flow();
        }
        proxy.cut();
      }
    };
    await Promise.all([sending(a, toB.peer), sending(b, toA.peer), cutting()]);
    await pause(100);
    expect(epochs(a)).toEqual(upTo(sent.get(b)!));
    expect(epochs(b)).toEqual(upTo(sent.get(a)!));
    expect([...a.closings, ...b.closings, ...a.refusals, ...b.refusals]).toEqual([]);
    expect(connections()).toBeGreaterThanOrEqual(leastConnections);
  });

  test('a large frame arrives although its connection is cut often', async () => {
    const [a, b] = [await subject('a'), await subject('b')];
    const { proxy, peer } = await proxyTo(b);
    const large: Frame = { type: 'answer', question: 1, report: 'x'.repeat(8_000_000), clocks: [] };
    for (const frame of [numbered(1), large, numbered(2)]) a.send(peer, frame);
    for (let i = 0; i < 5; i += 1) {
      await pause(5);
      proxy.cut();
    }
    await soon(() => b.frames.length).toBe(3);
    expect(b.frames).toEqual([numbered(1), large, numbered(2)]);
  });

  test('a direction that carries nothing is detected, and another connection is used', async () => {
    const [a, b] = [await subject('a', { unreachableAfterMs: 2000 }), await subject('b')];
    const { proxy, peer } = await proxyTo(b);
    a.send(peer, numbered(0));
    await soon(() => b.frames.length).toBe(1);
    proxy.drop('there');
    for (let i = 1; i < 10; i += 1) a.send(peer, numbered(i));
    await pause(100);
    proxy.mend(); // but the bytes are lost, without an error
    await soon(() => epochs(b)).toEqual(upTo(10));
    expect(a.closings).toEqual([]);
    expect(proxy.connections).toBe(2);
  });

  test('a delayed session does not replace a later one', async () => {
    const a = await subject('a');
    const security = await securityOf(group, usual);
    const [present, late] = [2, 1].map((session) => {
      const socket = security.dial(parseSocketAddress(a.transport.address)!);
      return { socket, bytes: bytesOf(hello('x', 'a', { session }), pack(numbered(session))) };
    });
    present!.socket.write(present!.bytes);
    await soon(() => a.frames).toEqual([numbered(2)]);
    late!.socket.write(late!.bytes);
    await new Promise((resolve) => late!.socket.resume().on('close', resolve));
    present!.socket.write(bytesOf(pack(numbered(3))));
    await soon(() => a.frames).toEqual([numbered(2), numbered(3)]);
    expect(a.closings).toEqual([]);
    present!.socket.destroy();
  });

  test('only the peer that opened a session can resume it', async () => {
    const a = await subject('a');
    const security = await securityOf(group, usual);
    const dial = () => security.dial(parseSocketAddress(a.transport.address)!).on('error', () => {});
    const session = { session: 1, ticket: 'of x' };
    const owner = dial();
    owner.write(bytesOf(hello('x', 'a', session), pack(numbered(1))));
    await soon(() => a.frames).toEqual([numbered(1)]);
    for (const ticket of ['', 'of y']) {
      const other = dial();
      other.write(bytesOf(hello('x', 'a', { ...session, ticket, isResumed: true }), pack(numbered(7))));
      await new Promise((resolve) => other.resume().on('close', resolve));
    }
    expect(a.refusals).toEqual(['stranger', 'stranger']);
    owner.destroy();
    const again = dial();
    again.write(bytesOf(hello('x', 'a', { ...session, isResumed: true }), pack(numbered(2))));
    await soon(() => a.frames).toEqual([numbered(1), numbered(2)]);
    expect(a.closings).toEqual([]);
    again.destroy();
  });

  test('a peer that sends back anything but answers is refused, and its session ends', async () => {
    const a = await subject('a');
    const answer = packHelloAnswer({ ...versionsOf(frameFormats), by: 'b', offset: 0 });
    const address = await answering((socket) => socket.write(bytesOf(answer, pack(numbered(9)))));
    a.send({ id: 'b', address, label: '', priority: 0 }, numbered(1));
    await soon(() => a.closings).toEqual(['b is broken']);
    expect(a.refusals).toEqual(['malformed']);
    expect(a.frames).toEqual([]);
  });

  test('a peer that does not know the session reports it: frames are lost', async () => {
    const [a, b] = [await subject('a'), await subject('b')];
    a.send(b.peer, numbered(1));
    await soon(() => b.frames.length).toBe(1);
    b.transport.keep([a.peer, b.peer]);
    b.transport.keep([b.peer]);
    await soon(() => a.closings).toEqual(['b is broken']);
    a.send(b.peer, numbered(2));
    await soon(() => b.frames.length).toBe(2);
    expect(b.closings).toEqual([]);
  });
});

describe('without a connection', () => {
  test('after the timeout, a sender with waiting frames is notified once', async () => {
    const [a, b] = [await subject('a', { unreachableAfterMs: 1000 }), await subject('b')];
    const { proxy, peer } = await proxyTo(b);
    a.send(peer, numbered(0));
    await soon(() => b.frames.length).toBe(1);
    await pause(100); // time for the acknowledgement
    proxy.drop('there');
    proxy.drop('back');
    await pause(1500);
    expect(a.closings).toEqual([]); // no frame was waiting
    a.send(peer, numbered(1));
    a.send(peer, numbered(2));
    await soon(() => a.closings).toEqual(['b is unreachable']);
    await pause(1500);
    expect(a.closings.length).toBe(1);
    proxy.mend();
    a.send(peer, numbered(3));
    await soon(() => b.frames).toEqual([numbered(0), numbered(3)]);
    expect(b.closings).toEqual(['a is broken']); // it has missed frames
    expect(a.closings.length).toBe(1);
  });

  test('a connection that never carries data counts as none', async () => {
    const a = await subject('a', { unreachableAfterMs: 500 });
    const answer = bytesOf(packHelloAnswer({ ...versionsOf(frameFormats), by: 'b', offset: 0 }));
    const address = await answering((socket) => socket.end(answer));
    a.send({ id: 'b', address, label: '', priority: 0 }, numbered(1));
    await soon(() => a.closings).toEqual(['b is unreachable']);
  });

  test('a stopped process is unreachable after the timeout, and never dead', async () => {
    const a = await subject('a', { unreachableAfterMs: 1000 });
    const stopped = await stoppedChild(a);
    await pause(1500);
    expect(a.closings).toEqual([]);
    a.send(stopped.peer, numbered(1));
    await soon(() => a.closings).toEqual(['child is unreachable']);
    stopped.signal('SIGCONT');
    await soon(() => {
      a.send(stopped.peer, numbered(2));
      return a.frames.at(-1);
    }).toEqual(numbered(2));
    expect(new Set(a.closings)).toEqual(new Set(['child is unreachable']));
  });

  test('an unanswered ping alone does not report the peer as unreachable', async () => {
    const a = await subject('a', { unreachableAfterMs: 500 });
    const stopped = await stoppedChild(a);
    const ping: Frame = { type: 'ping', question: 1 };
    a.send(stopped.peer, ping);
    await pause(1500);
    expect(a.closings).toEqual([]);
    stopped.signal('SIGCONT');
    a.send(stopped.peer, numbered(1));
    await soon(() => a.frames.slice(1)).toEqual([ping, numbered(1)]);
    expect(a.closings).toEqual([]);
  });

  test('a killed process is dead at once, whichever side had connected', async () => {
    const shared = lacksKeys === null ? { secret } : {};
    const a = await subject('a', { unreachableAfterMs: 60_000, ...shared });
    const ids = ['one', 'two', 'three'];
    const children = await Promise.all(ids.map((id) => child(id, a, shared)));
    a.transport.keep([a.peer, ...children.map(({ peer }) => peer)]);
    for (const { peer } of children) a.send(peer, numbered(0));
    await soon(() => a.frames.length).toBe(3);
    for (const one of children) one.signal('SIGKILL');
    await soon(() => [...a.closings].sort()).toEqual(ids.map((id) => `${id} is dead`).sort());
  });

  test('on another machine, a peer that was never reached may live; one that ended a connection is dead', async () => {
    const a = await subject('a', { unreachableAfterMs: 1000 });
    const victim = await child('child', a);
    const elsewhere = (peer: Peer) => ({
      ...peer,
      address: peer.address.replace('127.0.0.1', '[::ffff:127.0.0.1]'),
    }); // not recognized as loopback
    a.send(elsewhere({ ...victim.peer, id: 'x', address: '127.0.0.1:1' }), numbered(0));
    await soon(() => a.closings).toEqual(['x is unreachable']);
    a.send(elsewhere(victim.peer), numbered(1));
    await soon(() => a.frames.length).toBe(1);
    victim.signal('SIGKILL');
    await soon(() => a.closings).toEqual(['x is unreachable', 'child is dead']);
  });

  test('if another member answers at its address, the peer is dead', async () => {
    const a = await subject('a', { unreachableAfterMs: 60_000 });
    const before = await subject('before');
    a.send(before.peer, numbered(0));
    await soon(() => before.frames.length).toBe(1);
    const { peer } = before;
    const listen = peer.address;
    await before.transport.close();
    const after = await subject('after', { listen });
    a.send(peer, numbered(1));
    await soon(() => a.closings).toEqual(['before is dead']);
    a.send(after.peer, numbered(2));
    await soon(() => after.frames).toEqual([numbered(2)]);
  });
});
