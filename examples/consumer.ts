// A queue that only the leader consumes. The others watch who leads, and take over when it dies.
//   node examples/consumer.ts FILE & node examples/consumer.ts FILE; lines appended to FILE are the queue
import { readFile } from 'node:fs/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import { join, type Term } from 'batonjs';

const queue = process.argv[2]!;
const stop = new AbortController();
process.once('SIGTERM', () => stop.abort());

const group = await join('orders');
const election = group.election('consumer');

async function follow() {
  for await (const leader of election.observe({ signal: stop.signal }))
    console.log(
      leader === null ? 'nobody leads' : `${leader.label} leads${leader.isMe ? ': that is me' : ''}`,
    );
}

async function consume(term: Term) {
  for (let done = 0; !term.signal.aborted; await sleep(20)) {
    const lines = (await readFile(queue, 'utf8')).split('\n').slice(0, -1);
    for (; done < lines.length; done += 1) console.log(`consumed ${lines[done]} under fence ${term.fence}`);
  }
}

const following = follow();
for await (const term of election.terms({ signal: stop.signal })) await consume(term);
await following;
await group.leave();
