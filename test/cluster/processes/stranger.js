// A process that knows the name, the members and the addresses of a group, but not its key. It attacks one member, and prints what it
// learned: stranger.js GROUP ID-OF-VICTIM ADDRESS-OF-VICTIM ID-OF-ANOTHER-MEMBER [KEY]
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { connect, createServer } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';
import { connect as connectTls } from 'node:tls';
import { frameFormats } from '../../../dist/cluster/transport/encoding/frame-formats.js';
import { FrameWriter } from '../../../dist/cluster/transport/encoding/framing.js';
import { packHello, versionsOf } from '../../../dist/cluster/transport/encoding/handshake.js';
import { parseSocketAddress } from '../../../dist/cluster/transport/socket-address.js';
import { listenTcp } from '../../../dist/cluster/transport/tcp.js';

const [group, victim, address, member, key] = process.argv.slice(2);
const at = parseSocketAddress(address);
const learned = { frames: [], bytes: '', dialled: 0, secured: 0 };

const bait = createServer((socket) => {
  learned.dialled += 1;
  socket.destroy();
});
await once(bait.listen(0, '127.0.0.1'), 'listening');
const baitAddress = `127.0.0.1:${bait.address().port}`;

const versions = versionsOf(frameFormats);
const { pack } = frameFormats.get(versions.highest);
const frames = [
  { type: 'ask', question: 1 },
  { type: 'ping', question: 2 },
  { type: 'snapshot', question: 3 },
  { type: 'reach', question: 4, address: baitAddress },
  { type: 'view', epoch: 2 ** 30 },
  {
    ...{ type: 'run', epoch: 1, lock: 'invoice-42', algorithm: 'li-hudak', entry: 1, as: 0, stamp: null },
    message: { type: 'token' },
  },
];
const bytes = (from, session) => {
  const hello = { ...versions, group, from, to: victim, session, isResumed: session > 0, ticket: '' };
  const writer = new FrameWriter();
  writer.add(packHello(hello));
  for (const frame of frames) writer.add(pack(frame));
  return writer.take();
};

/** Sends everything over a socket, and records what comes back. */
async function attack(socket) {
  socket
    .on('error', () => {})
    .on('secureConnect', () => {
      learned.secured += 1;
    });
  socket.on('data', (chunk) => {
    learned.bytes += chunk.toString('hex');
  });
  const isClosed = new Promise((resolve) => socket.on('close', resolve));
  for (const from of ['stranger', member]) for (const session of [0, 1]) socket.write(bytes(from, session));
  await isClosed;
}

const sha256 = (text) => createHash('sha256').update(text).digest();
const guesses = [Buffer.alloc(32), sha256(group), sha256(victim)];

await attack(connect(at));
await attack(connectTls({ ...at, rejectUnauthorized: false }));
for (const psk of guesses)
  for (const identity of [group, sha256(group).toString('hex')])
    await attack(
      connectTls({
        ...{ ...at, minVersion: 'TLSv1.3', ciphers: 'TLS_AES_128_GCM_SHA256', rejectUnauthorized: false },
        pskCallback: () => ({ psk, identity }),
      }),
    );
for (const tried of key === undefined ? guesses : [Buffer.from(key, 'hex')])
  for (const id of ['stranger', member]) {
    let end;
    const closed = new Promise((resolve) => {
      end = resolve;
    });
    const listener = { received: (_, frame) => learned.frames.push(frame), closed: end, refused: () => {} };
    const options = { groupKey: async () => tried, unreachableAfterMs: 500 };
    const transport = await listenTcp(options, { id, group, listener });
    for (const frame of frames) transport.send({ id: victim, address, label: '', priority: 0 }, frame);
    await Promise.race([closed, pause(2000)]);
    await transport.close();
  }
bait.close();
console.log(JSON.stringify(learned));
console.log('ready');
