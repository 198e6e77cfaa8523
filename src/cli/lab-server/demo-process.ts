// One process of the demonstration: a member that takes the same lock repeatedly. It ends with its supervisor.
import { setTimeout as pause } from 'node:timers/promises';
import { liHudak } from '../../algorithms/index.ts';
import { EmbeddedEngine } from '../../cluster/engines/local/embedded-engine.ts';
import { Group } from '../../cluster/group/group.ts';
import { engineLeaseFraction } from '../../cluster/membership/lease-margin.ts';
import { listenUnix } from '../../cluster/transport/unix.ts';
import { MemberRecorder } from './member-recorder.ts';

const group = 'lab-demo';
const leaseMs = 2000; // a process that is stopped for longer is removed
const [holdMs, restMs] = [1000, 1200]; // on average: slow enough to click on the holder

process.once('disconnect', () => process.exit());
if (!process.connected) process.exit(); // the supervisor has already ended
process.on('SIGINT', () => {}); // from a terminal: the supervisor decides

const recorder = new MemberRecorder((report) => process.connected && process.send!(report));
const engine = new EmbeddedEngine({ group, leaseMs: engineLeaseFraction * leaseMs });
const member = new Group({
  ...{ group, algorithm: liHudak.name, algorithmOf: () => liHudak, leaseMs, priority: 0 },
  engine,
  spansMachines: false,
  listen: recorder.observed((id, listener) => listenUnix(engine.address(id), { group, id, listener })),
});

let isWaiting = false;
const ask = () => recorder.beginStep({ kind: 'call', name: 'request' });

member.on('view', ({ epoch, members }) =>
  recorder.report({ kind: 'view', epoch, members: members.map(({ id }) => id) }),
);
member.on('out', () => {
  recorder.report({ kind: 'out' });
  if (isWaiting) ask(); // the new member repeats the request
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
  if (lock.state !== 'lost') recorder.beginStep({ kind: 'call', name: 'release' });
  await lock.release();
}
