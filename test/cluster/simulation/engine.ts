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
const epochsPerMs = 10; // more than views are created

/** An engine with a view changed by compare-and-set, leases by its own clock, hints that may get lost, and outages. */
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
    this.#ask(by, () => this.#view, answered, failed);
  }

  change(
    by: SimulatedProcess,
    after: View | null,
    members: readonly Peer[],
    answered: (view: View) => void,
    failed?: () => void,
  ): void {
    const set = () => {
      if (this.#view === null || this.#view.epoch === after?.epoch) {
        const next = (after?.epoch ?? 0) + 1;
        this.#view = { epoch: Math.max(next, this.leastEpoch(this.#queue.now)), algorithm: '', members };
        this.#past.push(this.#view);
        for (const watcher of this.#watchers) this.#hint(watcher, this.#view);
      }
      return this.#view;
    };
    this.#ask(by, set, answered, failed);
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
  }

  watch(watcher: Watcher): () => void {
    this.#watchers.add(watcher);
    return () => this.#watchers.delete(watcher);
  }

  /** Faulty variants override this rule. */
  protected leastEpoch(now: number): number {
    return Math.ceil(epochsPerMs * now);
  }

  get #clock(): number {
    return this.#queue.now * this.#rate;
  }

  #hint(watcher: Watcher, view: View): void {
    if (this.#outageOf(watcher.machine) !== null || !this.#random.chance(hintsArrive)) return;
    this.#queue.after(this.#delay(), () => watcher.machine.perform(() => watcher.viewChanged(view)));
  }

  #transit(by: SimulatedProcess): number {
    return this.#delay() + (this.#outageOf(by) === 'slow' ? this.#random.below(slowMs) : 0);
  }

  #outageOf(machine: SimulatedProcess): Outage | null {
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
