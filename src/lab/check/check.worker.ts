// The checker, beside the page. It is asked one question at a time, and told when to stop.
import { Check } from '../../check/index.ts';
import { InputError } from '../../core/assert.ts';
import type { FromCheckWorker, ToCheckWorker } from './check-client.ts';
import { checkArguments } from './check-request.ts';

const slice = 40; // milliseconds between two looks at what the page says
const statesPerSlice = 500; // between two looks at the clock
const reportInterval = 100; // milliseconds between two reports

let isStopped = false;

addEventListener('message', ({ data }: MessageEvent<ToCheckWorker>) => {
  if (data === 'stop') isStopped = true;
  else void search(data.question).catch(refuse);
});

const send = (message: FromCheckWorker) => postMessage(message);
const pause = () => new Promise((resolve) => setTimeout(resolve));

async function search(question: Exclude<ToCheckWorker, 'stop'>['question']): Promise<void> {
  isStopped = false;
  const { subject, space, options } = checkArguments(question);
  const check = new Check(subject, space, options);
  const started = performance.now();
  let said = started;
  while (!isStopped && advance(check)) {
    await pause();
    const now = performance.now();
    if (now - said < reportInterval) continue;
    said = now;
    const { states, depth, frontier, bytes, isCheckingLiveness } = check;
    send({
      kind: 'progress',
      progress: { states, depth, frontier, bytes, isCheckingLiveness, ms: now - started },
    });
  }
  const report = check.report();
  const trace = check.example();
  send({ kind: 'answer', answer: { report, trace, isStopped, ms: performance.now() - started } });
}

function advance(check: Check): boolean {
  const until = performance.now() + slice;
  while (performance.now() < until) if (!check.advance(statesPerSlice)) return false;
  return true;
}

function refuse(error: unknown): void {
  if (!(error instanceof InputError)) throw error;
  send({ kind: 'refused', why: error.message });
}
