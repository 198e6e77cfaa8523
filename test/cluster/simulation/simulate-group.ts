// A whole group from a seed.
import { algorithms } from '../../../src/algorithms/index.ts';
import type { AnyAlgorithm } from '../../../src/core/algorithm.ts';
import { Random } from '../../../src/core/random.ts';
import { Lease, Member, type MemberId, type Peer, PeerClocks } from '../../../src/member/index.ts';
import { SimulatedEngine } from './engine.ts';
import { EventQueue } from './event-queue.ts';
import { Nemesis } from './nemesis.ts';
import { type Cut, Network } from './network.ts';
import { lastsAtEngine, leaseMs, type Node, type SimulatedMemberHost } from './node.ts';
import { Observer, Violation } from './safety-observer.ts';
import { SimulatedProcess } from './simulated-process.ts';
import { type Habits, Workload } from './workload.ts';

/** What the group is made of: the real thing, or one with a fault. */
export interface Variant {
  readonly member: typeof Member;
  readonly lease: typeof Lease;
  readonly clocks: typeof PeerClocks;
  readonly engine: typeof SimulatedEngine;
  readonly algorithm?: string; // which the seed picks otherwise
}

export const real: Variant = {
  member: Member,
  lease: Lease,
  clocks: PeerClocks,
  engine: SimulatedEngine,
};

export interface Outcome {
  readonly seed: number;
  readonly algorithm: string;
  readonly violation: string | null;
  readonly trace: readonly string[];
  readonly virtualMs: number;
  readonly words: number;
  readonly epochs: number;
  readonly counts: Observer['counts'];
  readonly outs: Observer['outs'];
}

export const candidates = algorithms.filter(({ problem }) => problem === 'mutex');
export const candidate = (name: string): AnyAlgorithm => candidates.find((one) => one.name === name)!;
const usual = 'li-hudak';
const rounding = 1e-6;
const margin = 0.055; // of each clock's rate; a lease here is a seventh shorter than at the engine

export class World {
  readonly random: Random;
  readonly agenda = new EventQueue();
  readonly observer = new Observer();
  readonly algorithm: AnyAlgorithm;
  readonly algorithmOfC: AnyAlgorithm; // of lock c, which every member names
  readonly network: Network;
  readonly engine: SimulatedEngine;
  readonly variant: Variant;
  readonly trace: string[] = [];
  workloads: Workload[] = [];
  isClosing = false;
  readonly #habits: Habits;
  readonly #looks: Random; // of snapshots
  readonly #traces: boolean;
  #machines = 0;
  #waits = 0;

  constructor(seed: number, variant: Variant, traces: boolean) {
    const random = new Random(seed, 'cluster');
    this.random = random;
    this.#looks = new Random(seed, 'snapshots');
    this.variant = variant;
    this.#traces = traces;
    this.observer.now = () => this.agenda.now;
    const picked = random.chance(0.6) ? usual : candidates[random.below(candidates.length)]!.name;
    this.algorithm = candidate(variant.algorithm ?? picked);
    this.algorithmOfC = random.chance(0.5) ? this.algorithm : candidates[random.below(candidates.length)]!;
    this.network = new Network(this.agenda, random, 0.2 + random.below(40) / 10);
    const delay = () => this.network.delay();
    this.engine = new variant.engine(this.agenda, random, {
      delay,
      leaseLasts: lastsAtEngine,
      rate: this.#rate(),
    });
    this.#habits = {
      locks: ['a', 'b', 'c'].slice(0, 1 + random.below(3)),
      elections: ['chief'],
      workers: 1 + random.below(3),
      think: random.below(150),
      hold: random.below(60),
    };
  }

  note(what: () => string): void {
    if (this.#traces) this.trace.push(`${this.agenda.now.toFixed(2).padStart(9)}  ${what()}`);
  }

  number(): number {
    this.#waits += 1;
    return this.#waits;
  }

  add(): void {
    this.#machines += 1;
    const machine = new SimulatedProcess(`p${this.#machines}`, this.agenda, this.#rate());
    this.note(() => `${machine.name} starts`);
    this.workloads.push(new Workload(this, machine, this.#habits));
  }

  kill(victim: Workload): void {
    this.note(() => `${victim.machine.name} is killed`);
    victim.machine.kill();
    this.network.died(victim.node.now);
    this.#gone(victim.machine.name);
  }

  left(node: Node): void {
    this.note(() => `${node.machine.name} has left`);
    this.#gone(node.machine.name);
  }

  reachesAll(machine: SimulatedProcess, peers: readonly Peer[]): boolean {
    return peers.every(({ label }) => {
      const other = this.workloads.find((one) => one.machine.name === label)?.machine;
      return other === undefined || this.network.isOpen(machine, other);
    });
  }

  /** What a member has learnt of the clocks of another one, whose wall clock had then been set by so much. */
  judgeClock({ id, machine, clocks }: SimulatedMemberHost, peer: MemberId, set: number): void {
    const other = this.workloads.find((one) => one.machine.name === peer.split('.')[0])?.machine;
    if (other === undefined) return;
    const { offset, error, rate } = clocks.of(peer)!;
    const trueOffset = other.wall() - other.set + set - machine.wall();
    const trueRate = other.rate / machine.rate - 1;
    this.observer.counts.clocks += 1;
    if (Math.abs(offset - trueOffset) > error + rounding)
      throw new Violation(`${id} says ${peer} is ahead by ${offset} +- ${error}, not ${trueOffset}`);
    if (rate !== null && (rate.low > trueRate + rounding || rate.high < trueRate - rounding))
      throw new Violation(`${id} says ${peer} is faster by ${rate.low} to ${rate.high}, not ${trueRate}`);
  }

  run(): void {
    const { random, agenda } = this;
    for (let i = 2 + random.below(8); i > 0; i -= 1) this.add();
    const nemesis = new Nemesis(this);
    const faultsEnd = 1000 + random.below(3500);
    nemesis.rage(faultsEnd);
    if (this.variant === real) this.#lookAround(faultsEnd + 300); // what is planted shows without
    this.until(() => agenda.now >= faultsEnd, faultsEnd + 1);
    this.note(() => 'everything is mended');
    nemesis.mend();
    if (this.workloads.every(({ isUp }) => !isUp)) this.add();
    this.until(() => false, agenda.now + 300);
    this.isClosing = true;
    const isServed = () => this.observer.isQuiet;
    if (!this.until(isServed, agenda.now + 20 * leaseMs)) this.#notServed();
    this.#elect();
    this.#drain();
  }

  /** Now and then somebody takes a snapshot, which is completed, or told to be not. */
  #lookAround(until: number): void {
    this.agenda.after(this.#looks.below(400), () => {
      if (this.agenda.now >= until) return;
      const up = this.workloads.filter(({ isUp }) => isUp);
      const one = up[this.#looks.below(Math.max(1, up.length))];
      one?.machine.perform(() =>
        one.node.now.member.snapshot(1500, (snapshot) => this.observer.took(snapshot)),
      );
      this.#lookAround(until);
    });
  }

  /** Two that never reach each other, though all others do: whether there comes a view of which all reach all, and lasts. */
  settlesDespite(size: number, pairs: readonly (readonly [number, number])[], kind: Cut): boolean {
    for (let i = 0; i < size; i += 1) this.add();
    const machines = this.workloads.map(({ machine }) => machine);
    this.until(() => false, 2 * leaseMs);
    for (const [a, b] of pairs) {
      this.network.cut(machines[a]!, machines[b]!, kind);
      this.network.cut(machines[b]!, machines[a]!, kind);
    }
    this.until(() => false, 12 * leaseMs);
    const inView = () =>
      this.workloads.filter(({ node: { now } }) => now.member.isInstalled && !now.lease.isOver);
    const view = () => inView()[0]?.node.now.member.view;
    const settled = view();
    const { granted } = this.observer.counts;
    this.until(() => false, 30 * leaseMs);
    const members = inView().map(({ machine }) => machine);
    return (
      settled?.epoch === view()?.epoch &&
      members.length === settled?.members.length &&
      members.length >= size - pairs.length &&
      members.every((a) => members.every((b) => this.network.isOpen(a, b))) &&
      this.observer.counts.granted > granted + 100
    );
  }

  /** Steps until that is so; false if it is not by then. */
  until(isSo: () => boolean, time: number): boolean {
    while (!isSo()) {
      if (this.agenda.now >= time || !this.agenda.step()) return isSo();
    }
    return true;
  }

  /** Everybody who is up sees the same leader, and sees it resign. */
  #elect(): void {
    const { observer, agenda } = this;
    const chief = this.#habits.elections[0]!;
    const up = this.workloads.filter(({ isUp }) => isUp);
    const leaders = () => up.map(({ machine }) => observer.leaderAs(machine.name, chief));
    const candidate = up[this.random.below(up.length)]!;
    for (;;) {
      const wait = candidate.stand(chief);
      if (!this.until(() => wait.outcome === 'granted', agenda.now + 10 * leaseMs)) this.#notServed();
      const { id } = candidate.node.now;
      const isAgreed = () => !candidate.holds(wait) || leaders().every((leader) => leader?.id === id);
      if (!this.until(isAgreed, agenda.now + 3 * leaseMs))
        throw new Violation(`${id} leads, but others see ${JSON.stringify(leaders())}`);
      if (candidate.holds(wait)) {
        candidate.resign(wait);
        break;
      } // else what the engine answered late has cost it its lease
    }
    const isOver = () => leaders().every((leader) => leader === null);
    if (!this.until(isOver, agenda.now + 3 * leaseMs))
      throw new Violation(`nobody leads, but others see ${JSON.stringify(leaders())}`);
  }

  /** With a new epoch all that the members kept is forgotten. */
  #drain(): void {
    const members = () => this.workloads.map(({ node }) => node.now.member);
    const isDrained = () => {
      const epoch = members()[0]?.view?.epoch;
      return members().every(
        (one) => one.isInstalled && one.view?.epoch === epoch && one.retainedCount === 0,
      );
    };
    for (let attempts = 0; attempts < 10; attempts += 1) {
      this.workloads.find(({ isUp }) => isUp)!.node.now.member.requestNewEpoch();
      if (this.until(isDrained, this.agenda.now + leaseMs)) return;
    }
    throw new Violation(
      `members keep ${members().map(({ id, retainedCount }) => `${id}: ${retainedCount}`)} at the end`,
    );
  }

  #notServed(): never {
    const waits = this.observer.unserved.map(
      ({ number, process, lock }) => `${number} (${process}, ${lock})`,
    );
    throw new Violation(`not served after all was mended: ${waits.join(', ')}`);
  }

  #gone(process: string): void {
    this.observer.died(process);
    this.workloads = this.workloads.filter(({ machine }) => machine.name !== process);
  }

  #rate(): number {
    return 1 + (margin * (this.random.below(2001) - 1000)) / 1000;
  }
}

export function simulate(seed: number, variant: Variant = real, traces = false): Outcome {
  const world = new World(seed, variant, traces);
  let violation: string | null = null;
  try {
    world.run();
  } catch (error) {
    violation = error instanceof Violation ? error.message : String((error as Error).stack ?? error);
  }
  const epochs = Math.max(0, ...world.workloads.map(({ node }) => node.now.member.view?.epoch ?? 0));
  return {
    seed,
    algorithm: world.algorithm.name,
    violation,
    trace: world.trace,
    virtualMs: world.agenda.now,
    words: world.network.sent,
    epochs,
    counts: world.observer.counts,
    outs: world.observer.outs,
  };
}
