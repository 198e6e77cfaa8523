import { epochOf } from '../member/index.ts';

const windowMs = 5000;

/** How often locks are entered, from sampled fences: within a view, each entry increments the fence. */
export class EntryRates {
  readonly #seen = new Map<string, { readonly at: number; readonly fence: number }[]>();

  /** Recent entries per second; null until there are two fences of one view to compare. */
  of(lock: string, fence: number | null, now: number): number | null {
    const seen = (this.#seen.get(lock) ?? []).filter(({ at }) => at > now - windowMs);
    if (fence !== null) seen.push({ at: now, fence });
    const epoch = epochOf(seen.at(-1)?.fence ?? 0);
    const ofView = seen.filter((one) => epochOf(one.fence) === epoch);
    this.#seen.set(lock, ofView);
    const first = ofView[0];
    if (first === undefined || now - first.at < windowMs / 5) return null;
    return ((ofView.at(-1)!.fence - first.fence) * 1000) / (now - first.at);
  }

  /** Forgets all other locks. */
  keep(locks: ReadonlySet<string>): void {
    for (const lock of this.#seen.keys()) if (!locks.has(lock)) this.#seen.delete(lock);
  }
}
