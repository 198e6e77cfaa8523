// A member of a group of several runtimes, which does what its standard input says, and prints what happens:
// group-member.mjs GROUP OPTIONS-OF-JOIN-AS-JSON FOLDER
//
//   turns COUNT    takes the lock COUNT times, counts in a file, and writes what it does to a log
//   hold           takes the lock and keeps it
//   stand          stands for election, and leads until it leaves or is killed
//   members        prints the ids of all members, and the leader
//   leave          leaves the group: the process must then end by itself
import { appendFileSync, readFileSync, writeFileSync } from 'node:fs';
import { createInterface } from 'node:readline';
import { setTimeout as sleep } from 'node:timers/promises';
import { join } from 'batonjs';

const [name, options, folder] = process.argv.slice(2);
const log = (text) => appendFileSync(`${folder}/log`, `${text}\n`);

const group = await join(name, JSON.parse(options)).catch(({ code, message }) => {
  console.log('refused', code, message);
  process.exit(1);
});
const election = group.election('chief');
election.leader; // from now on, this member follows the election
const input = createInterface({ input: process.stdin });

async function turn(lock) {
  log(`enter ${lock.fence}`);
  const count = Number(readFileSync(`${folder}/count`, 'utf8'));
  await sleep(Math.random() * 2);
  lock.assertHeld();
  writeFileSync(`${folder}/count`, `${count + 1}`);
  log(`leave ${lock.fence}`);
}

const commands = {
  async turns(count) {
    for (let i = 0; i < Number(count); i += 1) await group.withLock('one', turn);
    console.log('turns done');
  },
  async hold() {
    const { fence } = await group.lock('one');
    log(`enter ${fence}`);
    console.log('holds', fence);
  },
  async stand() {
    for await (const term of election.terms()) {
      console.log('leads', term.fence);
      await new Promise((resolve) => term.signal.addEventListener('abort', resolve));
    }
  },
  async members() {
    const { members } = await group.inspect();
    console.log('members', election.leader?.id ?? 'none', members.map(({ id }) => id).join());
  },
  async leave() {
    await group.leave();
    input.close();
    process.stdin.destroy();
    console.log('left');
  },
};

console.log('joined', group.id);
input.on('line', (line) => {
  const [command, argument] = line.split(' ');
  commands[command](argument).catch((error) => console.log('failed', error.stack));
});
