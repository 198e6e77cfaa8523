import type { Random } from '../../../src/core/random.ts';
import type { MemberId, Peer, View } from '../../../src/member/index.ts';
import type { EventQueue } from './event-queue.ts';
import type { SimulatedProcess } from './simulated-process.ts';

/** `refusing`: fails at once. `silent`: no answer, but the operation may be carried out. `slow`: requests and answers take long. */
export type Outage = 'refusing' | 'silent' | 'slow';

interface Watcher {
  readonly machine: SimulatedProcess;
  viewChanged(view: View): void;
}

const timeoutMs = 500; // of an operation without an answer
const slowMs = 700;
const hintsArrive = 0.7;
const epochMs = 1000 / 64;
const rounding = 1e-6;

/** What one attempt to change the view came to: a view, or a time to wait before the epoch begins. */
type Attempt = { readonly view: View } | { readonly epoch: number; readonly waitMs: number };

/**
 * An engine with a view changed by compare-and-set, leases by its own clock, hints that may get lost, and outages. Epochs follow the same
 * rule as in src/cluster/engines: they are above all that the process has seen, and not ahead of the clock.
 */
export class SimulatedEngine {
  readonly #queue: EventQueue;
  readonly #random: Random;
  readonly #delay: () => number;
  readonly #leaseMs: number;
  readonly #rate: number;
  readonly #leases = new Map<MemberId, number>(); // expiry, by the clock of the engine
  readonly #watchers = new Set<Watcher>();
  #view: View | null = null;
  readonly #past: View[] = [];
  readonly #seen = new WeakMap<SimulatedProcess, number>(); // the highest epoch, by process
  #restoredAt = 0;
  outage: Outage | null = null;
  readonly outages = new Map<string, Outage>(); // for single processes, by name

  constructor(
    queue: EventQueue,
    random: Random,
    {
      delay,
      leaseMs,
      rate,
    }: { readonly delay: () => number; readonly leaseMs: number; readonly rate: number },
  ) {
    this.#queue = queue;
    this.#random = random;
    this.#delay = delay;
    this.#leaseMs = leaseMs;
    this.#rate = rate;
  }

  read(by: SimulatedProcess, answered: (view: View | null) => void, failed?: () => void): void {
    const seen = this.#seenBy(by);
    const answer = (view: View | null) => {
      if (view === null || view.epoch < seen) answered(null);
      else if (view.epoch < this.#seenBy(by))
        this.read(by, answered, failed); // another answer was faster
      else {
        this.#seen.set(by, view.epoch);
        answered(view);
      }
    };
    this.#ask(by, () => this.#view, answer, failed);
  }

  change(
    by: SimulatedProcess,
    after: View | null,
    members: readonly Peer[],
    answered: (view: View) => void,
    failed?: () => void,
    start: number | null = null,
  ): void {
    const seen = this.#seenBy(by);
    const answer = (attempt: Attempt) => {
      if ('waitMs' in attempt)
        by.after(attempt.waitMs, () => this.change(by, after, members, answered, failed, attempt.epoch));
      else {
        this.#seen.set(by, Math.max(this.#seenBy(by), attempt.view.epoch));
        answered(attempt.view);
      }
    };
    this.#ask(by, () => this.#attempt(after, members, seen, start), answer, failed);
  }

  #attempt(after: View | null, members: readonly Peer[], seen: number, start: number | null): Attempt {
    const { now } = this.#queue;
    const newest = this.#view !== null && this.#view.epoch >= seen ? this.#view : null;
    if (newest !== null && newest.epoch !== after?.epoch) return { view: newest };
    if (newest === null && after !== null) return { view: { ...after, members: [] } };
    const least = newest === null ? (start ?? this.epochAt(now) + 1) : this.epochAt(now);
    const epoch = Math.max(seen + 1, (newest?.epoch ?? 0) + 1, least);
    if (this.isEarly(epoch, now)) return { epoch, waitMs: epoch * epochMs - now + rounding };
    // What docs/locks.md does not promise: the data is lost while this process waits, with a view that another one has created meanwhile.
    if (epoch === start && this.#past.some((past) => past.epoch >= epoch))
      return { epoch: this.epochAt(now) + 1, waitMs: (this.epochAt(now) + 1) * epochMs - now + rounding };
    const view: View = { epoch, algorithm: '', members, ...(newest !== null && { after: newest.epoch }) };
    this.#view = view;
    this.#past.push(view);
    for (const watcher of this.#watchers) this.#hint(watcher, view);
    return { view };
  }

  renew(by: SimulatedProcess, id: MemberId, answered: () => void, failed?: () => void): void {
    const set = () => {
      this.#leases.set(id, this.#clock + this.#leaseMs);
    };
    this.#ask(by, set, answered, failed);
  }

  expired(
    by: SimulatedProcess,
    members: readonly Peer[],
    answered: (ids: MemberId[]) => void,
    failed?: () => void,
  ) {
    const findExpired = () => {
      const over = members.filter(({ id }) => (this.#leases.get(id) ?? -1) <= this.#clock);
      return over.map(({ id }) => id);
    };
    this.#ask(by, findExpired, answered, failed);
  }

  forget(by: SimulatedProcess, id: MemberId): void {
    this.#ask(
      by,
      () => this.#leases.delete(id),
      () => {},
    );
  }

  /** Wipes the data, or restores an old backup, with or without leases. */
  forgetAll(): void {
    this.#view = this.#past[this.#random.below(this.#past.length + 1)] ?? null;
    if (this.#random.chance(0.7)) this.#leases.clear();
    if (this.#view !== null) this.#restoredAt = this.#queue.now + epochMs; // a backup takes longer than an epoch
  }

  watch(watcher: Watcher): () => void {
    this.#watchers.add(watcher);
    return () => this.#watchers.delete(watcher);
  }

  // Faulty variants override these rules.

  protected epochAt(now: number): number {
    return Math.floor(now / epochMs);
  }

  protected isEarly(epoch: number, now: number): boolean {
    return epoch > this.epochAt(now);
  }

  #seenBy(process: SimulatedProcess): number {
    return this.#seen.get(process) ?? -1;
  }

  get #clock(): number {
    return this.#queue.now * this.#rate;
  }

  #hint(watcher: Watcher, view: View): void {
    if (this.#outageOf(watcher.machine) !== null || !this.#random.chance(hintsArrive)) return;
    const told = () => {
      this.#seen.set(watcher.machine, Math.max(this.#seenBy(watcher.machine), view.epoch));
      watcher.viewChanged(view);
    };
    this.#queue.after(this.#delay(), () => watcher.machine.perform(told));
  }

  #transit(by: SimulatedProcess): number {
    return this.#delay() + (this.#outageOf(by) === 'slow' ? this.#random.below(slowMs) : 0);
  }

  #outageOf(machine: SimulatedProcess): Outage | null {
    if (this.#queue.now < this.#restoredAt) return 'refusing';
    return this.outage ?? this.outages.get(machine.name) ?? null;
  }

  #ask<T>(
    by: SimulatedProcess,
    operation: () => T,
    answered: (value: T) => void,
    failed: () => void = () => {},
  ): void {
    this.#queue.after(this.#transit(by), () => {
      const outage = this.#outageOf(by);
      const answer = (task: () => void, delay = this.#transit(by)) =>
        this.#queue.after(delay, () => by.perform(task));
      if (outage === 'refusing') answer(failed);
      else if (outage === 'silent') {
        if (this.#random.chance(0.5)) operation();
        answer(failed, timeoutMs);
      } else {
        const value = operation();
        answer(() => answered(value));
      }
    });
  }
}
