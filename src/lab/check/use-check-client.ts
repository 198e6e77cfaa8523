import { useLayoutEffect, useState } from 'preact/hooks';
import { CheckClient } from './check-client.ts';

/** One search at a time, for the page as long as it is open. */
const checkClient = new CheckClient(
  () => new Worker(new URL('./check.worker.ts', import.meta.url), { type: 'module', name: 'checker' }),
);

/** The search; who uses it is drawn again when it is further. */
export function useCheckClient(): CheckClient {
  const [, redraw] = useState(0);
  useLayoutEffect(() => checkClient.subscribe(() => redraw((count) => count + 1)), []);
  return checkClient;
}
