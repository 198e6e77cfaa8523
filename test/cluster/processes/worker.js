// One of many processes that share a lock. It writes a log while it holds the lock, and blocks its event loop on command:
// worker.js LOG GROUP LEASE_MS ALGORITHM
import { appendFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { join } from 'batonjs';
import { machineNs } from '../../../dist/cluster/engines/local/machine-clock.js';

const [, , log, group, leaseMs, algorithm] = process.argv;
const write = (what, fence, at) => appendFileSync(log, `${what} ${process.pid} ${fence} ${at}\n`);

let isStopping = false;
process.on('message', (message) => {
  if (message === 'stop') isStopping = true;
  else for (const until = Date.now() + message.blockMs; Date.now() < until; );
});

async function turn(member) {
  const lock = await member.lock('one');
  const entered = machineNs();
  try {
    const { fence } = lock;
    write('enter', fence, entered);
    for (let i = Math.floor(Math.random() * 3); i >= 0; i -= 1) {
      await sleep(Math.random() * 3);
      const at = machineNs(); // before the check: if the check succeeds, the lock was held at this time
      lock.assertHeld();
      write('held', fence, at);
    }
    await lock.release();
    write('leave', fence, machineNs());
  } catch (error) {
    if (error.code !== 'lost') throw error;
    write('lost', 0, machineNs());
  }
}

const member = await join(group, { leaseMs: Number(leaseMs), algorithm });
process.send('joined');
for (let turns = 1; !isStopping; turns += 1) {
  await turn(member);
  process.send({ turns });
  await sleep(Math.random() * 2);
}
await member.leave();
process.disconnect();
