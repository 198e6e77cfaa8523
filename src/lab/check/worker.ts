// The checker, beside the page. It is asked one question at a time, and told when to stop.
import { Check } from '../../check/index.ts';
import { InputError } from '../../core/assert.ts';
import type { FromWorker, ToWorker } from './checking.ts';
import { asked } from './question.ts';

const slice = 40; // milliseconds between two looks at what the page says
const worlds = 500; // between two looks at the clock
const often = 100; // milliseconds between two reports

let isStopped = false;

addEventListener('message', ({ data }: MessageEvent<ToWorker>) => {
  if (data === 'stop') isStopped = true;
  else void search(data.question).catch(refuse);
});

const say = (message: FromWorker) => postMessage(message);
const pause = () => new Promise((resolve) => setTimeout(resolve));

async function search(question: Exclude<ToWorker, 'stop'>['question']): Promise<void> {
  isStopped = false;
  const { subject, space, options } = asked(question);
  const check = new Check(subject, space, options);
  const started = performance.now();
  let said = started;
  while (!isStopped && advance(check)) {
    await pause();
    const now = performance.now();
    if (now - said < often) continue;
    said = now;
    const { states, depth, frontier, bytes, isCheckingLiveness } = check;
    say({
      kind: 'progress',
      progress: { states, depth, frontier, bytes, isCheckingLiveness, ms: now - started },
    });
  }
  const report = check.report();
  const trace = check.example();
  say({ kind: 'answer', answer: { report, trace, isStopped, ms: performance.now() - started } });
}

function advance(check: Check): boolean {
  const until = performance.now() + slice;
  while (performance.now() < until) if (!check.advance(worlds)) return false;
  return true;
}

function refuse(error: unknown): void {
  if (!(error instanceof InputError)) throw error;
  say({ kind: 'refused', why: error.message });
}
