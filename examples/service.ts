// A web service that runs on several instances and shuts down cleanly: it finishes its requests, and the next instance starts the job only
// after this one has stopped it.
//   PORT=8080 node examples/service.ts reports.txt & PORT=8081 node examples/service.ts reports.txt
import { appendFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { BatonError, join, type Term } from 'batonjs';

const [file = 'reports.txt'] = process.argv.slice(2);
const { PORT = '0', WORK_MS = '2000', EVERY_MS = '60000', DRAIN_MS = '10000' } = process.env;
const group = await join('service');
const stopping = new AbortController();

// Requests: POST /invoices/42 takes the lock of that invoice. GET tells the load balancer whether this instance is ready.
const server = createServer(async (request, response) => {
  try {
    if (request.method === 'POST')
      await group.withLock(`bill ${request.url}`, { timeoutMs: 5000 }, (lock) => work(lock.signal));
    else if (group.state !== 'member') response.statusCode = 503;
  } catch (error) {
    response.statusCode = error instanceof BatonError ? 503 : 500; // not available, or lost: the client tries again
  }
  if (stopping.signal.aborted) response.setHeader('Connection', 'close'); // `server.close` waits for open connections
  response.end(`${group.state}\n`);
});

// The job: one instance writes reports.
async function runJob(): Promise<void> {
  for await (const term of group.election('reports').terms())
    while (!stopping.signal.aborted && !term.signal.aborted) {
      await report(term);
      const until = AbortSignal.any([stopping.signal, term.signal]);
      await sleep(Number(EVERY_MS), null, { signal: until }).catch(() => {});
    }
}

async function report({ fence, signal }: Term): Promise<void> {
  appendFileSync(file, `begins ${process.pid} ${fence}\n`);
  await work(signal).then(
    () => appendFileSync(file, `ends ${process.pid} ${fence}\n`),
    () => appendFileSync(file, `stops ${process.pid} ${fence}\n`), // leadership was lost, or the drain was over
  );
}

const work = (signal: AbortSignal) => sleep(Number(WORK_MS), null, { signal }); // stands for the real work, which obeys the signal

async function shutDown(): Promise<void> {
  stopping.abort(); // the job begins nothing new
  server.close(); // nor do connections
  await group.leave({ drainMs: Number(DRAIN_MS) }); // what is held finishes, or is told to stop; then others go on
}

process.once('SIGTERM', shutDown);
server.listen(Number(PORT), () => console.log(`port ${(server.address() as AddressInfo).port}`));
await runJob();
