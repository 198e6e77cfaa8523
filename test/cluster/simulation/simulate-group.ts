// Simulates a whole group from a seed.
import { algorithms } from '../../../src/algorithms/index.ts';
import { whyNotInGroups } from '../../../src/cluster/group/election-algorithm.ts';
import type { AnyAlgorithm } from '../../../src/core/algorithm.ts';
import { Random } from '../../../src/core/random.ts';
import {
  electionLock,
  Lease,
  Member,
  type MemberId,
  type Peer,
  PeerClocks,
  type View,
} from '../../../src/member/index.ts';
import { SimulatedEngine } from './engine.ts';
import { EventQueue } from './event-queue.ts';
import { Nemesis } from './nemesis.ts';
import { type Cut, Network } from './network.ts';
import { engineLeaseMs, leaseMs, type Node, type SimulatedMemberHost } from './node.ts';
import { Observer, Violation } from './safety-observer.ts';
import { SimulatedProcess } from './simulated-process.ts';
import { Workload, type WorkloadOptions } from './workload.ts';

/** The classes that a group is made of, real or with a fault. */
export interface Variant {
  readonly member: typeof Member;
  readonly lease: typeof Lease;
  readonly clocks: typeof PeerClocks;
  readonly engine: typeof SimulatedEngine;
  readonly algorithm?: string; // defaults to one chosen by the seed
  readonly age?: 'old' | 'new'; // whether all processes are of an older version, or none. Defaults to what the seed chooses
  readonly electionAlgorithmOf?: (name: string) => AnyAlgorithm; // defaults to the algorithm of that name
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
  readonly electionAlgorithm: string | null;
  readonly violation: string | null;
  readonly trace: readonly string[];
  readonly virtualMs: number;
  readonly messages: number;
  readonly epochs: number;
  readonly counts: Observer['counts'];
  readonly outs: Observer['outs'];
}

export const candidates = algorithms.filter(({ problem }) => problem === 'mutex');
export const candidate = (name: string): AnyAlgorithm => candidates.find((one) => one.name === name)!;
/** The algorithms that can choose the leader of a group. */
export const electionAlgorithms = algorithms.filter(
  (one) => one.problem === 'election' && whyNotInGroups(one) === null,
);
export const electionAlgorithmNamed = (name: string): AnyAlgorithm =>
  electionAlgorithms.find((one) => one.name === name)!;
const usual = 'li-hudak';
const rounding = 1e-6;
const margin = 0.055; // of each clock's rate; a lease at the engine lasts a seventh longer

export class World {
  readonly random: Random;
  readonly queue = new EventQueue();
  readonly observer = new Observer();
  readonly algorithm: AnyAlgorithm;
  readonly algorithmOfC: AnyAlgorithm; // of lock c; every member names it
  readonly electionAlgorithm: string | null; // of all elections
  readonly electionRandom: Random; // separate, so that elections do not change what else happens
  readonly network: Network;
  readonly engine: SimulatedEngine;
  readonly variant: Variant;
  readonly spansMachines: boolean; // in half of the groups
  readonly trace: string[] = [];
  workloads: Workload[] = [];
  isClosing = false;
  readonly #options: WorkloadOptions;
  readonly #snapshotRandom: Random;
  readonly #versionRandom: Random;
  readonly #oldUntil: number; // processes that start before this time may be of an older version
  readonly #traces: boolean;
  #machines = 0;
  #requests = 0;

  constructor(seed: number, variant: Variant, traces: boolean) {
    const random = new Random(seed, 'cluster');
    this.random = random;
    this.#snapshotRandom = new Random(seed, 'snapshots');
    this.#versionRandom = new Random(seed, 'versions');
    this.#oldUntil = this.#versionRandom.chance(0.7) ? 0 : this.#versionRandom.below(3000);
    this.variant = variant;
    this.spansMachines = seed % 2 === 0;
    this.#traces = traces;
    this.observer.now = () => this.queue.now;
    const picked = random.chance(0.6) ? usual : candidates[random.below(candidates.length)]!.name;
    this.algorithm = candidate(variant.algorithm ?? picked);
    this.algorithmOfC = random.chance(0.5) ? this.algorithm : candidates[random.below(candidates.length)]!;
    this.electionRandom = new Random(seed, 'elections');
    const elected = this.electionRandom.below(2 * electionAlgorithms.length);
    this.electionAlgorithm = electionAlgorithms[elected]?.name ?? null;
    this.network = new Network(this.queue, random, 0.2 + random.below(40) / 10);
    const delay = () => this.network.delay();
    this.engine = new variant.engine(this.queue, random, {
      delay,
      leaseMs: engineLeaseMs,
      rate: this.#rate(),
    });
    this.#options = {
      locks: ['a', 'b', 'c'].slice(0, 1 + random.below(3)),
      elections: ['chief'],
      workers: 1 + random.below(3),
      think: random.below(150),
      hold: random.below(60),
    };
  }

  note(what: () => string): void {
    if (this.#traces) this.trace.push(`${this.queue.now.toFixed(2).padStart(9)}  ${what()}`);
  }

  /** Whether the next process that starts is of an older version. */
  nextIsOld(): boolean {
    const { age } = this.variant;
    return age === undefined
      ? this.queue.now < this.#oldUntil && this.#versionRandom.chance(0.5)
      : age === 'old';
  }

  number(): number {
    this.#requests += 1;
    return this.#requests;
  }

  add(): void {
    this.#machines += 1;
    const machine = new SimulatedProcess(`p${this.#machines}`, this.queue, this.#rate());
    this.note(() => `${machine.name} starts`);
    this.workloads.push(new Workload(this, machine, this.#options));
  }

  kill(victim: Workload): void {
    this.note(() => `${victim.machine.name} is killed`);
    victim.machine.kill();
    this.network.died(victim.node.now);
    this.#removeProcess(victim.machine.name);
  }

  left(node: Node): void {
    this.note(() => `${node.machine.name} has left`);
    this.#removeProcess(node.machine.name);
  }

  reachesAll(machine: SimulatedProcess, peers: readonly Peer[]): boolean {
    return peers.every(({ label }) => {
      const other = this.workloads.find((one) => one.machine.name === label)?.machine;
      return other === undefined || this.network.isOpen(machine, other);
    });
  }

  /** Checks a member's estimate of the clocks of another one, whose wall clock had been set by `set`. */
  checkClock({ id, machine, clocks }: SimulatedMemberHost, peer: MemberId, set: number): void {
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
    const { random, queue } = this;
    for (let i = 2 + random.below(8); i > 0; i -= 1) this.add();
    const nemesis = new Nemesis(this);
    const faultsEnd = 1000 + random.below(3500);
    nemesis.injectFaults(faultsEnd);
    if (this.variant === real) this.#takeSnapshots(faultsEnd + 300); // faults are found without snapshots
    this.until(() => queue.now >= faultsEnd, faultsEnd + 1);
    this.note(() => 'everything is mended');
    nemesis.mend();
    if (this.workloads.every(({ isUp }) => !isUp)) this.add();
    this.until(() => false, queue.now + 300);
    this.isClosing = true;
    const isServed = () => this.observer.isQuiet;
    if (!this.until(isServed, queue.now + 20 * leaseMs)) this.#notServed();
    this.#elect();
    this.#drain();
  }

  /** Lets random members take snapshots, which complete or fail. */
  #takeSnapshots(until: number): void {
    this.queue.after(this.#snapshotRandom.below(400), () => {
      if (this.queue.now >= until) return;
      const up = this.workloads.filter(({ isUp }) => isUp);
      const one = up[this.#snapshotRandom.below(Math.max(1, up.length))];
      one?.machine.perform(() =>
        one.node.now.member.snapshot(1500, (snapshot) => this.observer.took(snapshot)),
      );
      this.#takeSnapshots(until);
    });
  }

  /** Cuts pairs of members off from each other. Returns whether a view of mutually reachable members forms and lasts. */
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
    const { think, hold } = this.#options;
    const slowest = (18 * leaseMs) / (think + hold + 1) / 2; // half of what one worker alone can do until then
    this.until(() => false, 30 * leaseMs);
    const members = inView().map(({ machine }) => machine);
    const ids = (one: View | null | undefined) => one?.members.map(({ id }) => id).join();
    return (
      ids(settled) === ids(view()) && // the epoch may differ: members may be called silent for a while
      members.length === settled?.members.length &&
      members.length >= size - pairs.length &&
      members.every((a) => members.every((b) => this.network.isOpen(a, b))) &&
      this.observer.counts.granted > granted + Math.min(100, slowest)
    );
  }

  /**
   * Stops a process that holds nothing and has no token, then changes the view. Returns the longest time for which a lock was free and wanted
   * by a process that runs, in the half lease that follows.
   */
  longestHalt(
    size: number,
    change: 'join' | 'leave' | 'new epoch',
  ): { readonly halt: number; readonly lock: string } {
    for (let i = 0; i < size; i += 1) this.add();
    this.until(() => false, 2 * leaseMs);
    const { observer, queue } = this;
    const locks = [...this.#options.locks, ...this.#options.elections.map(electionLock)];
    const isFree = (lock: string) => observer.openHolds().every(({ request }) => request.lock !== lock);
    const idle = () =>
      this.workloads.filter(
        ({ machine: { name }, isWaiting, node }) =>
          !isWaiting &&
          [...node.now.member.locks].every(
            ({ run }) => run === null || (run.phase === 'idle' && !run.hasToken),
          ) &&
          node.now.member.inspectState().homes.directory.entries.every(({ round }) => round === null) &&
          observer.openHolds().every(({ request }) => request.process !== name) &&
          locks.every((lock) => observer.lastHolder(lock) !== name),
      );
    let worst = { halt: 0, lock: '' };
    if (!this.until(() => idle().length > 0, 4 * leaseMs)) return worst;
    const hung = idle()[0]!;
    hung.machine.stop(false);
    this.until(() => false, queue.now + 20);
    const others = this.workloads.filter((one) => one !== hung);
    const spare = others.filter(({ machine: { name } }) =>
      locks.every((lock) => observer.lastHolder(lock) !== name),
    );
    const other = spare[this.random.below(spare.length)] ?? others[0]!;
    if (change === 'join') this.add();
    else if (change === 'leave' && spare.length > 0) other.leave();
    else other.node.now.member.requestNewEpoch();
    const isSafe = new Set(
      locks.filter((lock) => others.some(({ machine }) => machine.name === observer.lastHolder(lock))),
    );
    const since = new Map<string, number>();
    const turns = new Map<string, number>();
    const measure = (): boolean => {
      for (const lock of isSafe) {
        const isWanted = observer.unserved.some(
          (one) => one.lock === lock && one.process !== hung.machine.name,
        );
        const isHalted = isFree(lock) && isWanted && observer.turns(lock) === turns.get(lock);
        turns.set(lock, observer.turns(lock));
        const halt = queue.now - (since.get(lock) ?? queue.now);
        if (!isHalted) since.set(lock, queue.now);
        else if (halt > worst.halt) worst = { halt, lock };
      }
      return false;
    };
    this.until(measure, queue.now + leaseMs / 2);
    return worst;
  }

  /** Steps until the condition holds. Returns false if it does not hold in time. */
  until(condition: () => boolean, time: number): boolean {
    while (!condition()) {
      if (this.queue.now >= time || !this.queue.step()) return condition();
    }
    return true;
  }

  /** All live members see the same leader, and see it resign. */
  #elect(): void {
    const { observer, queue } = this;
    const chief = this.#options.elections[0]!;
    const up = this.workloads.filter(({ isUp }) => isUp);
    const leaders = () => up.map(({ machine }) => observer.leaderAs(machine.name, chief));
    const candidate = up[this.random.below(up.length)]!;
    for (;;) {
      const request = candidate.stand(chief);
      if (!this.until(() => request.outcome === 'granted', queue.now + 10 * leaseMs)) this.#notServed();
      const { id } = candidate.node.now;
      const isAgreed = () => !candidate.holds(request) || leaders().every((leader) => leader?.id === id);
      if (!this.until(isAgreed, queue.now + 3 * leaseMs))
        throw new Violation(`${id} leads, but others see ${JSON.stringify(leaders())}`);
      if (candidate.holds(request)) {
        candidate.resign(request);
        break;
      } // if not, late answers of the engine have cost it its lease
    }
    const isOver = () => leaders().every((leader) => leader === null);
    if (!this.until(isOver, queue.now + 3 * leaseMs))
      throw new Violation(`nobody leads, but others see ${JSON.stringify(leaders())}`);
  }

  /** Idle locks are forgotten. In a view with a process of an older version, a new epoch does that. */
  #drain(): void {
    const members = () => this.workloads.map(({ node }) => node.now.member);
    const isDrained = () => {
      const epoch = members()[0]?.view?.epoch;
      return members().every(
        (one) => one.isInstalled && one.view?.epoch === epoch && one.retainedCount === 0,
      );
    };
    for (let attempts = 0; attempts < 10; attempts += 1) {
      if (this.workloads.some(({ node }) => node.isOld))
        this.workloads.find(({ isUp }) => isUp)!.node.now.member.requestNewEpoch();
      if (this.until(isDrained, this.queue.now + 2 * leaseMs)) return;
    }
    throw new Violation(
      `members keep ${members().map(({ id, retainedCount }) => `${id}: ${retainedCount}`)} at the end`,
    );
  }

  #notServed(): never {
    const requests = this.observer.unserved.map(
      ({ number, process, lock }) => `${number} (${process}, ${lock})`,
    );
    throw new Violation(`not served after all was mended: ${requests.join(', ')}`);
  }

  #removeProcess(process: string): void {
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
    electionAlgorithm: world.electionAlgorithm,
    violation,
    trace: world.trace,
    virtualMs: world.queue.now,
    messages: world.network.sent,
    epochs,
    counts: world.observer.counts,
    outs: world.observer.outs,
  };
}
