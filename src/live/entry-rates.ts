import { epochOf } from '../member/index.ts';

const lately = 5000; // milliseconds

/** How often locks are entered, from fences seen now and then: within a view, each entry has the next one. */
export class EntryRates {
  readonly #seen = new Map<string, { readonly at: number; readonly fence: number }[]>();

  /** Entries per second of late; null before there are two fences of one view to compare. */
  of(lock: string, fence: number | null, now: number): number | null {
    const seen = (this.#seen.get(lock) ?? []).filter(({ at }) => at > now - lately);
    if (fence !== null) seen.push({ at: now, fence });
    const epoch = epochOf(seen.at(-1)?.fence ?? 0);
    const ofView = seen.filter((one) => epochOf(one.fence) === epoch);
    this.#seen.set(lock, ofView);
    const first = ofView[0];
    if (first === undefined || now - first.at < lately / 5) return null;
    return ((ofView.at(-1)!.fence - first.fence) * 1000) / (now - first.at);
  }

  /** Forgets locks that are no more. */
  keep(locks: ReadonlySet<string>): void {
    for (const lock of this.#seen.keys()) if (!locks.has(lock)) this.#seen.delete(lock);
  }
}
