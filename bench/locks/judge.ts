// Merges the logs of all processes into one history, and checks and measures it.

/** All processes start when they receive this. Only the time between `from` and `to` counts. */
export interface Window {
  readonly from: number;
  readonly to: number;
}

export interface Raced {
  readonly log: Float64Array;
  readonly alone: { readonly count: number; readonly seconds: number } | null;
}

/** The columns of each entry in the log: times of request, entry and exit, number of the name, and fence or 0. */
export const columns = 5;
export interface Verdict {
  readonly acquisitions: number; // per second
  readonly handovers: number; // per second, between different processes
  readonly p50: number; // milliseconds from request to entry
  readonly p99: number;
  readonly max: number;
  readonly fairness: number;
  readonly violations: number; // entries before another process had left, or with a fence that did not rise
}

export function judge(all: readonly Raced[], names: number, { from, to }: Window): Verdict {
  const seconds = (to - from) / 1e9;
  const { handovers, violations } = follow(all, names, from, to);
  const counts = all.map(({ log }) => count(log, (at) => within(log[at + 1]!, from, to)));
  const waits = waitsOf(all, from, to);
  const alone = all[0]!.alone;
  return {
    acquisitions: alone === null ? sum(counts) / seconds : alone.count / alone.seconds,
    handovers: handovers / seconds,
    p50: quantile(waits, 0.5),
    p99: quantile(waits, 0.99),
    max: quantile(waits, 1),
    fairness: jain(counts),
    violations,
  };
}

const within = (time: number, from: number, to: number) => time >= from && time < to;
const sum = (values: readonly number[]) => values.reduce((a, b) => a + b, 0);

function count(log: Float64Array, wanted: (at: number) => boolean): number {
  let found = 0;
  for (let at = 0; at < log.length; at += columns) if (wanted(at)) found += 1;
  return found;
}

/** Returns Jain's index of the acquisitions: 1 if all processes have the same number, 1/n if one process has all. */
export function jain(counts: readonly number[]): number {
  const squares = sum(counts.map((x) => x * x));
  return squares === 0 ? Number.NaN : sum(counts) ** 2 / (counts.length * squares);
}

/** Goes through all entries in order, also before and after the window: exclusion holds there too. */
function follow(all: readonly Raced[], names: number, from: number, to: number) {
  const next = all.map(() => 0);
  const lastLeft = new Float64Array(names);
  const lastFence = new Float64Array(names);
  const lastProcess = new Int32Array(names).fill(-1);
  let handovers = 0;
  let violations = 0;
  for (;;) {
    const process = earliest(all, next);
    if (process < 0) return { handovers, violations };
    const { log } = all[process]!;
    const at = next[process]!;
    next[process] = at + columns;
    const [entered, left, name, fence] = [log[at + 1]!, log[at + 2]!, log[at + 3]!, log[at + 4]!];
    const isOther = lastProcess[name] !== process && lastProcess[name] !== -1;
    if (isOther && within(entered, from, to)) handovers += 1;
    if ((isOther && entered < lastLeft[name]!) || (fence > 0 && fence <= lastFence[name]!)) violations += 1;
    lastLeft[name] = Math.max(lastLeft[name]!, left);
    lastFence[name] = Math.max(lastFence[name]!, fence);
    lastProcess[name] = process;
  }
}

function earliest(all: readonly Raced[], next: readonly number[]): number {
  let process = -1;
  let time = Number.POSITIVE_INFINITY;
  for (let k = 0; k < all.length; k += 1) {
    const entered = all[k]!.log[next[k]! + 1];
    if (entered !== undefined && entered < time) {
      process = k;
      time = entered;
    }
  }
  return process;
}

/** Returns the waits of requests within the window, however late they entered. */
function waitsOf(all: readonly Raced[], from: number, to: number): Float64Array {
  const asked = all.map(({ log }) => count(log, (at) => within(log[at]!, from, to)));
  const waits = new Float64Array(sum(asked));
  let used = 0;
  for (const { log } of all)
    for (let at = 0; at < log.length; at += columns)
      if (within(log[at]!, from, to)) {
        waits[used] = (log[at + 1]! - log[at]!) / 1e6;
        used += 1;
      }
  return waits.sort();
}

export const quantile = (sorted: ArrayLike<number>, q: number): number =>
  sorted[Math.min(sorted.length - 1, Math.floor(q * sorted.length))] ?? Number.NaN;
