// One process of the demonstration: a member of its group that takes one lock again and again. It ends with who started it.
import { setTimeout as pause } from 'node:timers/promises';
import { liHudak } from '../../algorithms/index.ts';
import { EmbeddedEngine } from '../../cluster/engines/embedded.ts';
import { Group } from '../../cluster/group.ts';
import { endsAtEngine } from '../../cluster/incarnation.ts';
import { listen } from '../../cluster/transport/unix.ts';
import { Recorder } from './recorder.ts';

const group = 'lab-demo';
const leaseMs = 2000; // who is stopped for longer is out
const [holdMs, restMs] = [1000, 1200]; // on average: slow enough to catch who holds it

process.once('disconnect', () => process.exit());
if (!process.connected) process.exit(); // gone already
process.on('SIGINT', () => {}); // of a terminal: who started this process decides

const recorder = new Recorder((report) => process.connected && process.send!(report));
const engine = new EmbeddedEngine({ group, leaseMs: endsAtEngine * leaseMs });
const member = new Group({
  ...{ group, algorithm: liHudak.name, algorithmOf: () => liHudak, leaseMs, priority: 0 },
  engine,
  isSpread: false,
  listen: recorder.observed((id, listener) => listen(engine.address(id), { group, id, listener })),
});

let isWaiting = false;
const ask = () => recorder.happens({ kind: 'call', name: 'request' });

member.on('view', ({ epoch, members }) =>
  recorder.tell({ kind: 'view', epoch, members: members.map(({ id }) => id) }),
);
member.on('out', () => {
  recorder.tell({ kind: 'out' });
  if (isWaiting) ask(); // as another member
});

const about = (milliseconds: number) => pause(milliseconds * (0.5 + Math.random()));

await member.join(undefined);
for (;;) {
  await about(restMs);
  ask();
  isWaiting = true;
  const lock = await member.lock('baton');
  isWaiting = false;
  recorder.entered();
  await about(holdMs);
  if (lock.state !== 'lost') recorder.happens({ kind: 'call', name: 'release' });
  await lock.release();
}
