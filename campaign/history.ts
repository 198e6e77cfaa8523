// The reports of members about their locks, and whether they keep the promises of a lock. They are judged in the order of time, piece by
// piece, and then forgotten, so that a run can take hours.
import { WaitTimes } from './wait-times.ts';

export interface Hold {
  readonly member: number;
  readonly life: number; // the process, among all that were started
  readonly lock: string;
  readonly acquired: number;
  readonly waitedMs: number;
  readonly fence: number | null;
  sure: number; // until then the member certainly held it
  end: 'released' | 'lost' | null; // null: it still holds the lock, or was killed
}

/** A span in which two members may hold a lock, because the engine has lost its data. */
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
  readonly fencesBackExcused: number; // by old members, soon after the engine had lost its data
  readonly waitMs: { readonly p50: number; readonly p99: number; readonly longest: number };
}

export interface Violation {
  readonly at: number; // on the clock of `Hold.acquired`
  readonly promise: 'one holder' | 'fences rise' | 'no lost update' | 'service';
  readonly what: string;
}

/** The part of the history that was judged last. */
export interface Judged {
  readonly holds: readonly Hold[];
  readonly violations: readonly Violation[];
}

type Fences = Map<string, number>; // by lock

interface Start {
  readonly at: number;
  readonly life: number;
}

export class History {
  #holds = new Map<string, Hold>();
  #starts: Start[] = [];
  #excuses: Span[] = [];
  readonly #floors = new Map<number, Fences>(); // by process: it must only acquire with larger fences
  readonly #exited = new Set<number>();
  readonly #latest = new Map<string, Hold>(); // by lock: of all that were judged, the one that certainly held last
  readonly #highest: Fences = new Map();
  readonly #waits = new WaitTimes();
  readonly #counts = {
    holds: 0,
    lost: 0,
    overlaps: 0,
    overlapsExcused: 0,
    fencesBack: 0,
    fencesBackExcused: 0,
  };

  /** A process starts. Everything that it acquires must have a larger fence than all that was acquired before. */
  started(life: number, at: number): void {
    this.#starts.push({ life, at });
  }

  exited(life: number): void {
    this.#exited.add(life);
  }

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

  excuse(span: Span): void {
    this.#excuses.push(span);
  }

  /** Judges and forgets what was acquired before this time, up to the first lock that is still held. */
  judge(before: number): Judged {
    const open = [...this.#holds.values()].filter(({ end, life }) => end === null && !this.#exited.has(life));
    const until = Math.min(before, ...open.map(({ acquired }) => acquired));
    const due = [...this.#holds].filter(([, { acquired }]) => acquired < until);
    const holds = due.map(([, hold]) => hold).sort((a, b) => a.acquired - b.acquired);
    const violations: Violation[] = [];
    for (const hold of holds) {
      this.#starting(hold.acquired);
      this.#judgeOne(hold, violations);
    }
    this.#starting(until);
    for (const [key] of due) this.#holds.delete(key);
    this.#forget(until);
    return { holds, violations };
  }

  get verdict(): Verdict {
    const waitMs = {
      p50: this.#waits.quantile(0.5),
      p99: this.#waits.quantile(0.99),
      longest: this.#waits.longest,
    };
    return { ...this.#counts, waitMs };
  }

  /** Notes what was acquired before each of the processes that started by then. */
  #starting(until: number): void {
    while (this.#starts.length > 0 && this.#starts[0]!.at <= until)
      this.#floors.set(this.#starts.shift()!.life, new Map(this.#highest));
  }

  #judgeOne(hold: Hold, violations: Violation[]): void {
    const { lock, acquired, sure, fence, life, member } = hold;
    const isExcused = this.#excuses.some(({ from, to }) => acquired >= from && acquired <= to);
    const before = this.#latest.get(lock);
    if (before !== undefined && acquired < before.sure) {
      this.#counts[isExcused ? 'overlapsExcused' : 'overlaps'] += 1;
      if (!isExcused)
        violations.push({
          at: acquired,
          promise: 'one holder',
          what: `two held '${lock}': member ${member} acquired it, and member ${before.member} held it for ${(before.sure - acquired).toFixed(1)} ms more`,
        });
    }
    if (before === undefined || sure > before.sure) this.#latest.set(lock, hold);
    if (fence !== null) this.#judgeFence(hold, fence, isExcused, violations);
    this.#counts.holds += 1;
    if (hold.end === 'lost') this.#counts.lost += 1;
    this.#waits.add(hold.waitedMs);
    this.#floors.get(life)?.set(lock, Math.max(fence ?? 0, this.#floors.get(life)!.get(lock) ?? 0));
  }

  /** Old members of an engine that has lost its data may be late, but no process goes back itself, or starts below another. */
  #judgeFence(
    { lock, acquired, life, member }: Hold,
    fence: number,
    isLate: boolean,
    all: Violation[],
  ): void {
    const highest = this.#highest.get(lock) ?? -1;
    const floor = this.#floors.get(life)?.get(lock) ?? -1;
    const isExcused = isLate && fence > floor;
    if (fence <= highest) this.#counts[isExcused ? 'fencesBackExcused' : 'fencesBack'] += 1;
    if (fence <= highest && !isExcused)
      all.push({
        at: acquired,
        promise: 'fences rise',
        what: `the fence of '${lock}' went back from ${highest} to ${fence}, of member ${member}`,
      });
    this.#highest.set(lock, Math.max(highest, fence));
  }

  #forget(until: number): void {
    this.#excuses = this.#excuses.filter(({ to }) => to >= until);
    const present = new Set([...this.#holds.values()].map(({ life }) => life));
    for (const life of this.#exited) {
      if (present.has(life) || this.#starts.some((start) => start.life === life)) continue;
      this.#floors.delete(life);
      this.#exited.delete(life);
    }
  }
}
