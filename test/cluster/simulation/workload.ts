// What the applications do: they ask for locks, give up, read and write under the fence, release, stand for election.
import type { Random } from '../../../src/core/random.ts';
import { electionLock } from '../../../src/member/index.ts';
import { type Application, Node, type SimulatedMemberHost } from './node.ts';
import type { Hold, Wait } from './safety-observer.ts';
import type { World } from './simulate-group.ts';
import type { SimulatedProcess } from './simulated-process.ts';

export interface Habits {
  readonly locks: readonly string[];
  readonly elections: readonly string[];
  readonly workers: number; // per process
  readonly think: number; // milliseconds, at most
  readonly hold: number;
}

interface Held {
  readonly hold: Hold;
  readonly incarnation: SimulatedMemberHost;
  readonly isCareless: boolean; // goes on without asking whether it still holds: the resource must refuse it
}

/** All that runs on one process. */
export class Workload implements Application {
  readonly node: Node;
  readonly machine: SimulatedProcess;
  readonly #world: World;
  readonly #random: Random;
  readonly #habits: Habits;
  readonly #waiting = new Set<Wait>();
  readonly #held = new Map<Wait, Held>();
  readonly #keeping = new Set<Wait>(); // held until the end
  #isLeaving = false;

  constructor(world: World, machine: SimulatedProcess, habits: Habits) {
    this.#world = world;
    this.machine = machine;
    this.#random = world.random;
    this.#habits = habits;
    this.node = new Node(world, machine, this);
    for (let i = 0; i < habits.workers; i += 1) this.#think();
  }

  get isUp(): boolean {
    return this.node.isUp && !this.#isLeaving;
  }

  /** Asks for the leadership, to keep it until `resign`. */
  stand(election: string): Wait {
    const wait = this.#ask(electionLock(election), false);
    this.#keeping.add(wait);
    return wait;
  }

  holds(wait: Wait): boolean {
    return this.#held.has(wait);
  }

  resign(wait: Wait): void {
    this.#keeping.delete(wait);
    const held = this.#held.get(wait);
    if (held !== undefined) this.#release(held);
  }

  leave(): void {
    if (!this.isUp) return;
    this.#isLeaving = true;
    for (const wait of [...this.#waiting]) this.#cancel(wait);
    for (const held of [...this.#held.values()]) this.#release(held);
    this.node.leave();
  }

  // The member tells.

  granted(wait: Wait, incarnation: SimulatedMemberHost, fence: number): void {
    const { observer } = this.#world;
    this.#world.note(() => `${incarnation.id} has ${wait.lock} for wait ${wait.number}, fence ${fence}`);
    const hold = observer.granted(wait, incarnation.id, fence);
    this.#waiting.delete(wait);
    const held = { hold, incarnation, isCareless: this.#random.chance(0.3) };
    this.#held.set(wait, held);
    const election = this.#habits.elections.find((name) => electionLock(name) === wait.lock);
    if (election !== undefined) observer.leads(election, incarnation.id, fence);
    this.machine.after(0, () => this.#use(held));
  }

  busy(wait: Wait): void {
    this.#ended(wait, 'busy');
  }

  refused(wait: Wait): void {
    this.#ended(wait, 'refused');
  }

  lost(wait: Wait): void {
    const held = this.#held.get(wait);
    if (held === undefined) return;
    this.#world.note(() => `${held.incarnation.id} lost ${wait.lock} of wait ${wait.number}`);
    this.#world.observer.counts.lost += 1;
    this.#over(held);
  }

  // Workers.

  #think(): void {
    if (this.#isLeaving) return;
    this.machine.after(this.#random.below(this.#habits.think + 1), () => {
      if (this.#isLeaving || !this.node.isUp || this.#world.isClosing) return;
      const { locks, elections } = this.#habits;
      const names = [...locks, ...elections.map(electionLock)];
      const wait = this.#ask(names[this.#random.below(names.length)]!, this.#random.chance(0.15));
      if (this.#random.chance(0.15))
        this.machine.after(this.#random.below(this.#habits.hold * 6 + 5), () => this.#cancel(wait));
    });
  }

  #ask(lock: string, isTry: boolean): Wait {
    const number = this.#world.number();
    const since = this.#world.agenda.now;
    const wait: Wait = { number, process: this.machine.name, lock, isTry, since, outcome: null };
    this.#world.note(() => `${this.node.now.id} asks for ${lock} as wait ${number}${isTry ? ', a try' : ''}`);
    this.#waiting.add(wait);
    this.#world.observer.asked(wait);
    this.node.ask(wait);
    return wait;
  }

  #cancel(wait: Wait): void {
    if (wait.outcome !== null) return;
    this.node.now.member.cancel(wait.lock, wait);
    this.#ended(wait, 'cancelled');
  }

  #ended(wait: Wait, outcome: 'busy' | 'refused' | 'cancelled'): void {
    this.#world.note(() => `wait ${wait.number} of ${wait.process} for ${wait.lock} is ${outcome}`);
    this.#world.observer.ended(wait, outcome);
    this.#waiting.delete(wait);
    this.#think();
  }

  // While it holds. After each step it asks whether it still does, as `lock.fence` would; some do not heed the answer.

  #use(held: Held): void {
    const { hold } = held;
    if (!this.#stillHolds(held)) return;
    if (this.#keeping.has(hold.wait)) {
      this.machine.after(50, () => this.#use(held));
      return;
    }
    const { observer, network, agenda } = this.#world;
    const lasts = this.#lasts();
    if (this.#random.chance(0.3)) {
      this.#wait(held, lasts, () => this.#release(held));
      return;
    }
    const access = <T>(what: () => T, then: (answer: T) => void) =>
      agenda.after(network.delay(), () => {
        const answer = what();
        agenda.after(network.delay(), () =>
          this.machine.perform(() => {
            if (this.#goesOn(held)) then(answer);
          }),
        );
      });
    access(
      () => observer.read(hold),
      (version) => {
        if (version === null) this.#release(held);
        else
          this.#wait(held, lasts, () =>
            access(
              () => observer.write(hold, version),
              () => this.#release(held),
            ),
          );
      },
    );
  }

  #lasts(): number {
    const most = this.#random.chance(0.05) ? 40 * this.#habits.hold : this.#habits.hold;
    return this.#random.below(most + 1);
  }

  #wait(held: Held, milliseconds: number, then: () => void): void {
    const step = Math.min(milliseconds, 40);
    this.machine.after(step, () => {
      if (!this.#goesOn(held)) return;
      if (milliseconds > step) this.#wait(held, milliseconds - step, then);
      else then();
    });
  }

  #goesOn(held: Held): boolean {
    return this.#stillHolds(held) || held.isCareless;
  }

  #stillHolds(held: Held): boolean {
    if (!this.#held.has(held.hold.wait)) return false;
    if (held.incarnation.isOver) {
      this.#over(held);
      held.incarnation.member.release(held.hold.wait.lock, held.hold.wait); // harms nobody
      return false;
    }
    this.#world.observer.holds(held.hold);
    return true;
  }

  #release(held: Held): void {
    if (!this.#stillHolds(held)) return;
    const { wait } = held.hold;
    this.#world.note(() => `${held.incarnation.id} releases ${wait.lock} of wait ${wait.number}`);
    this.#over(held);
    held.incarnation.member.release(wait.lock, wait);
  }

  #over({ hold }: Held): void {
    this.#world.observer.over(hold);
    this.#held.delete(hold.wait);
    this.#keeping.delete(hold.wait);
    this.#think();
  }
}
