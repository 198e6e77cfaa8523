// The reports of members about their locks, and whether they keep the promises of a lock.
import { quantile } from '../bench/locks/judge.ts';

export interface Hold {
  readonly member: number;
  readonly lock: string;
  readonly acquired: number;
  readonly waitedMs: number;
  readonly fence: number | null;
  sure: number; // until then the member certainly held it
  end: 'released' | 'lost' | 'killed' | null;
}

export interface Span {
  readonly from: number;
  readonly to: number;
}

export interface Verdict {
  readonly holds: number;
  readonly lost: number;
  readonly overlaps: number; // acquired while another member certainly held it
  readonly overlapsExcused: number; // the same, soon after the engine had lost its data
  readonly fencesBack: number; // acquired later, with a fence that is not larger
  readonly fencesBackExcused: number;
  readonly waitMs: { readonly p50: number; readonly p99: number; readonly longest: number };
}

export class History {
  readonly #holds = new Map<string, Hold>();
  readonly excuses: Span[] = [];

  acquired(key: string, hold: Omit<Hold, 'sure' | 'end'>): void {
    this.#holds.set(key, { ...hold, sure: hold.acquired, end: null });
  }

  held(key: string, at: number): void {
    const hold = this.#holds.get(key);
    if (hold !== undefined) hold.sure = Math.max(hold.sure, at);
  }

  ended(key: string, end: Hold['end'], at: number): void {
    const hold = this.#holds.get(key);
    if (hold === undefined) return;
    hold.end = end;
    if (end === 'released') hold.sure = at;
  }

  /** Adds a span in which only the fence is promised. */
  excuse(span: Span): void {
    this.excuses.push(span);
  }

  get lines(): string[] {
    return [...this.#holds.values()]
      .sort((a, b) => a.acquired - b.acquired)
      .map((hold) => JSON.stringify(hold));
  }

  judge(): Verdict {
    const all = [...this.#holds.values()].sort((a, b) => a.acquired - b.acquired);
    const counts = { overlaps: 0, overlapsExcused: 0, fencesBack: 0, fencesBackExcused: 0 };
    const latest = new Map<string, { sure: number; fence: number }>();
    for (const { lock, acquired, fence, sure } of all) {
      const before = latest.get(lock) ?? { sure: 0, fence: -1 };
      const isExcused = this.excuses.some(({ from, to }) => acquired >= from && acquired <= to);
      if (acquired < before.sure) counts[isExcused ? 'overlapsExcused' : 'overlaps'] += 1;
      if (fence !== null && fence <= before.fence)
        counts[isExcused ? 'fencesBackExcused' : 'fencesBack'] += 1;
      latest.set(lock, {
        sure: Math.max(before.sure, sure),
        fence: Math.max(before.fence, fence ?? -1),
      });
    }
    const waits = Float64Array.from(all, ({ waitedMs }) => waitedMs).sort();
    const waitMs = { p50: quantile(waits, 0.5), p99: quantile(waits, 0.99), longest: quantile(waits, 1) };
    return { holds: all.length, lost: all.filter(({ end }) => end === 'lost').length, ...counts, waitMs };
  }
}
