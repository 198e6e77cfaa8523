// Termination of this process by a signal before its command runs.
import { constants } from 'node:os';
import { type Group, join } from '../../cluster/index.ts';
import { connectionOptionsFrom, type JoinFlags } from '../input/connection-flags.ts';

/**
 * Returns a signal that aborts on SIGTERM, SIGHUP or SIGINT while no command runs yet, and the exit code for it. Call `stop` once the command
 * runs.
 */
export function onTermination(): { readonly signal: AbortSignal; readonly code: () => number; stop(): void } {
  const controller = new AbortController();
  let code = 0;
  const onSignal = (signal: NodeJS.Signals) => {
    code = 128 + constants.signals[signal];
    controller.abort();
  };
  const signals = ['SIGTERM', 'SIGHUP', 'SIGINT'] as const;
  for (const signal of signals) process.on(signal, onSignal);
  return {
    signal: controller.signal,
    code: () => code,
    stop: () => {
      for (const signal of signals) process.off(signal, onSignal);
    },
  };
}

/** Joins the group. On termination it exits at once, because the client of an engine may keep the process alive. */
export async function joinOrExit(
  options: JoinFlags & { readonly group: string },
  { signal, code, stop }: ReturnType<typeof onTermination>,
): Promise<Group> {
  try {
    return await join(options.group, { ...connectionOptionsFrom(options), local: options.local, signal });
  } catch (error) {
    stop();
    if (signal.aborted) process.exit(code());
    throw error;
  }
}
