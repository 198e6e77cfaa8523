// A group during an upgrade: members with different protocol versions.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { encode } from '@msgpack/msgpack';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { Certificates } from '../../src/cluster/transport/certificates.ts';
import {
  type FrameFormat,
  type FrameFormats,
  frameFormats,
} from '../../src/cluster/transport/encoding/frame-formats.ts';
import { versionsOf } from '../../src/cluster/transport/encoding/handshake.ts';
import { decodeBody } from '../../src/cluster/transport/encoding/msgpack.ts';
import type { StreamOptions } from '../../src/cluster/transport/stream-transport.ts';
import { listenTcp } from '../../src/cluster/transport/tcp.ts';
import type { Frame, Transport } from '../../src/cluster/transport/transport.ts';
import { listenUnix } from '../../src/cluster/transport/unix.ts';
import { group, groupKey, numbered, Subject, soon } from '../conformance/transport.ts';
import { certificatesIn } from './certificates.ts';
import { lacksKeys } from './other-runtimes.ts';

const first = frameFormats.get(versionsOf(frameFormats).highest)!;

/** As version 1 of this test, but reversed and with one more field. Records the frames that it packs. */
const second: FrameFormat & { packed: Frame[] } = {
  packed: [],
  pack(frame) {
    this.packed.push(frame);
    return ['2', ...(first.pack(frame) as unknown[])].reverse();
  },
  unpack(body) {
    const said = decodeBody(body);
    if (!Array.isArray(said) || said.pop() !== '2') return null;
    return first.unpack(encode(said.reverse()));
  },
};
const speaking = (...versions: readonly number[]): FrameFormats =>
  new Map(versions.map((version) => [version, version === 1 ? first : second]));

let folder = '';
let open: Subject[] = [];
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'baton-versions-'));
});
afterEach(async () => {
  await Promise.all(open.map(({ transport }) => transport.close()));
  open = [];
  rmSync(folder, { recursive: true, force: true });
});

let certificates: Certificates | undefined;
const media: Record<string, (options: StreamOptions) => Promise<Transport>> = {
  'unix domain sockets': (options) => listenUnix(join(folder, `${options.id}.sock`), options),
  TCP: (options) => {
    if (lacksKeys !== null) certificates ??= certificatesIn(folder);
    return listenTcp({ groupKey, tls: certificates, unreachableAfterMs: 2000 }, options);
  },
};

describe.each(Object.entries(media))('over %s', (_, listenThere) => {
  const subject = async (id: string, ...versions: number[]): Promise<Subject> => {
    const made = new Subject(id);
    const options = { id, group, listener: made, formats: speaking(...versions) };
    made.transport = await listenThere(options);
    open.push(made);
    return made;
  };

  test('every pair uses the highest version that both support', async () => {
    const old = await subject('old', 1);
    const [between, other] = [await subject('between', 1, 2), await subject('other', 1, 2)];
    const young = await subject('young', 2);
    const pairs: [Subject, Subject, version: number][] = [
      [old, between, 1],
      [between, old, 1],
      [between, other, 2],
      [other, young, 2],
      [young, between, 2],
    ];
    for (const [from, to, version] of pairs) {
      second.packed.length = 0;
      to.frames.length = 0;
      const before = Array.from({ length: 20 }, (_, i) => numbered(i));
      for (const frame of before) from.send(to.peer, frame); // before the version of the peer is known
      await soon(() => to.frames).toEqual(before);
      second.packed.length = 0;
      from.send(to.peer, numbered(20));
      await soon(() => to.frames.at(-1)).toEqual(numbered(20));
      expect(second.packed.length).toBe(version === 2 ? 1 : 0);
    }
    expect(open.flatMap(({ closings, refusals }) => [...closings, ...refusals])).toEqual([]);
  });

  test('a frame that the peer does not know is not sent, and nothing else is lost', async () => {
    const marker: Frame = { type: 'marker', epoch: 1, by: 0, number: 1 };
    const withoutMarkers: FrameFormat = {
      pack: (frame) => (frame.type === 'marker' ? null : first.pack(frame)),
      unpack: first.unpack,
    };
    const made = async (id: string, ...formats: [number, FrameFormat][]) => {
      const subject = new Subject(id);
      subject.transport = await listenThere({ id, group, listener: subject, formats: new Map(formats) });
      open.push(subject);
      return subject;
    };
    const old = await made('old', [1, withoutMarkers]);
    const young = await made('young', [1, withoutMarkers], [2, first]);
    for (const frame of [numbered(0), marker, numbered(1)]) young.send(old.peer, frame); // before the version of the peer is known
    await soon(() => old.frames).toEqual([numbered(0), numbered(1)]);
    for (const frame of [marker, numbered(2)]) young.send(old.peer, frame);
    await soon(() => old.frames).toEqual([numbered(0), numbered(1), numbered(2)]);
    expect(open.flatMap(({ closings, refusals }) => [...closings, ...refusals])).toEqual([]);
  });

  test('a peer without a common version is refused, and both sides are notified', async () => {
    const [old, young] = [await subject('old', 1), await subject('young', 2)];
    old.send(young.peer, numbered(1));
    await soon(() => [old.refusals[0], young.refusals[0]]).toEqual(['unknown version', 'unknown version']);
    await soon(() => old.closings.length).toBeGreaterThan(0);
    expect(young.frames).toEqual([]);
  });
});
