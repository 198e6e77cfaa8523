import { type Group, join } from '../../cluster/index.ts';
import { type ConnectionFlags, connectionOptionsFrom } from '../input/connection-flags.ts';
import type { onTermination } from './child-process.ts';

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
