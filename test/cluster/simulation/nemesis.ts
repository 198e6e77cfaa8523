// Injects faults at random times, and repairs all of them at the end.
import type { Random } from '../../../src/core/random.ts';
import type { Outage } from './engine.ts';
import { leaseMs } from './node.ts';
import type { World } from './simulate-group.ts';
import type { SimulatedProcess } from './simulated-process.ts';
import type { Workload } from './workload.ts';

const maxProcesses = 9;

export class Nemesis {
  readonly #world: World;
  readonly #random: Random;
  readonly #faults: readonly (() => void)[];
  readonly #pause: number; // longest time between two faults, in milliseconds
  readonly #sleeps: boolean; // computers sleep; if not, wall clocks are set

  constructor(world: World) {
    this.#world = world;
    const random = world.random;
    this.#random = random;
    this.#pause = 20 + random.below(600);
    this.#sleeps = random.chance(0.5);
    const faults: readonly (() => void)[] = [
      () => this.#kill(),
      () => this.#kill(),
      () => this.#stop(this.#any(), 10 + this.#random.below(2.5 * leaseMs)),
      () => this.#stopHolder(),
      () => this.#stopHolder(),
      () => this.#part(),
      () => this.#reset(),
      () => this.#engineFails(),
      () => this.#starve(),
      () => this.#join(),
      () => this.#any()?.leave(),
      () => this.#setClock(),
      () => this.#engineForgets(),
      () => this.#churn(),
    ];
    const chosen = faults.filter(() => random.chance(0.6));
    this.#faults = chosen.length > 0 || random.chance(0.1) ? chosen : faults;
  }

  injectFaults(until: number): void {
    const { queue } = this.#world;
    queue.after(this.#random.below(this.#pause), () => {
      if (queue.now >= until) return;
      if (this.#faults.length > 0) this.#faults[this.#random.below(this.#faults.length)]!();
      this.injectFaults(until);
    });
  }

  mend(): void {
    const { network, engine, workloads } = this.#world;
    network.healAll();
    engine.outage = null;
    engine.outages.clear();
    for (const { machine } of workloads) machine.resume(this.#random);
  }

  #any(): Workload | undefined {
    const up = this.#world.workloads.filter(({ isUp }) => isUp);
    return up[this.#random.below(up.length)];
  }

  #kill(): void {
    const victim = this.#any();
    if (victim === undefined) return;
    this.#world.kill(victim);
    if (this.#random.chance(0.7)) this.#world.queue.after(this.#random.below(600), () => this.#join());
  }

  #join(): void {
    if (this.#world.workloads.filter(({ isUp }) => isUp).length < maxProcesses) this.#world.add();
  }

  #stop(victim: Workload | undefined, milliseconds: number): void {
    if (victim === undefined || victim.machine.isStopped) return;
    const { queue } = this.#world;
    const { machine } = victim;
    const asleep = this.#sleeps && this.#random.chance(0.5);
    this.#world.note(() => `${machine.name} is stopped for ${milliseconds} ms${asleep ? ', asleep' : ''}`);
    machine.stop(asleep);
    queue.after(milliseconds, () => {
      this.#world.note(() => `${machine.name} goes on`);
      machine.resume(this.#random);
    });
  }

  /** Blocks the event loop of a holder, mostly for a short time. */
  #stopHolder(): void {
    this.#stop(this.#holder(), 1 + this.#random.below(this.#random.chance(0.5) ? 200 : 1.5 * leaseMs));
  }

  #holder(): Workload | undefined {
    const holds = this.#world.observer.openHolds();
    const hold = holds[this.#random.below(holds.length)];
    return this.#world.workloads.find(({ machine }) => machine.name === hold?.request.process);
  }

  #part(): void {
    const { network, workloads, queue } = this.#world;
    const side = new Set(workloads.filter(() => this.#random.chance(0.4)).map(({ machine }) => machine));
    const isOneWay = this.#random.chance(0.3);
    const isOdd = this.#random.chance(0.3); // not all pairs: reachability is not transitive
    const kind = this.#random.chance(0.5) ? 'stall' : 'break';
    const pairs: [SimulatedProcess, SimulatedProcess][] = [];
    for (const { machine: a } of workloads)
      for (const { machine: b } of workloads) {
        if (!side.has(a) || side.has(b) || (isOdd && this.#random.chance(0.5))) continue;
        pairs.push([a, b]);
        if (!isOneWay) pairs.push([b, a]);
      }
    const durationMs = this.#random.below(4 * leaseMs);
    this.#world.note(() => `${kind} for ${durationMs} ms: ${pairs.map(([a, b]) => `${a.name}>${b.name}`)}`);
    for (const [a, b] of pairs) network.cut(a, b, kind);
    queue.after(durationMs, () => {
      for (const [a, b] of pairs) network.heal(a, b);
    });
  }

  /** Breaks a connection several times. */
  #reset(): void {
    const [a, b] = [this.#any(), this.#any()];
    if (a === undefined || b === undefined || a === b) return;
    this.#world.note(() => `the connection of ${a.machine.name} and ${b.machine.name} flaps`);
    let time = 0;
    for (let times = 1 + this.#random.below(8); times > 0; times -= 1) {
      this.#world.queue.after(time, () => this.#world.network.reset(a.machine, b.machine));
      time += this.#random.below(60);
    }
    if (this.#random.chance(0.4)) this.#engineFails(); // delays the next epoch
  }

  #engineFails(): void {
    const { engine, queue } = this.#world;
    const outage = (['refusing', 'silent', 'slow'] as const satisfies Outage[])[this.#random.below(3)]!;
    const durationMs = this.#random.below(1.5 * leaseMs);
    this.#world.note(() => `the engine is ${outage} for ${durationMs} ms`);
    engine.outage = outage;
    queue.after(durationMs, () => {
      engine.outage = null;
    });
  }

  #engineForgets(): void {
    const { engine, observer, queue } = this.#world;
    if (!this.#random.chance(0.3)) return;
    this.#world.note(() => 'the engine forgets');
    engine.forgetAll();
    observer.excusedUntil = queue.now + 1.5 * leaseMs;
  }

  /** Changes the view as fast as the engine allows. The engine may forget all of that. */
  #churn(): void {
    const { queue } = this.#world;
    const views = 10 + this.#random.below(60);
    this.#world.note(() => `${views} new epochs are wanted`);
    for (let i = 0; i < views; i += 1)
      queue.after(5 * i, () => {
        const one = this.#any();
        one?.machine.perform(() => one.node.now.member.requestNewEpoch());
      });
    if (this.#random.chance(0.5)) queue.after(5 * views, () => this.#engineForgets());
  }

  /** Cuts one process, mostly a holder, off from the engine: first slow, then silent. The process may also stop. */
  #starve(): void {
    const { engine, queue } = this.#world;
    const victim = this.#random.chance(0.7) ? this.#holder() : this.#any();
    if (victim === undefined) return;
    const { name } = victim.machine;
    const slow = this.#random.below(600);
    const durationMs = slow + this.#random.below(1.5 * leaseMs);
    this.#world.note(() => `the engine is slow to ${name} for ${slow} ms and silent until ${durationMs} ms`);
    engine.outages.set(name, 'slow');
    queue.after(slow, () => engine.outages.set(name, 'silent'));
    queue.after(durationMs, () => engine.outages.delete(name));
    if (this.#random.chance(0.3))
      queue.after(this.#random.below(400), () => this.#stop(victim, this.#random.below(1.2 * leaseMs)));
  }

  #setClock(): void {
    const victim = this.#any();
    if (victim === undefined || this.#sleeps) return;
    const by = this.#random.below(4 * leaseMs) - 2 * leaseMs;
    this.#world.note(() => `the wall clock of ${victim.machine.name} is set by ${by} ms`);
    victim.machine.stepWall(by);
  }
}
