// Estimates the clocks of the other members from the four timestamps of ping exchanges.
//
// 1. The timestamps are of monotonic clocks, which are never set. At T2 the peer's clock was ahead of ours by at most T2 - T1, and at
//    T3 by at least T3 - T4. This holds for any message delays, pauses and clock rates.
// 2. So two exchanges bound the mean rate between them, and three bound it over two intervals that do not overlap. The bounds of a rate
//    cover both intervals, so that a single disturbance is not taken for a rate.
// 3. The time of day is the lead of the wall clock over the monotonic clock, and every exchange carries it for both sides. A wall clock
//    that was set is believed at once, and what is known of the monotonic clocks is kept.
// 4. While a computer sleeps, its monotonic clock stops and its wall clock runs on; leases rely on this. If the wall clock gained, the
//    bounds are widened by the gain.
import { bestSample, clockFilter, errorBound, type Sample, sampleOf } from '../core/ntp-sample.ts';
import type { LocalClocks } from './lease.ts';
import type { MemberId, Peer, View } from './view.ts';

/** Both clocks of one member. The wall clock is read between two readings of the monotonic clock, `heard` and `said`. */
export interface PeerClockReading {
  readonly heard: number;
  readonly wall: number;
  readonly said: number;
}

/** How much faster than ours a monotonic clock runs; 0.01 is one percent. The bounds hold in two consecutive intervals. */
export interface ClockRateBounds {
  readonly low: number;
  readonly high: number;
}

export interface PeerClock {
  readonly offset: number; // its time of day minus ours at its last answer; milliseconds
  readonly error: number; // bound on the error of `offset`
  readonly rate: ClockRateBounds | null; // null: not known yet
  readonly at: number; // of its last answer, by our monotonic clock
}

interface PingExchange extends Sample {
  readonly asked: PeerClockReading; // ours
  readonly theirs: PeerClockReading;
  readonly answered: PeerClockReading; // ours
}

const wallUnit = 1; // milliseconds: wall clocks are rounded down to this
const mostPeersToPing = 16; // the next ones in the view: limits the traffic in large groups

/**
 * Returns the peer to ping in this turn. Each of the next 16 members is pinged once per `turns` turns, or less often if there are more
 * members than turns.
 */
export function nextPeerToPing(
  { members }: View,
  me: MemberId,
  turn: number,
  turns: number,
): Peer | undefined {
  const position = members.findIndex(({ id }) => id === me);
  const others = [...members.slice(position + 1), ...members.slice(0, position)].slice(0, mostPeersToPing);
  return others[turn % Math.max(turns, others.length)];
}

export class PeerClocks {
  readonly #clocks: LocalClocks;
  readonly #questions = new Map<MemberId, { readonly question: number; readonly asked: PeerClockReading }>();
  readonly #exchanges = new Map<MemberId, readonly PingExchange[]>();

  constructor(clocks: LocalClocks) {
    this.#clocks = clocks;
  }

  /** Reads both clocks, for an answer to a ping. */
  reading(): PeerClockReading {
    const heard = this.#clocks.monotonic();
    const wall = this.#clocks.wall();
    return { heard, wall, said: this.#clocks.monotonic() };
  }

  /** Call when a ping is sent. Only the last ping to a member counts. */
  pingSent(id: MemberId, question: number): void {
    this.#questions.set(id, { question, asked: this.reading() });
  }

  /** Returns whether the answer was used. `theirs` is null if the peer does not report its clocks. */
  pongReceived(id: MemberId, question: number, theirs: PeerClockReading | null): boolean {
    const answered = this.reading();
    const open = this.#questions.get(id);
    if (open?.question !== question || theirs === null || theirs.said < theirs.heard) return false;
    this.#questions.delete(id);
    const { asked } = open;
    const sample = sampleOf([asked.said, theirs.heard, theirs.said, answered.heard]);
    if (sample.delay < 0) return false; // it claims to have taken longer to answer than we have waited
    const exchange = { ...sample, at: asked.said, asked, theirs, answered }; // clocks may have drifted since T1
    this.#exchanges.set(id, clockFilter(this.#exchanges.get(id) ?? [], exchange));
    return true;
  }

  /** Returns null if the peer has not answered yet. */
  of(id: MemberId): PeerClock | null {
    const exchanges = this.#exchanges.get(id) ?? [];
    const newest = exchanges.at(-1);
    if (newest === undefined) return null;
    const rate = rateIn(exchanges);
    const drift = rate === null ? 1 : Math.max(Math.abs(rate.low), Math.abs(rate.high));
    const now = newest.answered.heard;
    const { theirs, answered } = newest;
    const asOfNow = exchanges.map(({ offset, delay, at, ...then }) => {
      const asleep = sleptBetween(then.asked, answered) + sleptBetween(then.theirs, theirs);
      return { offset, delay: delay + 2 * asleep * (1 + drift), at };
    });
    const last = asOfNow.at(-1)!;
    const errorNow = (one: Sample) => errorBound(one, now, drift);
    // Samples that disagree are older than a time in which both clocks of the peer stopped, as in a paused virtual machine.
    const agreeing = asOfNow.filter(
      (one) => Math.abs(one.offset - last.offset) <= errorNow(one) + errorNow(last),
    );
    const sample = bestSample(agreeing, now, drift)!;
    return {
      offset: sample.offset + leadOf(theirs) - leadOf(answered),
      error: errorNow(sample) + doubtOf(theirs) + doubtOf(answered),
      rate,
      at: now,
    };
  }

  keep(ids: ReadonlySet<MemberId>): void {
    for (const known of [this.#questions, this.#exchanges])
      for (const id of known.keys()) if (!ids.has(id)) known.delete(id);
  }
}

/** The lead of the wall clock over the monotonic one. Rounding cancels out in differences. */
const leadOf = ({ heard, wall, said }: PeerClockReading): number => wall - (heard + said) / 2;
const doubtOf = ({ heard, said }: PeerClockReading): number => (wallUnit + said - heard) / 2;

/** An upper bound on how long a computer slept: the gain of its wall clock, which may also have been set. */
function sleptBetween(then: PeerClockReading, now: PeerClockReading): number {
  const doubt = doubtOf(then) + doubtOf(now);
  const gained = leadOf(now) - leadOf(then);
  return gained <= doubt ? 0 : gained + doubt;
}

/** Returns the tightest bounds over all pairs of consecutive intervals. */
function rateIn(exchanges: readonly PingExchange[]): ClockRateBounds | null {
  const rates = exchanges.map((b, i) => exchanges.slice(0, i).map((a) => rateBetween(a, b))); // by later exchange, then by earlier one
  let found: ClockRateBounds | null = null;
  let width = Infinity;
  for (let c = 2; c < exchanges.length; c += 1)
    for (let b = 1; b < c; b += 1)
      for (let a = 0; a < b; a += 1) {
        const [before, after] = [rates[b]![a]!, rates[c]![b]!];
        const low = Math.min(before.low, after.low);
        const high = Math.max(before.high, after.high);
        if (high - low >= width) continue;
        width = high - low;
        found = { low, high };
      }
  return found;
}

/** Bounds the mean rate between two exchanges by point 1, for the time in which both computers were awake. */
function rateBetween(a: PingExchange, b: PingExchange): ClockRateBounds {
  const shortest = b.asked.said - a.answered.heard;
  const longest = b.answered.heard - a.asked.said;
  if (shortest <= 0) return { low: -Infinity, high: Infinity };
  const slept = sleptBetween(a.asked, b.answered);
  const doubt = (a.delay + b.delay) / 2;
  const least = b.offset - a.offset - doubt - slept;
  const most = b.offset - a.offset + doubt + sleptBetween(a.theirs, b.theirs);
  return {
    low: least / ((least < 0 ? shortest : longest) + slept),
    high: most / (most < 0 ? longest : shortest),
  };
}
