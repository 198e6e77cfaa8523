// The suite for every transport.
import { readdirSync } from 'node:fs';
import type { Socket } from 'node:net';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { frameFormats } from '../../src/cluster/transport/encoding/frame-formats.ts';
import { FrameReader, FrameWriter, frameLimit } from '../../src/cluster/transport/encoding/framing.ts';
import { type Hello, packHello, versionsOf } from '../../src/cluster/transport/encoding/handshake.ts';
import type {
  AnswerFrame,
  CloseReason,
  Frame,
  RefusalReason,
  Transport,
  TransportListener,
} from '../../src/cluster/transport/transport.ts';
import { Random } from '../../src/core/random.ts';
import type { MemberId, Peer } from '../../src/member/index.ts';
import type { Child } from '../cluster/child-program.ts';

export const group = 'orders';
export const groupKey = async () => Buffer.alloc(32, 7);

/** What a transport's test file provides. */
export interface Surroundings {
  open(id: MemberId, listener: TransportListener): Promise<Transport>;
  nobody(): string | Promise<string>; // an address without a listener
  dial(address: string): Socket; // a bare connection
  /** A process that sends every frame back to that address. */
  echo(id: MemberId, to: string): Promise<Child & { readonly peer: Peer }>;
  end(): void;
}

/** A member as the suite sees it: its transport and everything it reported. */
export class Subject implements TransportListener {
  readonly id: MemberId;
  readonly frames: Frame[] = [];
  readonly senders: MemberId[] = [];
  readonly closings: string[] = [];
  readonly refusals: RefusalReason[] = [];
  readonly refusedAddresses = new Set<string | null>();
  transport!: Transport;
  isSending = false;
  heard: (frame: Frame, from: MemberId, answer: (frame: AnswerFrame) => void) => void = () => {};

  constructor(id: MemberId) {
    this.id = id;
  }

  get peer(): Peer {
    return { id: this.id, address: this.transport.address, label: this.id, priority: 0 };
  }

  send(to: Peer, frame: Frame): void {
    this.isSending = true;
    this.transport.send(to, frame);
    this.isSending = false;
  }

  received(from: MemberId, frame: Frame, answer: (frame: AnswerFrame) => void): void {
    expect(this.isSending, 'nothing is told from within send').toBe(false);
    this.frames.push(frame);
    this.senders.push(from);
    this.heard(frame, from, answer);
  }

  closed(peer: MemberId, why: CloseReason): void {
    expect(this.isSending, 'nothing is told from within send').toBe(false);
    this.closings.push(`${peer} is ${why}`);
  }

  refused(why: RefusalReason, address: string | null): void {
    this.refusals.push(why);
    this.refusedAddresses.add(address);
  }
}

export const { pack, unpack } = frameFormats.get(versionsOf(frameFormats).highest)!;
export const hello = (from: MemberId, to: MemberId, changes: Partial<Hello> = {}) => {
  const fresh = { session: 0, isResumed: false, ticket: '' };
  return packHello({ ...versionsOf(frameFormats), group, from, to, ...fresh, ...changes });
};

export const numbered = (epoch: number): Frame => ({ type: 'view', epoch });
export const soon = (condition: () => unknown) => expect.poll(condition, { timeout: 10_000, interval: 5 });
export const pause = (milliseconds: number) => new Promise((resolve) => setTimeout(resolve, milliseconds));

export function bytesOf(...bodies: readonly unknown[]): Buffer {
  const outbox = new FrameWriter();
  for (const body of bodies) outbox.add(body);
  return outbox.take();
}

export function conformsToTransport(name: string, surround: () => Surroundings): void {
  describe(name, () => {
    let around: Surroundings;
    let open: Subject[] = [];
    const subject = async (id: MemberId): Promise<Subject> => {
      const made = new Subject(id);
      made.transport = await around.open(id, made);
      open.push(made);
      return made;
    };

    beforeEach(() => {
      around = surround();
    });
    afterEach(async () => {
      await Promise.all(open.map(({ transport }) => transport.close()));
      open = [];
      around.end();
    });

    test('carries 10,000 frames both ways at once, in order', async () => {
      const [a, b] = [await subject('a'), await subject('b')];
      const frames = Array.from({ length: 10_000 }, (_, i) => numbered(i));
      const say = async (from: Subject, to: Subject, stride: number) => {
        for (const [i, frame] of frames.entries()) {
          from.send(to.peer, frame);
          if (i % stride === 0) await new Promise((resolve) => setImmediate(resolve));
        }
      };
      await Promise.all([say(a, b, 97), say(b, a, 13)]);
      await soon(() => a.frames.length + b.frames.length).toBe(20_000);
      expect(a.frames).toEqual(frames);
      expect(b.frames).toEqual(frames);
      expect(new Set(b.senders)).toEqual(new Set(['a']));
      expect([...a.closings, ...b.closings, ...a.refusals, ...b.refusals]).toEqual([]);
    });

    test('carries large frames among small ones', async () => {
      const [a, b] = [await subject('a'), await subject('b')];
      const frames = [10, 1_000_000, 10, 15_000_000, 10].map((length, question) => {
        return { type: 'answer', question, report: 'x'.repeat(length), clocks: [] } as const;
      });
      for (const frame of frames) a.send(b.peer, frame);
      await soon(() => b.frames.length).toBe(5);
      expect(b.frames).toEqual(frames);
    });

    test('messages to itself arrive in order, and asynchronously', async () => {
      const a = await subject('a');
      for (const epoch of [1, 2, 3]) a.send(a.peer, numbered(epoch));
      expect(a.frames).toEqual([]);
      await soon(() => a.frames).toEqual([1, 2, 3].map(numbered));
      expect(a.senders).toEqual(['a', 'a', 'a']);
    });

    test('a receiver may answer, close and drop peers at once', async () => {
      const [a, b, c] = [await subject('a'), await subject('b'), await subject('c')];
      b.transport.keep([a.peer, b.peer]);
      b.heard = (frame) => {
        b.transport.send(a.peer, frame);
        b.transport.keep([b.peer]);
      };
      for (const epoch of [1, 2, 3]) a.send(b.peer, numbered(epoch));
      await soon(() => a.frames).toEqual([numbered(1)]);
      expect(b.frames).toEqual([numbered(1)]);
      c.heard = () => c.transport.close();
      for (const epoch of [1, 2, 3]) b.send(c.peer, numbered(epoch));
      await soon(() => b.closings).toEqual(['c is dead']);
      expect(c.frames).toEqual([numbered(1)]);
    });

    describe('an answer', () => {
      const answering = (b: Subject, report: unknown = null) => {
        b.heard = (frame, _, answer) => {
          if (frame.type === 'ask') answer({ type: 'answer', question: frame.question, report, clocks: [] });
        };
      };

      test('comes over the connection of the query, among frames that go both ways', async () => {
        const [a, b] = [await subject('a'), await subject('b')];
        answering(b);
        for (let i = 0; i < 100; i += 1) {
          a.send(b.peer, numbered(i));
          a.send(b.peer, { type: 'ask', question: i });
          b.send(a.peer, numbered(i));
        }
        await soon(() => a.frames.length).toBe(200);
        const questions = a.frames.flatMap((frame) => (frame.type === 'answer' ? [frame.question] : []));
        expect(questions).toEqual(Array.from({ length: 100 }, (_, i) => i));
        expect(new Set(a.senders)).toEqual(new Set(['b']));
        expect([...a.closings, ...b.closings, ...a.refusals, ...b.refusals]).toEqual([]);
      });

      test('reaches a peer that listens nowhere', async () => {
        const b = await subject('b');
        answering(b, 'here');
        const socket = around.dial(b.peer.address);
        const bodies: Buffer[] = [];
        const reader = new FrameReader();
        socket.on('data', (chunk) => reader.add(chunk, (body) => bodies.push(Buffer.from(body)) > 0));
        socket.write(bytesOf(hello('x', 'b'), pack({ type: 'ask', question: 3 })));
        await soon(() => bodies.length).toBe(2);
        expect(unpack(bodies[1]!)).toEqual({ type: 'answer', question: 3, report: 'here', clocks: [] });
        socket.destroy();
        await pause(50);
        expect(b.refusals).toEqual([]);
      });

      test('is dropped when too much waits for a peer that does not read', async () => {
        const b = await subject('b');
        answering(b, 'x'.repeat(1_000_000));
        const socket = around.dial(b.peer.address);
        const count = 100;
        const queries = Array.from({ length: count }, (_, question) => pack({ type: 'ask', question }));
        socket.pause();
        socket.write(bytesOf(hello('x', 'b'), ...queries));
        await soon(() => b.frames.length).toBe(count);
        await pause(100);
        let bytes = 0;
        socket.on('data', (chunk) => {
          bytes += chunk.length;
        });
        socket.resume();
        await soon(() => bytes).toBeGreaterThan(10_000_000);
        await pause(200);
        expect(bytes).toBeLessThan(90_000_000);
        socket.destroy();
      });
    });

    describe('reaching itself', () => {
      test('succeeds, and is neither reported nor refused', async () => {
        const a = await subject('a');
        const results = [a.transport.reachItself(5000), a.transport.reachItself(5000)];
        expect(await Promise.all(results)).toEqual([null, null]);
        await pause(20);
        expect([a.frames, a.closings, a.refusals]).toEqual([[], [], []]);
      });

      test('fails when the transport is closed meanwhile', async () => {
        const a = await subject('a');
        const result = a.transport.reachItself(60_000);
        await a.transport.close();
        expect(await result).toBe('it is closed');
      });
    });

    describe('a disconnect', () => {
      test('is reported once to every peer, after the last messages', async () => {
        const [a, b, c] = [await subject('a'), await subject('b'), await subject('c')];
        a.send(b.peer, numbered(1));
        c.send(a.peer, numbered(1));
        b.send(a.peer, numbered(1));
        await soon(() => a.frames.length + b.frames.length).toBe(3);
        b.transport.keep([a.peer, b.peer]);
        const frames = Array.from({ length: 1000 }, (_, i) => numbered(i + 2));
        for (const frame of frames) a.send(b.peer, frame);
        await a.transport.close();
        await soon(() => [...b.closings, ...c.closings]).toEqual(['a is dead', 'a is dead']);
        expect(b.frames).toEqual([numbered(1), ...frames]);
        b.send(a.peer, numbered(1));
        await pause(50);
        expect([b.closings, c.closings, a.closings]).toEqual([['a is dead'], ['a is dead'], []]);
      });

      test('is reported if there is no listener', async () => {
        const a = await subject('a');
        a.send({ id: 'x', address: await around.nobody(), label: '', priority: 0 }, numbered(1));
        await soon(() => a.closings).toEqual(['x is dead']);
      });

      test('by kill -9 is reported once, quickly, as a death', async () => {
        const a = await subject('a');
        const ids = Array.from({ length: 12 }, (_, i) => `child${i}`);
        const children = await Promise.all(ids.map((id) => around.echo(id, a.peer.address)));
        a.transport.keep([a.peer, ...children.map(({ peer }) => peer)]);
        for (const { peer } of children) a.send(peer, numbered(1));
        await soon(() => a.frames.length).toBe(ids.length);
        for (const [i, child] of children.entries()) {
          const began = performance.now();
          child.signal('SIGKILL');
          await soon(() => a.closings).toEqual(ids.slice(0, i + 1).map((id) => `${id} is dead`));
          expect(performance.now() - began).toBeLessThan(1000);
        }
        for (const { peer } of children) a.send(peer, numbered(2));
        await pause(50);
        expect(a.closings.length).toBe(ids.length);
      });

      test('is not reported for a stopped process, which receives everything when it continues', async () => {
        const a = await subject('a');
        const child = await around.echo('child', a.peer.address);
        a.send(child.peer, numbered(0));
        await soon(() => a.frames.length).toBe(1);
        child.signal('SIGSTOP');
        for (let i = 1; i <= 1000; i += 1) a.send(child.peer, numbered(i));
        await pause(300);
        expect(a.closings).toEqual([]);
        child.signal('SIGCONT');
        await soon(() => a.frames.length).toBe(1001);
        expect(a.frames.at(-1)).toEqual(numbered(1000));
        expect(a.closings).toEqual([]);
      });

      test('happens to a peer that does not read, when too much is queued', async () => {
        const a = await subject('a');
        const child = await around.echo('child', a.peer.address);
        a.send(child.peer, numbered(0));
        await soon(() => a.frames.length).toBe(1);
        child.signal('SIGSTOP');
        const large: Frame = { type: 'answer', question: 1, report: 'x'.repeat(4_000_000), clocks: [] };
        for (let i = 0; i < 10; i += 1) a.send(child.peer, large);
        await pause(100);
        expect(a.closings).toEqual([]); // 40 MB may be queued
        for (let i = 0; i < 10; i += 1) a.send(child.peer, large);
        await soon(() => a.closings).toEqual(['child is broken']);
        child.signal('SIGCONT');
        a.frames.length = 0;
        a.send(child.peer, numbered(7));
        await soon(() => a.frames.at(-1)).toEqual(numbered(7));
      });
    });

    test('a closed transport leaves no descriptor', async () => {
      const descriptors = () => readdirSync('/proc/self/fd').length;
      const a = await subject('a');
      const before = descriptors();
      for (let i = 0; i < 30; i += 1) {
        const b = await subject(`b${i}`);
        a.transport.keep([a.peer, b.peer]);
        b.send(a.peer, numbered(i));
        a.send(b.peer, numbered(i));
        await soon(() => b.frames.length).toBe(1);
        if (i % 2 === 0) a.transport.keep([a.peer]);
        await b.transport.close();
        await b.transport.close();
      }
      await soon(descriptors).toBeLessThanOrEqual(before);
    });

    describe('keep', () => {
      test('silently drops a peer that is no longer kept', async () => {
        const [a, b, c] = [await subject('a'), await subject('b'), await subject('c')];
        for (const [from, to] of [
          [a, b],
          [b, a],
          [a, c],
          [c, a],
        ] as const)
          from.send(to.peer, numbered(1));
        await soon(() => a.frames.length + b.frames.length + c.frames.length).toBe(4);
        a.transport.keep([a.peer, b.peer, c.peer]);
        a.transport.keep([a.peer, b.peer]);
        await soon(() => c.closings).toEqual(['a is broken']);
        a.send(b.peer, numbered(2));
        await soon(() => b.frames.length).toBe(2);
        expect([...a.closings, ...b.closings]).toEqual([]);
      });

      test('keeps a peer that has just connected: its view may be in flight', async () => {
        const [a, b] = [await subject('a'), await subject('b')];
        b.send(a.peer, numbered(1));
        await soon(() => a.frames.length).toBe(1);
        a.transport.keep([a.peer]);
        a.transport.keep([a.peer, b.peer]);
        b.send(a.peer, numbered(2));
        await soon(() => a.frames.length).toBe(2);
        expect(b.closings).toEqual([]);
      });

      test('reports the death of a peer that only sends to us', async () => {
        const a = await subject('a');
        const child = await around.echo('child', a.peer.address);
        const socket = around.dial(child.peer.address);
        socket.write(bytesOf(hello('a', 'child'), pack(numbered(1))));
        await soon(() => a.frames.length).toBe(1); // the child has connected to us, we have not connected to it
        a.transport.keep([a.peer, child.peer]);
        child.signal('SIGKILL');
        await soon(() => a.closings).toEqual(['child is dead']);
        socket.destroy();
      });
    });

    describe('invalid input is rejected and counted, and the transport survives:', () => {
      const cases: [string, () => Buffer, RefusalReason, isOver: boolean][] = [
        ['no hello', () => bytesOf(pack(numbered(1))), 'malformed', true],
        ['no msgpack', () => Buffer.from([0, 0, 0, 2, 0xc1, 0xc1]), 'malformed', true],
        ['another group', () => bytesOf(hello('x', 'a', { group: 'invoices' })), 'stranger', true],
        ['another member', () => bytesOf(hello('x', 'a', { to: 'b' })), 'stranger', true],
        ['ourselves', () => bytesOf(hello('a', 'a')), 'stranger', true],
        [
          'a version to come',
          () => bytesOf(hello('x', 'a', { lowest: 90, highest: 91 })),
          'unknown version',
          true,
        ],
        [
          'a version gone by',
          () => bytesOf(hello('x', 'a', { lowest: 0, highest: 0 })),
          'unknown version',
          true,
        ],
        ['a hello that is too long', () => lengthOf(frameLimit + 1), 'oversized', true],
        [
          'a frame that is too long',
          () => Buffer.concat([bytesOf(hello('x', 'a')), lengthOf(2 ** 32 - 1)]),
          'oversized',
          true,
        ],
        ['an unknown frame', () => bytesOf(hello('x', 'a'), [99], pack(numbered(5))), 'malformed', false],
      ];

      test.each(cases)('%s', async (_, bytes, why, isOver) => {
        const [a, b] = [await subject('a'), await subject('b')];
        b.send(a.peer, numbered(1));
        await soon(() => a.frames.length).toBe(1);
        const socket = around.dial(a.peer.address);
        let isClosed = false;
        socket.on('error', () => {});
        socket.on('close', () => {
          isClosed = true;
        });
        socket.resume();
        socket.write(bytes());
        await soon(() => a.refusals).toEqual([why]);
        if (isOver) await soon(() => isClosed).toBe(true);
        else await soon(() => a.frames.length).toBe(2);
        if (!isOver) expect(a.closings).toEqual(['x is broken']); // the refused frame is missing
        b.send(a.peer, numbered(2));
        await soon(() => a.frames.at(-1)).toEqual(numbered(2));
        expect(b.closings).toEqual([]);
        socket.destroy();
      });

      test('random bytes, and hellos with a random byte', async () => {
        const [a, b] = [await subject('a'), await subject('b')];
        const random = new Random(1, 'hellos');
        const sockets = Array.from({ length: 200 }, (_, i) => {
          const bytes = Buffer.from(bytesOf(hello('x', 'a', { session: 1 })));
          if (i % 2 === 0) bytes.writeUInt8(random.below(256), random.below(bytes.length));
          else for (let k = i % 4 === 1 ? 0 : 4; k < bytes.length; k += 1) bytes[k] = random.below(256);
          const socket = around.dial(a.peer.address).on('error', () => {});
          socket.write(bytes);
          return socket.resume();
        });
        await soon(() => a.refusals.length).toBeGreaterThan(60);
        expect(['malformed', 'oversized', 'stranger', 'unknown version']).toEqual(
          expect.arrayContaining([...new Set(a.refusals)]),
        );
        b.send(a.peer, numbered(1));
        await soon(() => a.frames).toEqual([numbered(1)]);
        for (const socket of sockets) socket.destroy();
      });

      const deep = (levels: number): unknown => (levels === 0 ? null : [deep(levels - 1)]);
      test.each<[string, unknown]>([
        ['too long', 'x'.repeat(frameLimit)],
        ['too deep', deep(100)],
      ])('a frame that is %s to send breaks the channel, and the next ones arrive', async (_, report) => {
        const [a, b] = [await subject('a'), await subject('b')];
        b.send(a.peer, numbered(1));
        await soon(() => a.frames.length).toBe(1);
        b.send(a.peer, { type: 'answer', question: 1, report, clocks: [] });
        await soon(() => b.closings).toEqual(['a is broken']);
        b.send(a.peer, numbered(2));
        await soon(() => a.frames.at(-1)).toEqual(numbered(2));
      });

      test('an odd address, as a question may name it, is dialled in vain', async () => {
        const [a, b] = [await subject('a'), await subject('b')];
        const odd = ['', '0', '123', '99999', '-1', ':', '\0', 'x'.repeat(1000)];
        for (const [k, address] of odd.entries())
          a.send({ id: `odd-${k}`, address, label: '', priority: 0 }, numbered(k));
        b.send(a.peer, numbered(1));
        await soon(() => a.frames).toEqual([numbered(1)]);
      });

      test('an intermediate version is accepted', async () => {
        const a = await subject('a');
        const socket = around.dial(a.peer.address);
        socket.write(bytesOf(hello('x', 'a', { lowest: 0, highest: 9 }), pack(numbered(1))));
        await soon(() => a.frames).toEqual([numbered(1)]);
        socket.destroy();
      });

      test('nothing at all', async () => {
        const a = await subject('a');
        const socket = around.dial(a.peer.address);
        socket.end();
        await new Promise((resolve) => socket.on('close', resolve));
        expect([a.closings, a.refusals]).toEqual([[], []]);
      });
    });

    test('a second connection from a peer reports `broken` before any new message', async () => {
      const a = await subject('a');
      const first = around.dial(a.peer.address);
      first.write(bytesOf(hello('x', 'a'), pack(numbered(1))));
      await soon(() => a.frames.length).toBe(1);
      a.heard = () => expect(a.closings).toEqual(['x is broken']);
      const second = around.dial(a.peer.address);
      second.write(bytesOf(hello('x', 'a'), pack(numbered(2))));
      await soon(() => a.frames.length).toBe(2);
      second.destroy();
      first.destroy();
    });
  });
}

function lengthOf(bytes: number): Buffer {
  const length = Buffer.alloc(4);
  length.writeUInt32BE(bytes);
  return length;
}
