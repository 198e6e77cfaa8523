// Runs the checker outside the page, one request at a time, until the page tells it to stop. The page terminates it if it does not.
import { algorithmInfo } from '../../catalogue/index.ts';
import { Check } from '../../check/index.ts';
import { InputError } from '../../core/assert.ts';
import type { CheckTask, FromCheckWorker, ToCheckWorker } from './check-client.ts';
import { checkArguments } from './check-request.ts';

const sliceMs = 40; // between two looks at messages from the page
const statesPerSlice = 500; // between two looks at the clock
const reportInterval = 100; // milliseconds between two reports

let isStopped = false;

addEventListener('message', ({ data }: MessageEvent<ToCheckWorker>) => {
  if (data === 'stop') isStopped = true;
  else void search(data).catch((error) => refuse(error, data));
});

const send = (message: FromCheckWorker) => postMessage(message);
const pause = () => new Promise((resolve) => setTimeout(resolve));

async function evaluateCode(code: string, name: string) {
  const { evaluate } = await import('../edit/evaluate.ts');
  return evaluate(code, name);
}

async function search({ request, code }: CheckTask): Promise<void> {
  isStopped = false;
  send({ kind: 'begins' });
  const custom = code === null ? undefined : await evaluateCode(code, request.algorithm);
  const { subject, space, options } = checkArguments(request, custom);
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
  const memory = algorithmInfo(subject).registers(report.n);
  const ms = performance.now() - started;
  send({ kind: 'result', result: { report, trace, memory, isStopped, ms } });
}

function advance(check: Check): boolean {
  const until = performance.now() + sliceMs;
  while (performance.now() < until) if (!check.advance(statesPerSlice)) return false;
  return true;
}

function refuse(error: unknown, { code }: CheckTask): void {
  if (!(error instanceof InputError) && code === null) throw error;
  send({ kind: 'refused', why: error instanceof Error ? error.message : String(error) });
}
