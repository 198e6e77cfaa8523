// One process of the demonstration: a member that takes the same lock repeatedly, or stands for the same election. It ends with its
// supervisor: demo-process.js PRIORITY [ALGORITHM]
import { setTimeout as pause } from 'node:timers/promises';
import { liHudak } from '../../algorithms/locks-and-elections.ts';
import { EmbeddedEngine } from '../../cluster/engines/local/embedded-engine.ts';
import { Group } from '../../cluster/group/group.ts';
import type { Term } from '../../cluster/group/leader-election.ts';
import type { Lock } from '../../cluster/group/lock.ts';
import { engineLeaseFraction } from '../../cluster/membership/lease-margin.ts';
import { listenUnix } from '../../cluster/transport/unix.ts';
import { MemberRecorder } from './member-recorder.ts';

const group = 'lab-demo';
const leaseMs = 2000; // a process that is stopped for longer is removed
const [, , priority, algorithm] = process.argv;
const [holdMs, restMs] = algorithm === undefined ? [1000, 1200] : [3000, 1200]; // on average: slow enough to click on the holder

process.once('disconnect', () => process.exit());
if (!process.connected) process.exit(); // the supervisor has already ended
process.on('SIGINT', () => {}); // from a terminal: the supervisor decides

const recorder = new MemberRecorder((report) => process.connected && process.send!(report));
const engine = new EmbeddedEngine({ group, leaseMs: engineLeaseFraction * leaseMs });
const member = new Group({
  ...{ group, algorithm: liHudak.name, algorithmOf: () => liHudak, leaseMs, priority: Number(priority) },
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

/** Waits for the lock, or for a term. */
async function nextTurn(): Promise<Lock | Term> {
  if (algorithm === undefined) return member.lock('baton');
  const { value } = await member.election('leader', { algorithm }).terms().next();
  return value!; // this process never leaves the group
}

await member.join(undefined);
for (;;) {
  await about(restMs);
  ask();
  isWaiting = true;
  const turn = await nextTurn();
  isWaiting = false;
  recorder.entered();
  await about(holdMs);
  if (turn.state !== 'lost') recorder.beginStep({ kind: 'call', name: 'release' });
  await turn[Symbol.asyncDispose](); // releases the lock, or resigns
}
