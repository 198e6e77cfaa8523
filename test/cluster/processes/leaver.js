// Opens a transport to itself and another one and an engine, uses and closes them; must then end by itself.
import { EmbeddedEngine } from '../../../dist/cluster/engines/embedded.js';
import { listen } from '../../../dist/cluster/transport/unix.js';

const engine = new EmbeddedEngine({ group: 'leavers', leaseMs: 60_000 });
engine.watch(() => {});
let arrived = () => {};
const open = (id) =>
  listen(engine.address(id), {
    id,
    group: 'leavers',
    listener: { received: () => arrived(), closed: () => {}, refused: () => {} },
  });
const [a, b] = [await open('a'), await open('b')];
const peers = [
  { id: 'a', address: a.address, label: '', priority: 0 },
  { id: 'b', address: b.address, label: '', priority: 0 },
];
await engine.renew('a');
const view = await engine.change(null, 'naimi-trehel', peers);
for (const [transport, to] of [
  [a, peers[1]],
  [b, peers[0]],
  [a, peers[0]],
])
  await new Promise((resolve) => {
    arrived = resolve;
    transport.send(to, { type: 'view', epoch: view.epoch });
  });
a.send({ id: 'nobody', address: `${a.address}.none`, label: '', priority: 0 }, { type: 'view', epoch: 1 });
await engine.expired(peers);
await engine.forget('a');
await Promise.all([a.close(), b.close(), engine.close()]);
console.log('closed');
