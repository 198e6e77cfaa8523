// A process that is told to terminate before it runs a command.
import { constants } from 'node:os';
import { type Group, join } from '../../cluster/index.ts';
import { type ConnectionFlags, connectionOptionsFrom } from '../input/connection-flags.ts';

/** Aborts when we are told to end while there is no command to pass that on to; `code` is then what to exit with. Stop it once the command runs. */
export function onTermination(): { readonly signal: AbortSignal; readonly code: () => number; stop(): void } {
  const controller = new AbortController();
  let code = 0;
  const told = (signal: NodeJS.Signals) => {
    code = 128 + constants.signals[signal];
    controller.abort();
  };
  const ends = ['SIGTERM', 'SIGHUP', 'SIGINT'] as const;
  for (const signal of ends) process.on(signal, told);
  return {
    signal: controller.signal,
    code: () => code,
    stop: () => {
      for (const signal of ends) process.off(signal, told);
    },
  };
}

/** Who is told to end while an engine does not answer ends at once: its client may hold on to it. */
export async function joinOrExit(
  options: ConnectionFlags & { readonly group: string },
  { signal, code, stop }: ReturnType<typeof onTermination>,
): Promise<Group> {
  try {
    return await join(options.group, { ...connectionOptionsFrom(options), signal });
  } catch (error) {
    stop();
    if (signal.aborted) process.exit(code());
    throw error;
  }
}
