import { countBelow } from '../core/binary-search.ts';
import type { TracedMessage, TraceIndex } from './trace-index.ts';

/** `time`: as far apart as they are in virtual time. `even`: one step each. */
export type Spacing = 'time' | 'even';

const bin = 64; // units; what crosses one is found through it
const maxPassingArrows = 300; // arrows that only cross a bin, at most; further ones are found where they begin and end
const gap = 0.6; // units between events that would fall on one point, or a message and its cause

/**
 * Where the events of a run are on a space-time diagram whose time runs to the right, in units: a step, or a tick. Lanes are processes. Events
 * are laid out as they are added to the chronicle, and only those in a window are looked up. Accesses to shared memory come one after the other.
 */
export class SpaceTimeLayout {
  readonly chronicle: TraceIndex;
  readonly spacing: Spacing;
  readonly #x: number[] = [];
  readonly #front: number[] = []; // the largest x so far: where the present is after each event
  readonly #lane: Float64Array; // the last x on each lane
  readonly #points: number[][] = []; // events by bin
  readonly #arrows: TracedMessage[][] = []; // arrows by bin, in each that they cross
  readonly #found = new Map<number, number>(); // by number: in which search it was found last
  #search = 0;

  constructor(chronicle: TraceIndex, spacing: Spacing) {
    this.chronicle = chronicle;
    this.spacing = spacing;
    this.#lane = new Float64Array(chronicle.n).fill(-gap);
    this.extend();
  }

  /** Lays out what the chronicle has got since. */
  extend(): void {
    const { events, messages, registers } = this.chronicle;
    const sharesMemory = registers.names.length > 0;
    for (let index = this.#x.length; index < events.length; index += 1) {
      const { process, time, input } = events[index]!;
      const message = input.kind === 'recv' || input.kind === 'lose' ? messages.get(input.serial) : undefined;
      const before = sharesMemory ? (this.#front.at(-1) ?? -gap) : this.#lane[process]!;
      const after = Math.max(before, message ? this.#x[message.sent]! : 0);
      const x = this.spacing === 'even' ? index + 1 : Math.max(time, after + gap);
      this.#lane[process] = x;
      this.#x.push(x);
      this.#front.push(Math.max(this.#front.at(-1) ?? 0, x));
      put(this.#points, x, index);
      if (message?.ended === index) this.#add(message, x);
    }
  }

  #add(message: TracedMessage, end: number): void {
    const [first, last] = [Math.floor(this.#x[message.sent]! / bin), Math.floor(end / bin)];
    put(this.#arrows, first * bin, message);
    if (last > first) put(this.#arrows, last * bin, message);
    for (let k = first + 1; k < last; k += 1) {
      if (this.#arrows[k]!.length < maxPassingArrows) this.#arrows[k]!.push(message);
    }
  }

  x(event: number): number {
    return this.#x[event]!;
  }

  /** How far to the right anything is. */
  get width(): number {
    return this.#front.at(-1) ?? 0;
  }

  /** Where the present is when so many events have happened; between two of them for a fraction. */
  present(position: number): number {
    const whole = Math.floor(position);
    const at = (k: number) => (k <= 0 ? 0 : (this.#front[Math.min(k, this.#front.length) - 1] ?? 0));
    return at(whole) + (position - whole) * (at(whole + 1) - at(whole));
  }

  /** How many events have happened where the present is here. */
  positionAt(x: number): number {
    return countBelow(this.#front, x + 1e-9);
  }

  /** How far a message has come, from 0 to 1, when the present is here. One that is not known to end gets ever slower. */
  progress({ sent, ended }: TracedMessage, present: number): number {
    const from = this.#x[sent]!;
    if (ended < 0) return 0.9 * (1 - 1 / (1 + Math.max(0, present - from) / 8));
    return Math.min(1, Math.max(0, (present - from) / (this.#x[ended]! - from)));
  }

  /** Events between two places. */
  points(from: number, to: number): number[] {
    const found: number[] = [];
    for (let k = Math.max(0, Math.floor(from / bin)); k <= to / bin; k += 1) {
      for (const index of this.#points[k] ?? [])
        if (this.#x[index]! >= from && this.#x[index]! <= to) found.push(index);
    }
    return found;
  }

  /**
   * Messages that arrived or were lost, if their arrow begins or ends between two places, each once; and those that only pass, as far as they are
   * not too many to be told apart.
   */
  arrows(from: number, to: number): TracedMessage[] {
    const found: TracedMessage[] = [];
    this.#search += 1;
    for (let k = Math.max(0, Math.floor(from / bin)); k <= to / bin; k += 1) {
      for (const message of this.#arrows[k] ?? []) {
        if (this.#found.get(message.serial) === this.#search) continue;
        this.#found.set(message.serial, this.#search);
        if (this.#x[message.sent]! <= to && this.#x[message.ended]! >= from) found.push(message);
      }
    }
    return found;
  }

  /** The event nearest to a place, if one is within reach of it; lanes are one unit apart, those of registers below the processes. */
  nearest(x: number, lane: number, reachX: number, reachLane: number): number | null {
    let best: number | null = null;
    let least = 1;
    const { n, registers, events } = this.chronicle;
    for (const index of this.points(x - reachX, x + reachX)) {
      const event = events[index]!;
      const lanes = [event.process, ...registers.accessesOf(event).map(({ register }) => n + register)];
      const across = Math.min(...lanes.map((one) => Math.abs(one - lane))) / reachLane;
      const along = (this.#x[index]! - x) / reachX;
      const distance = across * across + along * along;
      if (distance <= least) {
        least = distance;
        best = index;
      }
    }
    return best;
  }
}

function put<T>(bins: T[][], x: number, item: T): void {
  const k = Math.floor(x / bin);
  while (bins.length <= k) bins.push([]);
  bins[k]!.push(item);
}
