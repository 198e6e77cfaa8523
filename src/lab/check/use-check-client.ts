import { useLayoutEffect, useState } from 'preact/hooks';
import { CheckClient } from './check-client.ts';

/** Lives as long as the page. */
const checkClient = new CheckClient(
  () => new Worker(new URL('./check.worker.ts', import.meta.url), { type: 'module', name: 'checker' }),
);

/** Returns the client and re-renders the component when its state changes. */
export function useCheckClient(): CheckClient {
  const [, redraw] = useState(0);
  useLayoutEffect(() => checkClient.subscribe(() => redraw((count) => count + 1)), []);
  return checkClient;
}
