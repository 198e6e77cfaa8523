// Opens, uses and closes transports of both kinds and an engine. The process must then end by itself: leaver.js CREDENTIALS-AS-JSON
import { EmbeddedEngine } from '../../../dist/cluster/engines/local/embedded-engine.js';
import { listenTcp } from '../../../dist/cluster/transport/tcp.js';
import { listenUnix } from '../../../dist/cluster/transport/unix.js';

const engine = new EmbeddedEngine({ group: 'leavers', leaseMs: 60_000 });
engine.watch(() => {});
let arrived = () => {};
const options = (id) => ({
  id,
  group: 'leavers',
  listener: { received: () => arrived(), closed: () => {}, refused: () => {} },
});
const open = (id) => listenUnix(engine.address(id), options(id));
const openTcp = (id) =>
  listenTcp({ ...JSON.parse(process.argv[2]), unreachableAfterMs: 60_000 }, options(id));
const [a, b] = [await open('a'), await open('b')];
const [c, d] = [await openTcp('c'), await openTcp('d')];
const peer = (id, { address }) => ({ id, address, label: '', priority: 0 });
const peers = [peer('a', a), peer('b', b)];
await engine.renew('a');
const view = await engine.change(null, 'naimi-trehel', peers);
for (const [transport, to] of [
  [a, peers[1]],
  [b, peers[0]],
  [a, peers[0]],
  [c, peer('d', d)],
  [d, peer('c', c)],
])
  await new Promise((resolve) => {
    arrived = resolve;
    transport.send(to, { type: 'view', epoch: view.epoch });
  });
a.send({ id: 'nobody', address: `${a.address}.none`, label: '', priority: 0 }, { type: 'view', epoch: 1 });
c.send({ id: 'nobody', address: '127.0.0.1:1', label: '', priority: 0 }, { type: 'view', epoch: 1 });
await engine.expired(peers);
await engine.forget('a');
await Promise.all([a.close(), b.close(), c.close(), d.close(), engine.close()]);
console.log('closed');
