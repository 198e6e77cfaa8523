// Holds a lock, and blocks its event loop when it is told to. At the end it says until when it certainly held the lock, by the clock of the
// machine: blocked-holder.js GROUP LEASE_MS
import { join } from 'batonjs';
import { machineNs } from '../../../dist/cluster/engines/local/machine-clock.js';

const [, , group, leaseMs] = process.argv;
const member = await join(group, { leaseMs: Number(leaseMs) });
const lock = await member.lock('one');
const { fence } = lock;
process.on('message', ({ blockMs }) => {
  for (const until = Date.now() + blockMs; Date.now() < until; );
  const at = machineNs(); // before the check: if the check succeeds, the lock was held at this time
  lock.assertHeld();
  process.send({ fence, heldUntil: String(at) });
});
process.send('held');
