// Connections of peers that are not in the view are limited in number, because each has buffers of its own.
import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { join } from 'node:path';
import { afterEach, expect, test } from 'vitest';
import { frameFormats } from '../../src/cluster/transport/encoding/frame-formats.ts';
import { FrameWriter } from '../../src/cluster/transport/encoding/framing.ts';
import { packHello, versionsOf } from '../../src/cluster/transport/encoding/handshake.ts';
import { listenUnix } from '../../src/cluster/transport/unix.ts';
import { group, Subject, soon } from '../conformance/transport.ts';
import { inOwnDirectory } from './temporary-directory.ts';

inOwnDirectory();

let open: Socket[] = [];
afterEach(() => {
  for (const socket of open) socket.destroy();
  open = [];
});

async function listening(): Promise<Subject> {
  const subject = new Subject('a');
  const path = join(process.env.BATON_DIR!, 'a.sock');
  subject.transport = await listenUnix(path, { group, id: 'a', listener: subject });
  return subject;
}

function dial(subject: Subject, id: string | null): void {
  const socket = connect(subject.transport.address);
  socket.on('error', () => {});
  open.push(socket);
  if (id === null) return;
  const writer = new FrameWriter();
  const versions = versionsOf(frameFormats);
  writer.add(packHello({ ...versions, group, from: id, to: 'a', session: 0, isResumed: false, ticket: '' }));
  socket.write(writer.take());
}

test('256 peers outside the view may be connected, and members beyond that', async () => {
  const a = await listening();
  a.transport.keep([a.peer, { id: 'member', address: '', label: '', priority: 0 }]);
  for (let k = 0; k < 300; k += 1) dial(a, `stranger-${k}`);
  await soon(() => a.refusals).toEqual(Array(44).fill('stranger'));
  dial(a, 'member');
  await soon(() => open.at(-1)!.bytesRead > 0).toBe(true);
  expect(a.refusals).toHaveLength(44);
  await a.transport.close();
});

test('1024 connections may be without a hello', async () => {
  const a = await listening();
  for (let k = 0; k < 1024; k += 1) {
    dial(a, null);
    await once(open.at(-1)!, 'connect'); // the backlog is limited, too
  }
  expect(a.refusals).toEqual([]);
  dial(a, null);
  await soon(() => a.refusals).toEqual(['stranger']);
  await a.transport.close();
});
