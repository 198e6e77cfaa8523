// Runs the checker outside the page, one request at a time, until the page tells it to stop.
import { Check } from '../../check/index.ts';
import { InputError } from '../../core/assert.ts';
import type { FromCheckWorker, ToCheckWorker } from './check-client.ts';
import { checkArguments } from './check-request.ts';

const sliceMs = 40; // between two looks at messages from the page
const statesPerSlice = 500; // between two looks at the clock
const reportInterval = 100; // milliseconds between two reports

let isStopped = false;

addEventListener('message', ({ data }: MessageEvent<ToCheckWorker>) => {
  if (data === 'stop') isStopped = true;
  else void search(data.request).catch(refuse);
});

const send = (message: FromCheckWorker) => postMessage(message);
const pause = () => new Promise((resolve) => setTimeout(resolve));

async function search(request: Exclude<ToCheckWorker, 'stop'>['request']): Promise<void> {
  isStopped = false;
  const { subject, space, options } = checkArguments(request);
  const check = new Check(subject, space, options);
  const started = performance.now();
  let reportedAt = started;
  while (!isStopped && advance(check)) {
    await pause();
    const now = performance.now();
    if (now - reportedAt < reportInterval) continue;
    reportedAt = now;
    const { states, depth, frontier, bytes, isCheckingLiveness } = check;
    send({
      kind: 'progress',
      progress: { states, depth, frontier, bytes, isCheckingLiveness, ms: now - started },
    });
  }
  const report = check.report();
  const trace = check.example();
  send({ kind: 'result', result: { report, trace, isStopped, ms: performance.now() - started } });
}

function advance(check: Check): boolean {
  const until = performance.now() + sliceMs;
  while (performance.now() < until) if (!check.advance(statesPerSlice)) return false;
  return true;
}

function refuse(error: unknown): void {
  if (!(error instanceof InputError)) throw error;
  send({ kind: 'refused', why: error.message });
}
