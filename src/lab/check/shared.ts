import { useLayoutEffect, useState } from 'preact/hooks';
import { Checking } from './checking.ts';

/** One search at a time, for the page as long as it is open. */
const checking = new Checking(
  () => new Worker(new URL('./worker.ts', import.meta.url), { type: 'module', name: 'checker' }),
);

/** The search; who uses it is drawn again when it is further. */
export function useChecking(): Checking {
  const [, redraw] = useState(0);
  useLayoutEffect(() => checking.subscribe(() => redraw((count) => count + 1)), []);
  return checking;
}
