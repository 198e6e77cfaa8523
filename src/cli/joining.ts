import { type Group, join } from '../cluster/index.ts';
import type { untilTold } from './child.ts';
import { type PlaceFlags, placeFrom } from './place.ts';

/** Who is told to end while an engine does not answer ends at once: its client may hold on to it. */
export async function joinUnlessTold(
  options: PlaceFlags & { readonly group: string },
  { signal, code, stop }: ReturnType<typeof untilTold>,
): Promise<Group> {
  try {
    return await join(options.group, { ...placeFrom(options), signal });
  } catch (error) {
    stop();
    if (signal.aborted) process.exit(code());
    throw error;
  }
}
