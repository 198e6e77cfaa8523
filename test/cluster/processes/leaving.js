// A process that holds a lock, several locks or a term, and leaves the group on SIGTERM while its work still runs:
// leaving.js LOG KIND
import { appendFileSync } from 'node:fs';
import { join } from 'batonjs';

const [, , log, kind] = process.argv;
const write = (what) => appendFileSync(log, `${what} ${process.pid}\n`);
const group = await join(`leaving-${kind}`);

async function enter() {
  if (kind === 'lock') return group.lock('a');
  if (kind === 'lockAll') return group.lockAll(['a', 'b']);
  return (await group.election('e').terms().next()).value;
}

console.log('joined');
const entered = enter();
process.once('SIGTERM', () => group.leave());
const held = await entered;
held.signal.addEventListener('abort', () => write(`aborted by ${held.signal.reason.code}`));
write('entered');
console.log('ready');
