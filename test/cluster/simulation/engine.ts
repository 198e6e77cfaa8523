import type { Random } from '../../../src/core/random.ts';
import type { MemberId, Peer, View } from '../../../src/member/index.ts';
import type { EventQueue } from './event-queue.ts';
import type { SimulatedProcess } from './simulated-process.ts';

/** `refusing`: fails at once. `silent`: no answer; perhaps it was done. `slow`: requests and answers take long. */
export type Outage = 'refusing' | 'silent' | 'slow';

interface Watcher {
  readonly machine: SimulatedProcess;
  viewed(view: View): void;
}

const patience = 500; // milliseconds after which who asks gives up
const slowness = 700;
const hintsArrive = 0.7;
const epochsPerMs = 10; // more than are ever made

/** A view changed by compare-and-set, leases by its own clock, hints that may get lost, outages. */
export class SimulatedEngine {
  readonly #agenda: EventQueue;
  readonly #random: Random;
  readonly #delay: () => number;
  readonly #leaseLasts: number;
  readonly #rate: number;
  readonly #leases = new Map<MemberId, number>(); // over at this time of the engine
  readonly #watchers = new Set<Watcher>();
  #view: View | null = null;
  readonly #past: View[] = [];
  outage: Outage | null = null;
  readonly outages = new Map<string, Outage>(); // of one process, by name

  constructor(
    agenda: EventQueue,
    random: Random,
    {
      delay,
      leaseLasts,
      rate,
    }: { readonly delay: () => number; readonly leaseLasts: number; readonly rate: number },
  ) {
    this.#agenda = agenda;
    this.#random = random;
    this.#delay = delay;
    this.#leaseLasts = leaseLasts;
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
        this.#view = { epoch: Math.max(next, this.leastEpoch(this.#agenda.now)), algorithm: '', members };
        this.#past.push(this.#view);
        for (const watcher of this.#watchers) this.#hint(watcher, this.#view);
      }
      return this.#view;
    };
    this.#ask(by, set, answered, failed);
  }

  renew(by: SimulatedProcess, id: MemberId, answered: () => void, failed?: () => void): void {
    const set = () => {
      this.#leases.set(id, this.#clock + this.#leaseLasts);
    };
    this.#ask(by, set, answered, failed);
  }

  expired(
    by: SimulatedProcess,
    members: readonly Peer[],
    answered: (ids: MemberId[]) => void,
    failed?: () => void,
  ) {
    const look = () => {
      const over = members.filter(({ id }) => (this.#leases.get(id) ?? -1) <= this.#clock);
      return over.map(({ id }) => id);
    };
    this.#ask(by, look, answered, failed);
  }

  forget(by: SimulatedProcess, id: MemberId): void {
    this.#ask(
      by,
      () => this.#leases.delete(id),
      () => {},
    );
  }

  /** Its data is wiped, or an old backup restored, with leases or without. */
  forgetAll(): void {
    this.#view = this.#past[this.#random.below(this.#past.length + 1)] ?? null;
    if (this.#random.chance(0.7)) this.#leases.clear();
  }

  watch(watcher: Watcher): () => void {
    this.#watchers.add(watcher);
    return () => this.#watchers.delete(watcher);
  }

  /** The rule that tests break. */
  protected leastEpoch(now: number): number {
    return Math.ceil(epochsPerMs * now);
  }

  get #clock(): number {
    return this.#agenda.now * this.#rate;
  }

  #hint(watcher: Watcher, view: View): void {
    if (this.#isOut(watcher.machine) !== null || !this.#random.chance(hintsArrive)) return;
    this.#agenda.after(this.#delay(), () => watcher.machine.perform(() => watcher.viewed(view)));
  }

  #transit(by: SimulatedProcess): number {
    return this.#delay() + (this.#isOut(by) === 'slow' ? this.#random.below(slowness) : 0);
  }

  #isOut(machine: SimulatedProcess): Outage | null {
    return this.outage ?? this.outages.get(machine.name) ?? null;
  }

  #ask<T>(
    by: SimulatedProcess,
    operation: () => T,
    answered: (value: T) => void,
    failed: () => void = () => {},
  ): void {
    this.#agenda.after(this.#transit(by), () => {
      const out = this.#isOut(by);
      const answer = (task: () => void, delay = this.#transit(by)) =>
        this.#agenda.after(delay, () => by.perform(task));
      if (out === 'refusing') answer(failed);
      else if (out === 'silent') {
        if (this.#random.chance(0.5)) operation();
        answer(failed, patience);
      } else {
        const value = operation();
        answer(() => answered(value));
      }
    });
  }
}
