// Simulated applications. They request locks, cancel, read and write with the fence, release, and stand for election.
import type { Random } from '../../../src/core/random.ts';
import { electionLock, isElection } from '../../../src/member/index.ts';
import { type Application, Node, type SimulatedMemberHost } from './node.ts';
import type { Hold, LockRequest } from './safety-observer.ts';
import type { World } from './simulate-group.ts';
import type { SimulatedProcess } from './simulated-process.ts';

export interface WorkloadOptions {
  readonly locks: readonly string[];
  readonly elections: readonly string[];
  readonly workers: number; // per process
  readonly think: number; // milliseconds, at most
  readonly hold: number;
}

interface Held {
  readonly hold: Hold;
  readonly host: SimulatedMemberHost;
  readonly isCareless: boolean; // ignores the loss of its lock: the resource must refuse it
}

/** The applications of one process. */
export class Workload implements Application {
  readonly node: Node;
  readonly machine: SimulatedProcess;
  readonly #world: World;
  readonly #random: Random;
  readonly #options: WorkloadOptions;
  readonly #waiting = new Set<LockRequest>();
  readonly #held = new Map<LockRequest, Held>();
  readonly #keeping = new Set<LockRequest>(); // held until the end
  #isLeaving = false;

  constructor(world: World, machine: SimulatedProcess, options: WorkloadOptions) {
    this.#world = world;
    this.machine = machine;
    this.#random = world.random;
    this.#options = options;
    this.node = new Node(world, machine, this);
    for (let i = 0; i < options.workers; i += 1) this.#think();
  }

  get isWaiting(): boolean {
    return this.#waiting.size > 0;
  }

  get isUp(): boolean {
    return this.node.isUp && !this.#isLeaving;
  }

  /** Stands for election, and leads until `resign`. */
  stand(election: string): LockRequest {
    const request = this.#ask(electionLock(election), false);
    this.#keeping.add(request);
    return request;
  }

  holds(request: LockRequest): boolean {
    return this.#held.has(request);
  }

  resign(request: LockRequest): void {
    this.#keeping.delete(request);
    const held = this.#held.get(request);
    if (held !== undefined) this.#release(held);
  }

  leave(): void {
    if (!this.isUp) return;
    this.#isLeaving = true;
    for (const request of [...this.#waiting]) this.#cancel(request);
    for (const held of [...this.#held.values()]) this.#release(held);
    this.node.leave();
  }

  // Application.

  granted(request: LockRequest, host: SimulatedMemberHost, fence: number): void {
    const { observer } = this.#world;
    this.#world.note(() => `${host.id} has ${request.lock} for request ${request.number}, fence ${fence}`);
    const hold = observer.granted(request, host.id, fence);
    this.#waiting.delete(request);
    const held = { hold, host, isCareless: this.#random.chance(0.3) };
    this.#held.set(request, held);
    const election = this.#options.elections.find((name) => electionLock(name) === request.lock);
    if (election !== undefined) observer.leads(election, host.id, fence);
    this.machine.after(0, () => this.#use(held));
  }

  busy(request: LockRequest): void {
    this.#ended(request, 'busy');
  }

  refused(request: LockRequest): void {
    this.#ended(request, 'refused');
  }

  lost(request: LockRequest): void {
    const held = this.#held.get(request);
    if (held === undefined) return;
    this.#world.note(() => `${held.host.id} lost ${request.lock} of request ${request.number}`);
    this.#world.observer.counts.lost += 1;
    this.#over(held);
  }

  // Workers.

  #think(): void {
    if (this.#isLeaving) return;
    this.machine.after(this.#random.below(this.#options.think + 1), () => {
      if (this.#isLeaving || !this.node.isUp || this.#world.isClosing) return;
      const { locks, elections } = this.#options;
      const names = [...locks, ...elections.map(electionLock)];
      const name = names[this.#random.below(names.length)]!;
      const isTry =
        this.#random.chance(0.15) && (this.#world.electionAlgorithm === null || !isElection(name));
      const request = this.#ask(name, isTry);
      if (this.#random.chance(0.15))
        this.machine.after(this.#random.below(this.#options.hold * 6 + 5), () => this.#cancel(request));
    });
  }

  #ask(lock: string, isTry: boolean): LockRequest {
    const number = this.#world.number();
    const since = this.#world.queue.now;
    const request: LockRequest = { number, process: this.machine.name, lock, isTry, since, outcome: null };
    this.#world.note(
      () => `${this.node.now.id} asks for ${lock} as request ${number}${isTry ? ', a try' : ''}`,
    );
    this.#waiting.add(request);
    this.#world.observer.asked(request);
    this.node.ask(request);
    return request;
  }

  #cancel(request: LockRequest): void {
    if (request.outcome !== null) return;
    this.node.now.member.cancel(request.lock, request);
    this.#ended(request, 'cancelled');
  }

  #ended(request: LockRequest, outcome: 'busy' | 'refused' | 'cancelled'): void {
    this.#world.note(
      () => `request ${request.number} of ${request.process} for ${request.lock} is ${outcome}`,
    );
    this.#world.observer.ended(request, outcome);
    this.#waiting.delete(request);
    this.#think();
  }

  // Use of a lock. Each step checks that the lock is held, as `lock.fence` does. Careless applications ignore the result.

  #use(held: Held): void {
    const { hold } = held;
    if (!this.#stillHolds(held)) return;
    if (this.#keeping.has(hold.request)) {
      this.machine.after(50, () => this.#use(held));
      return;
    }
    const { observer, network, queue } = this.#world;
    const holdMs = this.#holdMs();
    if (this.#random.chance(0.3)) {
      this.#wait(held, holdMs, () => this.#release(held));
      return;
    }
    const access = <T>(what: () => T, then: (answer: T) => void) =>
      queue.after(network.delay(), () => {
        const answer = what();
        queue.after(network.delay(), () =>
          this.machine.perform(() => {
            if (this.#continues(held)) then(answer);
          }),
        );
      });
    access(
      () => observer.read(hold),
      (version) => {
        if (version === null) this.#release(held);
        else
          this.#wait(held, holdMs, () =>
            access(
              () => observer.write(hold, version),
              () => this.#release(held),
            ),
          );
      },
    );
  }

  #holdMs(): number {
    const most = this.#random.chance(0.05) ? 40 * this.#options.hold : this.#options.hold;
    return this.#random.below(most + 1);
  }

  #wait(held: Held, milliseconds: number, then: () => void): void {
    const step = Math.min(milliseconds, 40);
    this.machine.after(step, () => {
      if (!this.#continues(held)) return;
      if (milliseconds > step) this.#wait(held, milliseconds - step, then);
      else then();
    });
  }

  #continues(held: Held): boolean {
    return this.#stillHolds(held) || held.isCareless;
  }

  #stillHolds(held: Held): boolean {
    if (!this.#held.has(held.hold.request)) return false;
    if (held.host.isOver) {
      this.#over(held);
      held.host.member.release(held.hold.request.lock, held.hold.request); // has no effect
      return false;
    }
    this.#world.observer.holds(held.hold);
    return true;
  }

  #release(held: Held): void {
    if (!this.#stillHolds(held)) return;
    const { request } = held.hold;
    this.#world.note(() => `${held.host.id} releases ${request.lock} of request ${request.number}`);
    this.#over(held);
    held.host.member.release(request.lock, request);
  }

  #over({ hold }: Held): void {
    this.#world.observer.over(hold);
    this.#held.delete(hold.request);
    this.#keeping.delete(hold.request);
    this.#think();
  }
}
