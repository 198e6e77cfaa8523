// A job on exactly one instance, however many run: only the leader keeps the schedule.
//   node examples/cron.ts & node examples/cron.ts & node examples/cron.ts
import { setTimeout as sleep } from 'node:timers/promises';
import { join } from 'batonjs';

const everyMs = Number(process.env.EVERY_MS ?? 60_000);
const stop = new AbortController();
process.once('SIGTERM', () => stop.abort());

const group = await join('reports');
for await (const term of group.election('cron').terms({ signal: stop.signal })) {
  while (!term.signal.aborted) {
    // leadership was lost, or we are to stop
    console.log(`report by ${process.pid}, term ${term.fence}`); // `fence` throws if we only believe to lead
    await sleep(everyMs, null, { signal: term.signal }).catch(() => {});
  }
}
await group.leave();
