// Adds members to the view of a group one by one, and prints every view that it created: adder.js GROUP NAME COUNT
import { EmbeddedEngine } from '../../../dist/cluster/engines/local/embedded-engine.js';

const [group, name, count] = process.argv.slice(2);
const engine = new EmbeddedEngine({ group, leaseMs: 60_000 });
console.log('ready');
for (let i = 0; i < Number(count); i += 1) {
  const peer = { id: `${name}-${i}`, address: engine.address(`${name}-${i}`), label: name, priority: 0 };
  await engine.renew(peer.id);
  for (;;) {
    const before = await engine.read();
    const wanted = [...(before?.members ?? []), peer];
    const after = await engine.change(before, 'naimi-trehel', wanted);
    if (!after.members.some(({ id }) => id === peer.id)) continue;
    console.log(after.members.at(-1).id === peer.id ? `made ${after.epoch}` : 'in, and followed at once');
    break;
  }
}
await engine.close();
