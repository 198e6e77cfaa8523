// One of several processes that stand for an election by algorithm, and resigns on command:
// candidate.js GROUP ALGORITHM PRIORITY
import { join } from 'batonjs';

const [, , name, algorithm, priority] = process.argv;
const group = await join(name, { priority: Number(priority), leaseMs: 5000 });
let resign = () => {};
process.on('message', async (message) => {
  if (message === 'resign') resign();
  else if (message === 'stand') stand();
  else {
    await group.leave();
    process.disconnect();
  }
});

async function stand() {
  process.send('stands');
  for await (const term of group.election('chief', { algorithm }).terms()) {
    process.send({ fence: term.fence });
    const resigned = new Promise((resolve) => {
      resign = resolve;
    });
    await Promise.race([resigned, new Promise((resolve) => term.signal.addEventListener('abort', resolve))]);
  }
}

process.send('joined');
