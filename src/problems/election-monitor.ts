import type { Pid, Problems, Winner } from '../core/algorithm.ts';
import type { Monitor, Violation } from './monitor.ts';
import { pidList } from './mutex-monitor.ts';

export interface ElectionSpec {
  readonly ids: ArrayLike<number>; // by position; equal to positions if processes have no ids
  readonly elects: Winner;
  readonly survivesCrashes: boolean; // a new leader may follow after a crash or a restart
  readonly isMember: (process: Pid) => boolean; // false if it was left out because it crashes before the election
}

/**
 * Election: there is at most one leader; every living process learns the same one, and it is the promised one. An anonymous process emits
 * `me` or `another`; the monitor resolves that to the id of the process that emitted `me`, or its position if processes have no ids.
 */
export class ElectionMonitor implements Monitor<Problems['election']['event']> {
  readonly #spec: ElectionSpec;
  readonly #leaders: Float64Array; // what each process believes; NaN before it learns a leader
  readonly #dead = new Set<Pid>();
  readonly #claimants = new Set<Pid>(); // processes that believe they lead
  #first: { process: Pid; leader: number } | null = null;
  readonly #involved: Uint8Array; // started or received a message since the last restart
  #restarts = 0;

  constructor(spec: ElectionSpec) {
    this.#spec = spec;
    this.#leaders = new Float64Array(spec.ids.length).fill(Number.NaN);
    this.#involved = new Uint8Array(spec.ids.length);
  }

  /** The leader that each living process believes in, or null. */
  get leaders(): (number | null)[] {
    return Array.from(this.#leaders, (leader, i) =>
      Number.isNaN(leader) || this.#dead.has(i) ? null : leader,
    );
  }

  /** Whether a process believes that it leads. */
  leads(process: Pid): boolean {
    return this.#claimants.has(process);
  }

  /** The leader all living processes agree on, or null. */
  get leader(): number | null {
    return common(followedBy(this.#leaders, (i) => this.#dead.has(i)));
  }

  called(process: Pid): void {
    this.#involved[process] = 1;
  }

  messageReceived(process: Pid): void {
    this.#involved[process] = 1;
  }

  emitted(process: Pid, { leader: emitted }: Problems['election']['event']): Violation | null {
    const [known] = this.#claimants;
    if (emitted === 'another' && known === undefined) return followsNobody(process);
    const { ids } = this.#spec;
    const leader = emitted === 'me' ? ids[process]! : emitted === 'another' ? ids[known!]! : emitted;
    this.#leaders[process] = leader;
    this.#involved[process] = 1;
    if (leader === ids[process]) this.#claimants.add(process);
    else this.#claimants.delete(process);

    if (this.#spec.survivesCrashes) {
      return this.#claimants.size <= 1 || this.#restarts > 0 ? null : severalLeaders([...this.#claimants]);
    }
    this.#first ??= { process, leader };
    return this.#first.leader === leader ? null : leadersDiffer(this.#first, { process, leader });
  }

  crashed(process: Pid): void {
    this.#dead.add(process);
    this.#claimants.delete(process);
    this.#involved[process] = 0;
  }

  restarted(process: Pid): void {
    this.#dead.delete(process);
    this.#leaders[process] = Number.NaN;
    this.#restarts += 1;
  }

  whenQuiescent(): Violation[] {
    if (!this.#involved.includes(1)) return []; // no living process knows of an election
    return electionWhenQuiescent(this.#spec, this.#leaders, (i) => this.#dead.has(i));
  }
}

// The violations of each property, the same for every host.

export interface Belief {
  readonly process: Pid;
  readonly leader: number;
}

const property = 'at most one leader';

export const followsNobody = (process: Pid): Violation => ({
  property,
  why: `process ${process} hears of a leader, but nobody leads`,
});

export const severalLeaders = (claimants: readonly Pid[]): Violation => ({
  property,
  why: `processes ${claimants.join(' and ')} both lead`,
});

export const leadersDiffer = (a: Belief, b: Belief): Violation => ({
  property,
  why: `process ${a.process} has leader ${a.leader}, process ${b.process} has leader ${b.leader}`,
});

/** A process that does not learn the leader in a fair run without end. */
export const neverLearns = (process: Pid, help: string): Violation => ({
  property: 'everybody learns the leader',
  why: `process ${process} never learns the leader while the run goes round, though ${help}`,
});

/** The violations when no message is in flight and some living process knows of the election. It builds no list of all processes. */
export function electionWhenQuiescent(
  { ids, elects, survivesCrashes, isMember }: ElectionSpec,
  leaders: ArrayLike<number | null>, // null or NaN: no leader learned
  isDead: (process: Pid) => boolean,
): Violation[] {
  const followed = followedBy(leaders, isDead);
  if (followed.has(null)) {
    const why = `nothing is left to tell the leader to process ${pidList(withoutLeader(leaders, isDead))}`;
    return [{ property: 'everybody learns the leader', why }];
  }
  const leader = common(followed);
  if (leader === null)
    return [{ property, why: `in the end the processes follow ${[...followed].join(' and ')}` }];
  const position = Array.prototype.indexOf.call(ids, leader);
  if (position < 0) return [{ property, why: `${leader} is elected, but nobody has that id` }];
  if (elects === 'any') return [];
  if (survivesCrashes && isDead(position)) return []; // the leader crashed later: the application will notice
  const best = bestOf(ids, elects, (i) => isMember(i) && (!survivesCrashes || !isDead(i)));
  if (leader === best) return [];
  return [{ property: `the ${elects} wins`, why: `${leader} is elected although ${best} is there` }];
}

/** The leaders that living processes follow; includes null if a process follows none. */
function followedBy(
  leaders: ArrayLike<number | null>,
  isDead: (process: Pid) => boolean,
): Set<number | null> {
  const followed = new Set<number | null>();
  for (let i = 0; i < leaders.length; i += 1) {
    const leader = leaders[i]!;
    if (!isDead(i)) followed.add(Number.isNaN(leader) ? null : leader);
  }
  return followed;
}

function withoutLeader(leaders: ArrayLike<number | null>, isDead: (process: Pid) => boolean): Pid[] {
  const found: Pid[] = [];
  for (let i = 0; i < leaders.length; i += 1)
    if (!isDead(i) && (leaders[i] === null || Number.isNaN(leaders[i]))) found.push(i);
  return found;
}

function bestOf(ids: ArrayLike<number>, elects: Winner, counts: (process: Pid) => boolean): number {
  let best = elects === 'largest' ? -Infinity : Infinity;
  for (let i = 0; i < ids.length; i += 1)
    if (counts(i)) best = elects === 'largest' ? Math.max(best, ids[i]!) : Math.min(best, ids[i]!);
  return best;
}

const common = (followed: ReadonlySet<number | null>): number | null =>
  followed.size === 1 ? [...followed][0]! : null;
