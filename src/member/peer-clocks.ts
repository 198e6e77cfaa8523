// What the clocks of the other members show, by the four stamps of exchanges with them.
//
// 1. The stamps are of monotonic clocks, which nobody sets. When the other was asked, at T2, its clock was ahead of ours by at most
//    T2 - T1; when it answered, at T3, by at least T3 - T4: however long the ways were, whoever was stopped, whatever the rates.
// 2. So two exchanges bound the mean rate between them, and three bound it twice, over times that do not overlap. A rate is what holds
//    of both, so that what happens once is not taken for one.
// 3. The time of day is how far the wall clock is ahead of the monotonic one; both tell that anew in each exchange. A wall clock that was
//    set is believed at once, and nothing that was known of the monotonic clocks is lost.
// 4. While a computer sleeps its monotonic clock stands still and its wall clock goes on, as leases rely on. Where it has gained, the
//    bounds are so much wider.
import { bestSample, clockFilter, errorBound, type Sample, sampleOf } from '../core/ntp-sample.ts';
import type { LocalClocks } from './lease.ts';
import type { MemberId, Peer, View } from './view.ts';

/** Both clocks of one member: the wall clock was read between two looks at the monotonic one. */
export interface PeerClockReading {
  readonly heard: number;
  readonly wall: number;
  readonly said: number;
}

/** How much faster than ours a monotonic clock runs, 0.01 being one per cent: between these, in each of two times one after the other. */
export interface ClockRateBounds {
  readonly low: number;
  readonly high: number;
}

export interface PeerClock {
  readonly offset: number; // its time of day minus ours, when it answered last; milliseconds
  readonly error: number; // the truth is no further away
  readonly rate: ClockRateBounds | null; // null: not known yet
  readonly at: number; // when we heard that, by our monotonic clock
}

interface PingExchange extends Sample {
  readonly asked: PeerClockReading; // ours
  readonly theirs: PeerClockReading;
  readonly answered: PeerClockReading; // ours
}

const wallUnit = 1; // milliseconds: a wall clock is read rounded down
const mostPeersToPing = 16; // who follow us in the view, so that large groups do not speak of nothing else

/** Whom to ask in this turn: everybody once in so many turns, or as often as there are turns for. */
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

  /** What to answer to who asks now. */
  reading(): PeerClockReading {
    const heard = this.#clocks.monotonic();
    const wall = this.#clocks.wall();
    return { heard, wall, said: this.#clocks.monotonic() };
  }

  /** The question is sent now. Of several to one member only the last counts. */
  pingSent(id: MemberId, question: number): void {
    this.#questions.set(id, { question, asked: this.reading() });
  }

  /** Null: the other one does not tell. Gives whether something was learnt. */
  pongReceived(id: MemberId, question: number, theirs: PeerClockReading | null): boolean {
    const answered = this.reading();
    const open = this.#questions.get(id);
    if (open?.question !== question || theirs === null || theirs.said < theirs.heard) return false;
    this.#questions.delete(id);
    const { asked } = open;
    const sample = sampleOf([asked.said, theirs.heard, theirs.said, answered.heard]);
    const exchange = { ...sample, at: asked.said, asked, theirs, answered }; // from T1 on the clocks may have parted
    this.#exchanges.set(id, clockFilter(this.#exchanges.get(id) ?? [], exchange));
    return true;
  }

  /** Null: it has not answered yet. */
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
    // Others are of before a time in which both its clocks stood still, as those of a guest that is paused.
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

/** How far the wall clock is ahead of the monotonic one; both are rounded alike, so that differences are not. */
const leadOf = ({ heard, wall, said }: PeerClockReading): number => wall - (heard + said) / 2;
const doubtOf = ({ heard, said }: PeerClockReading): number => (wallUnit + said - heard) / 2;

/** For how long at most that computer slept: so much its wall clock has gained, or else it was set. */
function sleptBetween(then: PeerClockReading, now: PeerClockReading): number {
  const doubt = doubtOf(then) + doubtOf(now);
  const gained = leadOf(now) - leadOf(then);
  return gained <= doubt ? 0 : gained + doubt;
}

/** Of all two times one after the other, those of which most can be said. */
function rateIn(exchanges: readonly PingExchange[]): ClockRateBounds | null {
  const rates = exchanges.map((b, i) => exchanges.slice(0, i).map((a) => rateBetween(a, b))); // by the later, then the earlier
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

/** By point 1, which holds of some time between T1 and T4; while both were awake. */
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
