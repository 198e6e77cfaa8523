import { InputError } from '../../core/assert.ts';
import { never } from '../scenario/number-checks.ts';

const bits = 10;
const size = 1 << bits; // buckets per level; their occupation is a bitmap of 32 words, summarised in one
const levels = 6; // 2^60 ticks
const chunk = 32; // slots side by side in memory

/**
 * The events of a run, in order of time and, within one tick, in the order they were scheduled. A hierarchical timing wheel
 * (Varghese and Lauck, 1987): level 0 has a bucket for each tick of the current window of 1024, level 1 one for each window,
 * and so on. A bucket is a list of chunks of slots in typed arrays, so that the events of a tick are read in a row. Nothing is
 * allocated per event once the pool has grown to the largest number of events at one time; empty ticks are skipped by bitmaps.
 */
export class TimingWheel {
  now = 0;
  // The contents of a slot. Read them before the next `add`: a slot that was taken is free.
  process: Int32Array = new Int32Array(0);
  code: Int16Array = new Int16Array(0); // the kind of event
  detail: Int32Array = new Int32Array(0);
  content: unknown[] = [];
  serial: Float64Array = new Float64Array(0); // kept only with `withSerials`
  chain: Int32Array = new Int32Array(0); // kept only with `withChains`

  #time = new Float64Array(0); // of slots above level 0
  #nextChunk = new Int32Array(0);
  #freeChunk = -1;
  #chunks = 0;
  #reading = -1; // the next slot of the current tick; -1 when none is left
  readonly #head = new Int32Array(levels * size).fill(-1); // first chunk of each bucket
  readonly #tail = new Int32Array(levels * size); // last slot of each occupied bucket
  readonly #words = new Int32Array(levels * 32); // which buckets are occupied
  readonly #summary = new Int32Array(levels); // which words are not zero
  readonly #end = new Float64Array(levels); // first time beyond the current window of each level
  readonly #withSerials: boolean;
  readonly #withChains: boolean;

  constructor({ withSerials = false, withChains = false } = {}) {
    this.#withSerials = withSerials;
    this.#withChains = withChains;
    for (let level = 0; level < levels; level += 1) this.#end[level] = size ** (level + 1);
  }

  /** Schedules an event and returns its slot. */
  add(time: number, process: number, code: number, detail: number, content: unknown): number {
    const slot = time < this.#end[0]! ? this.#append(time & (size - 1)) : this.#appendFar(time);
    this.process[slot] = process;
    this.code[slot] = code;
    this.detail[slot] = detail;
    this.content[slot] = content;
    return slot;
  }

  /** Takes the earliest event and moves `now` to its time. Returns its slot, or -1 if there is none. */
  take(): number {
    if (this.#reading < 0 && !this.#advance()) return -1;
    const slot = this.#reading;
    if (slot === this.#tail[this.now & (size - 1)]) {
      this.#reading = -1;
      this.#empty(0, this.now & (size - 1));
      this.#release(slot >> 5);
    } else if ((slot & (chunk - 1)) === chunk - 1) {
      const following = this.#nextChunk[slot >> 5]!;
      this.#head[this.now & (size - 1)] = following;
      this.#reading = following * chunk;
      this.#release(slot >> 5);
    } else this.#reading = slot + 1;
    return slot;
  }

  /** The slots of all scheduled events. Events added with nondecreasing times, as on a FIFO channel, are in that order. */
  *pending(): Iterable<number> {
    for (let level = 0; level < levels; level += 1) {
      for (let words = this.#summary[level]!; words !== 0; words &= words - 1) {
        const word = (level << 5) + lowest(words);
        for (let buckets = this.#words[word]!; buckets !== 0; buckets &= buckets - 1)
          yield* this.#slotsOf((word << 5) + lowest(buckets));
      }
    }
  }

  /** The time at which the event in a slot is due. */
  due(slot: number): number {
    for (let bucket = 0; bucket < size; bucket += 1) {
      if (this.#head[bucket]! < 0) continue;
      for (const one of this.#slotsOf(bucket)) if (one === slot) return this.#end[0]! - size + bucket;
    }
    return this.#time[slot]!;
  }

  *#slotsOf(bucket: number): Iterable<number> {
    const isCurrent = this.#reading >= 0 && bucket === (this.now & (size - 1));
    let slot = isCurrent ? this.#reading : this.#head[bucket]! * chunk;
    while (slot !== this.#tail[bucket]) {
      yield slot;
      slot = (slot & (chunk - 1)) === chunk - 1 ? this.#nextChunk[slot >> 5]! * chunk : slot + 1;
    }
    yield slot;
  }

  #append(bucket: number): number {
    let slot: number;
    if (this.#head[bucket]! < 0) {
      const first = this.#newChunk();
      this.#head[bucket] = first;
      this.#words[bucket >> 5]! |= 1 << (bucket & 31);
      this.#summary[bucket >> bits]! |= 1 << ((bucket >> 5) & 31);
      slot = first * chunk;
    } else {
      const last = this.#tail[bucket]!;
      slot = last + 1;
      if ((slot & (chunk - 1)) === 0) {
        const following = this.#newChunk();
        this.#nextChunk[last >> 5] = following;
        slot = following * chunk;
      }
    }
    this.#tail[bucket] = slot;
    return slot;
  }

  #appendFar(time: number): number {
    if (!(time < never)) throw new InputError('virtual time ends at 2^53 ticks: use shorter durations');
    let level = 1;
    while (time >= this.#end[level]!) level += 1;
    const slot = this.#append(level * size + (Math.floor(time / size ** level) % size));
    this.#time[slot] = time;
    return slot;
  }

  #empty(level: number, bucket: number): void {
    this.#head[level * size + bucket] = -1;
    const word = (level << 5) + (bucket >> 5);
    this.#words[word]! &= ~(1 << (bucket & 31));
    if (this.#words[word] === 0) this.#summary[level]! &= ~(1 << (bucket >> 5));
  }

  /** Moves `now` to the next occupied tick, opening windows on the way. */
  #advance(): boolean {
    const bucket = this.#first(0);
    if (bucket >= 0) {
      this.now = this.#end[0]! - size + bucket;
      this.#reading = this.#head[bucket]! * chunk;
      return true;
    }
    for (let level = 1; level < levels; level += 1) {
      const window = this.#first(level);
      if (window < 0) continue;
      this.#open(level, window);
      return this.#advance();
    }
    return false;
  }

  /** The first occupied bucket of a level; buckets before the current one are empty. */
  #first(level: number): number {
    const summary = this.#summary[level]!;
    if (summary === 0) return -1;
    const word = lowest(summary);
    return (word << 5) + lowest(this.#words[(level << 5) + word]!);
  }

  /** Makes `window` of `level` the current one and spreads its events over the levels below, in order. */
  #open(level: number, window: number): void {
    const start = this.#end[level]! - size ** (level + 1) + window * size ** level;
    for (let below = 0; below < level; below += 1) this.#end[below] = start + size ** (below + 1);
    const bucket = level * size + window;
    const last = this.#tail[bucket]!;
    let slot = this.#head[bucket]! * chunk;
    this.#empty(level, window);
    for (;;) {
      const time = this.#time[slot]!;
      const moved = this.add(
        time,
        this.process[slot]!,
        this.code[slot]!,
        this.detail[slot]!,
        this.content[slot],
      );
      if (this.#withSerials) this.serial[moved] = this.serial[slot]!;
      if (this.#withChains) this.chain[moved] = this.chain[slot]!;
      this.moved(slot, moved);
      const isEndOfChunk = (slot & (chunk - 1)) === chunk - 1;
      const following = isEndOfChunk ? this.#nextChunk[slot >> 5]! * chunk : slot + 1;
      if (isEndOfChunk || slot === last) this.#release(slot >> 5);
      if (slot === last) return;
      slot = following;
    }
  }

  /** Called when an event changes its slot. A host that remembers slots overrides it. */
  moved: (from: number, to: number) => void = () => {};

  #newChunk(): number {
    const free = this.#freeChunk;
    if (free >= 0) {
      this.#freeChunk = this.#nextChunk[free]!;
      return free;
    }
    if (this.#chunks === this.#nextChunk.length) this.#grow();
    this.#chunks += 1;
    return this.#chunks - 1;
  }

  #release(index: number): void {
    this.#nextChunk[index] = this.#freeChunk;
    this.#freeChunk = index;
  }

  #grow(): void {
    const chunks = Math.max(4, this.#nextChunk.length * 2);
    const capacity = chunks * chunk;
    this.process = copied(this.process, new Int32Array(capacity));
    this.code = copied(this.code, new Int16Array(capacity));
    this.detail = copied(this.detail, new Int32Array(capacity));
    this.#time = copied(this.#time, new Float64Array(capacity));
    if (this.#withSerials) this.serial = copied(this.serial, new Float64Array(capacity));
    if (this.#withChains) this.chain = copied(this.chain, new Int32Array(capacity));
    this.#nextChunk = copied(this.#nextChunk, new Int32Array(chunks));
  }
}

function copied<T extends Int32Array | Int16Array | Float64Array>(from: T, to: T): T {
  to.set(from);
  return to;
}

const lowest = (word: number): number => 31 - Math.clz32(word & -word);
