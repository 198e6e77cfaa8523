import type { Violation } from '../problems/monitor.ts';
import { type Model, mark } from './model.ts';
import { grown, Tuples } from './tuples.ts';

export interface Limits {
  readonly states: number; // at most so many are looked at,
  readonly bytes: number; // so much memory is taken,
  readonly depth: number; // and no run is followed for more events than this
}

export interface Found {
  readonly violation: Violation;
  readonly world: number; // where it shows
  readonly step: { readonly process: number; readonly what: number } | null; // the event after it that breaks it, if it is not the world itself
}

/** Every world that can be reached, breadth first: the first violation found is reached by as few events as any. */
export class Search {
  readonly worlds: Tuples;
  transitions = 0;
  depth = 0; // events that lead to the worlds being looked at
  found: Found | null = null;
  cutOff: string | null = null; // why something was left out
  readonly witnesses: number[]; // the world that shows each, or -1
  lastRest = -1; // the last world found
  resting = 0; // worlds in which nothing is bound to happen
  readonly #model: Model;
  readonly #limits: Limits;
  readonly #lemmas: boolean;
  #parents: Int32Array = new Int32Array(1024);
  readonly #sleeps: boolean;
  #asleep: Int32Array = new Int32Array(1024); // of each world: events that lead nowhere new, as the model numbers them, as bits
  readonly #awakened: { readonly world: number; readonly asleep: number }[] = []; // looked at already, but not at all that is awake now
  #head = 0; // the next world to look at
  #levelEnd = 0; // where the worlds of this depth end

  /** `sleep`: of events that commute, follow one order only. */
  constructor(model: Model, { limits, lemmas, sleep }: { limits: Limits; lemmas: boolean; sleep: boolean }) {
    this.#model = model;
    this.#limits = limits;
    this.#lemmas = lemmas;
    this.#sleeps = sleep;
    this.witnesses = model.witnesses.map(() => -1);
    this.worlds = new Tuples(model.width);
    for (const { world, violation } of model.initial()) {
      model.canonise(world, 0);
      this.#enter(world, 0, -1, mark.told, 0);
      if (violation !== null) this.found ??= { violation, world: this.worlds.size - 1, step: null };
    }
    this.#levelEnd = this.worlds.size;
  }

  get frontier(): number {
    return this.worlds.size - this.#head;
  }

  get bytes(): number {
    return this.worlds.bytes + this.#parents.byteLength + this.#asleep.byteLength;
  }

  /** The world from which one was first reached; -1 if it is initial. */
  parent(world: number): number {
    return this.#parents[world]!;
  }

  /** Looks at up to `count` more worlds; false when there are none, or something was found. */
  advance(count: number): boolean {
    for (let left = count; left > 0; left -= 1) {
      if (this.found !== null || this.cutOff !== null || !this.#hasNext()) return false;
      const world = this.#head;
      this.#head += 1;
      if (!this.#expand(world, this.#sleeps ? this.#asleep[world]! : null)) this.#rest(world);
      for (let next = this.#awakened.pop(); next !== undefined; next = this.#awakened.pop())
        this.#expand(next.world, next.asleep);
      if (this.worlds.size >= this.#limits.states && this.frontier > 0)
        this.cutOff = `more than ${this.#limits.states} states`;
    }
    if (this.bytes > this.#limits.bytes) this.cutOff ??= `what needs more than ${this.#limits.bytes} bytes`;
    return true;
  }

  #hasNext(): boolean {
    if (this.frontier === 0) return false;
    if (this.#head < this.#levelEnd) return true;
    if (this.depth + 1 >= this.#limits.depth) {
      this.cutOff = `runs of more than ${this.#limits.depth} events`;
      return false;
    }
    this.depth += 1;
    this.#levelEnd = this.worlds.size;
    return true;
  }

  /** False if nothing is bound to happen there. */
  #expand(world: number, asleep: number | null): boolean {
    const { expansion, width } = this.#model;
    if (this.#model.expandSome(this.worlds.data, world * width, asleep) && this.#follow(world) > world)
      return true;
    this.#model.expand(this.worlds.data, world * width, asleep);
    this.#follow(world);
    return expansion.mustGoOn;
  }

  /** Goes to all successors; the first of them, by number. */
  #follow(world: number): number {
    const { expansion, width } = this.#model;
    let first = Infinity;
    this.transitions += expansion.count;
    for (let k = 0; k < expansion.count; k += 1) {
      const how = expansion.marks[k]!;
      if (how === mark.broken) this.#breaks(world, k);
      else first = Math.min(first, this.#enter(expansion.next, k * width, world, how, expansion.asleep[k]!));
    }
    return first;
  }

  #breaks(world: number, k: number): void {
    const { via } = this.#model.expansion;
    const [process, what] = [via[2 * k]!, via[2 * k + 1]!];
    this.found ??= { violation: this.#model.brokenBy(process, what)!, world, step: { process, what } };
  }

  #enter(from: Int32Array, offset: number, parent: number, how: number, asleep: number): number {
    const { worlds } = this;
    const before = worlds.size;
    const world = worlds.add(from, offset);
    if (worlds.size === before) {
      if (this.#sleeps) this.#awaken(world, asleep);
      return world;
    }
    if (world >= this.#parents.length) this.#makeRoom(world);
    this.#parents[world] = parent;
    if (this.#sleeps) this.#asleep[world] = asleep;
    if (how !== mark.none || this.#lemmas) this.#look(world, from, offset, how);
    return world;
  }

  #makeRoom(world: number): void {
    const length = Math.ceil(1.5 * world);
    this.#parents = grown(this.#parents, length);
    if (this.#sleeps) this.#asleep = grown(this.#asleep, length);
  }

  /** A world is reached in another way: asleep is only what was asleep both times. */
  #awaken(world: number, asleep: number): void {
    const before = this.#asleep[world]!;
    const still = before & asleep;
    if (still === before) return;
    this.#asleep[world] = still;
    if (world < this.#head) this.#awakened.push({ world, asleep: still }); // all of it: what follows was told of who slept
  }

  #look(world: number, from: Int32Array, offset: number, how: number): void {
    const isTold = how === mark.told;
    const violation =
      (isTold ? this.#model.broken(from, offset) : null) ??
      (this.#lemmas ? this.#model.brokenLemma(from, offset) : null);
    if (violation !== null) this.found ??= { violation, world, step: null };
    const isNew = how === mark.told || (how === mark.asked && this.witnesses[0]! < 0);
    if (isNew) this.#witness(world, this.#model.witnessed(from, offset));
  }

  #witness(world: number, shown: number): void {
    for (let k = 0; k < this.witnesses.length; k += 1) {
      if ((shown & (1 << k)) !== 0 && this.witnesses[k]! < 0) this.witnesses[k] = world;
    }
  }

  #rest(world: number): void {
    this.resting += 1;
    this.lastRest = world;
    const violation = this.#model.atRest(this.worlds.data, world * this.#model.width);
    if (violation !== null) this.found ??= { violation, world, step: null };
  }
}
