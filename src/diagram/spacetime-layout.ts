import { countBelow } from '../core/binary-search.ts';
import type { TracedMessage, TraceIndex } from './trace-index.ts';

/** The spacing of events. `time`: distances follow virtual time. `even`: one step per event. */
export type Spacing = 'time' | 'even';

const bin = 64; // width in units; events and arrows are looked up by bin
const maxPassingArrows = 300; // the most arrows listed in a bin they only cross; others are found where they begin and end
const gap = 0.6; // least distance of two events of a process, or of a message from its cause, in units

/**
 * The layout of a space-time diagram: time runs to the right, in steps or ticks, and each process has a lane. Events are laid out as they
 * are added to the trace index, and looked up by window. Accesses to shared memory are strictly ordered. A position is the number of events
 * before it.
 * @example
 * import { raymond } from 'batonjs/algorithms';
 * import { SpaceTimeLayout, TraceIndex } from 'batonjs-lab/diagram';
 * import { simulate } from 'batonjs-lab/sim';
 *
 * const run = simulate(raymond, { n: 3, topology: 'line', start: [{ process: 2 }], events: true });
 * const layout = new SpaceTimeLayout(TraceIndex.of(run.trace), 'even');
 * [layout.width, layout.x(2), layout.present(2.5), layout.positionAt(3)]; // → [6, 3, 2.5, 3]
 * layout.points(1, 3); // → [0, 1, 2]
 * layout.nearest(2.1, 1, 1, 1); // → 1
 * layout.arrows(1, 6).map((message) => layout.progress(message, 2)); // → [1, 0, 0, 0]
 * layout.extend(); // does nothing, because no event was added
 */
export class SpaceTimeLayout {
  /** The events to lay out. */
  readonly traceIndex: TraceIndex;
  /** The spacing of events. */
  readonly spacing: Spacing;
  readonly #x: number[] = [];
  readonly #front: number[] = []; // the largest x so far, after each event
  readonly #lane: Float64Array; // the last x on each lane
  readonly #points: number[][] = []; // events by bin
  readonly #arrows: TracedMessage[][] = []; // by each bin that they cross
  readonly #found = new Map<number, number>(); // by message: the last search that found it
  #search = 0;

  constructor(traceIndex: TraceIndex, spacing: Spacing) {
    this.traceIndex = traceIndex;
    this.spacing = spacing;
    this.#lane = new Float64Array(traceIndex.n).fill(-gap);
    this.extend();
  }

  /** Lays out the events added to the trace index since the last call. */
  extend(): void {
    const { events, messages, registers } = this.traceIndex;
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

  /** Returns the x of an event. */
  x(event: number): number {
    return this.#x[event]!;
  }

  /** The largest x of any event. */
  get width(): number {
    return this.#front.at(-1) ?? 0;
  }

  /** Returns the x of the present at a position. A fraction lies between two events. */
  present(position: number): number {
    const whole = Math.floor(position);
    const at = (k: number) => (k <= 0 ? 0 : (this.#front[Math.min(k, this.#front.length) - 1] ?? 0));
    return at(whole) + (position - whole) * (at(whole + 1) - at(whole));
  }

  /** Returns the position whose present is at x. */
  positionAt(x: number): number {
    return countBelow(this.#front, x + 1e-9);
  }

  /** Returns how far a message has travelled when the present is at this x, from 0 to 1. A message without a known end becomes slower and slower. */
  progress({ sent, ended }: TracedMessage, present: number): number {
    const from = this.#x[sent]!;
    if (ended < 0) return 0.9 * (1 - 1 / (1 + Math.max(0, present - from) / 8));
    return Math.min(1, Math.max(0, (present - from) / (this.#x[ended]! - from)));
  }

  /** Returns the events with x between `from` and `to`. */
  points(from: number, to: number): number[] {
    const found: number[] = [];
    for (let k = Math.max(0, Math.floor(from / bin)); k <= to / bin; k += 1) {
      for (const index of this.#points[k] ?? [])
        if (this.#x[index]! >= from && this.#x[index]! <= to) found.push(index);
    }
    return found;
  }

  /**
   * Returns the messages that arrived or were lost whose arrow begins or ends between `from` and `to`, each once. Arrows that only cross this range
   * are included up to a limit.
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

  /** Returns the event nearest to a point; null if none is within reach. Lanes are one unit apart; registers come below the processes. */
  nearest(x: number, lane: number, reachX: number, reachLane: number): number | null {
    let best: number | null = null;
    let least = 1;
    const { n, registers, events } = this.traceIndex;
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
