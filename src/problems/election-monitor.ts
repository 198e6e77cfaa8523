import type { AnyAlgorithm, Pid, Problems, Winner } from '../core/algorithm.ts';
import { beginsByItself } from '../core/perpetual-election.ts';
import type { Monitor, Violation } from './monitor.ts';
import { pidList } from './mutex-monitor.ts';

export interface ElectionSpec {
  readonly ids: ArrayLike<number>; // by position; equal to positions if processes have no ids
  readonly elects: Winner;
  readonly survivesCrashes: boolean; // a new leader may follow after a crash or a restart
  readonly detectsCrashes: boolean; // every living process hears of every crash, so in the end a living process leads
  readonly isMember: (process: Pid) => boolean; // false if it was left out because it crashes before the election
  readonly isPerpetual: boolean; // leaders may differ for a while: eventually there is one, and it stays
  readonly beginsByItself: boolean; // no process has to start the election
}

/** The declarations of an algorithm that its promises depend on. */
type Declarations = Pick<AnyAlgorithm, 'problem' | 'assumes'> & {
  readonly [field in 'elects' | 'crashNotice' | 'perpetual' | 'begin']?: AnyAlgorithm[field] | undefined;
};

/** Returns what an election promises. */
export const electionSpecOf = (
  algorithm: Declarations,
  ids: ArrayLike<number>,
  isMember: ElectionSpec['isMember'] = () => true,
): ElectionSpec => ({
  ids,
  elects: algorithm.elects ?? 'any',
  survivesCrashes: algorithm.assumes.failures === 'crash',
  detectsCrashes: algorithm.crashNotice !== undefined,
  isMember,
  isPerpetual: algorithm.perpetual === true,
  beginsByItself: beginsByItself(algorithm),
});

/**
 * Election: there is at most one leader; every living process learns the same one, and it is the promised one. An anonymous process emits
 * `me` or `another`; the monitor resolves that to the id of the process that emitted `me`, or its position if processes have no ids.
 *
 * An algorithm that numbers its elections has at most one leader in each round, and the leader of a round took part in it: it was alive.
 *
 * A perpetual election promises less of the way and more of the end: leaders may differ for a while, and several may lead, but eventually all living
 * processes follow one living leader, and it stays. `LeaderStability` says when.
 */
export class ElectionMonitor implements Monitor<Problems['election']['event']> {
  readonly #spec: ElectionSpec;
  readonly #leaders: Float64Array; // what each process believes; NaN before it learns a leader
  readonly #dead = new Set<Pid>();
  readonly #claimants = new Set<Pid>(); // processes that believe they lead
  #first: { process: Pid; leader: number } | null = null;
  readonly #involved: Uint8Array; // started or received a message since the last restart
  #restarts = 0;
  readonly #rounds: Int32Array; // the latest round that each process took part in; -1 before the first
  readonly #elected = new Map<number, Belief>(); // by round: the first process that learned the leader

  constructor(spec: ElectionSpec) {
    this.#spec = spec;
    this.#leaders = new Float64Array(spec.ids.length).fill(Number.NaN);
    this.#involved = new Uint8Array(spec.ids.length).fill(spec.beginsByItself ? 1 : 0);
    this.#rounds = new Int32Array(spec.ids.length).fill(-1);
  }

  /** The leader that each living process believes in, or null. */
  get leaders(): (number | null)[] {
    return Array.from(this.#leaders, (leader, i) =>
      Number.isNaN(leader) || this.#dead.has(i) ? null : leader,
    );
  }

  /** The leader that a process believes in, or null. */
  leaderOf(process: Pid): number | null {
    const leader = this.#leaders[process]!;
    return Number.isNaN(leader) ? null : leader;
  }

  /** Whether a process believes that it leads. */
  leads(process: Pid): boolean {
    return this.#claimants.has(process);
  }

  /** The leader all living processes agree on, or null. */
  get leader(): number | null {
    return common(followedBy(this.#leaders, (i) => this.#dead.has(i)));
  }

  /** The living leader that all living processes follow, or null. */
  get livingLeader(): number | null {
    const { leader } = this;
    if (leader === null) return null;
    const position = Array.prototype.indexOf.call(this.#spec.ids, leader);
    return position < 0 || this.#dead.has(position) ? null : leader;
  }

  /** How many rounds elected a leader. Without rounds, 1 if a process has learned of one. */
  get elections(): number {
    return this.#elected.size || (this.#leaders.some((leader) => !Number.isNaN(leader)) ? 1 : 0);
  }

  called(process: Pid): void {
    this.#involved[process] = 1;
  }

  messageReceived(process: Pid): void {
    this.#involved[process] = 1;
  }

  emitted(process: Pid, event: Problems['election']['event']): Violation | null {
    if (event.type === 'electing') return this.#takesPart(process, event.round);
    const { leader: emitted, round } = event;
    if (round !== undefined) return this.#electedIn(round, process, emitted);
    const [known] = this.#claimants;
    if (emitted === 'another' && known === undefined) return followsNobody(process);
    const { ids } = this.#spec;
    const leader = emitted === 'me' ? ids[process]! : emitted === 'another' ? ids[known!]! : emitted;
    this.#follow(process, leader);
    if (this.#spec.isPerpetual) return null;
    if (this.#spec.survivesCrashes) {
      return this.#claimants.size <= 1 || this.#restarts > 0 ? null : severalLeaders([...this.#claimants]);
    }
    this.#first ??= { process, leader };
    return this.#first.leader === leader ? null : leadersDiffer(this.#first, { process, leader });
  }

  #follow(process: Pid, leader: number): void {
    this.#leaders[process] = leader;
    this.#involved[process] = 1;
    if (leader === this.#spec.ids[process]) this.#claimants.add(process);
    else this.#claimants.delete(process);
  }

  #takesPart(process: Pid, round: number): Violation | null {
    const before = this.#rounds[process]!;
    this.#rounds[process] = round;
    this.#leaders[process] = Number.NaN;
    this.#involved[process] = 1;
    this.#claimants.delete(process);
    return round < before ? roundsGoBack(process, before, round) : null;
  }

  #electedIn(round: number, process: Pid, emitted: number | 'me' | 'another'): Violation | null {
    const { ids } = this.#spec;
    const first = this.#elected.get(round);
    if (emitted === 'another' && first === undefined) return followsNobody(process);
    const leader = emitted === 'me' ? ids[process]! : emitted === 'another' ? first!.leader : emitted;
    this.#follow(process, leader);
    this.#rounds[process] = Math.max(round, this.#rounds[process]!);
    if (first !== undefined) {
      const isDifferent = first.leader !== leader || (emitted === 'me' && first.process !== process);
      return isDifferent ? leadersDiffer(first, { process, leader }, round) : null;
    }
    this.#elected.set(round, { process, leader });
    const position = Array.prototype.indexOf.call(ids, leader);
    return position >= 0 && this.#rounds[position]! >= round ? null : neverTookPart(leader, round);
  }

  crashed(process: Pid): void {
    this.#dead.add(process);
    this.#claimants.delete(process);
    this.#involved[process] = 0;
  }

  restarted(process: Pid): void {
    this.#dead.delete(process);
    this.#leaders[process] = Number.NaN;
    this.#rounds[process] = -1;
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

export const leadersDiffer = (a: Belief, b: Belief, round?: number): Violation => ({
  property,
  why: `${round === undefined ? '' : `in round ${round} `}process ${a.process} has leader ${a.leader}, process ${b.process} has leader ${b.leader}`,
});

/** The leader of a round must have been alive in it. */
export const neverTookPart = (leader: number, round: number): Violation => ({
  property: 'the leader took part in its round',
  why: `${leader} wins round ${round}, in which it never took part`,
});

export const roundsGoBack = (process: Pid, before: number, round: number): Violation => ({
  property: 'rounds only rise',
  why: `process ${process} takes part in round ${round} after round ${before}`,
});

/** A process that does not learn the leader in a fair run without end. */
export const neverLearns = (process: Pid, help: string): Violation => ({
  property: 'everybody learns the leader',
  why: `process ${process} never learns the leader while the run goes round, though ${help}`,
});

/** The name of what a perpetual election promises. */
export const stableLeader = 'eventually one leader, and it stays';

/** The violations when no message is in flight and some living process knows of the election. It builds no list of all processes. */
export function electionWhenQuiescent(
  { ids, elects, survivesCrashes, detectsCrashes, isMember, isPerpetual }: ElectionSpec,
  leaders: ArrayLike<number | null>, // null or NaN: no leader learned
  isDead: (process: Pid) => boolean,
  when = 'in the end', // of a perpetual election
): Violation[] {
  if (isPerpetual) {
    const who = disagreement(ids, leaders, isDead);
    if (who !== null) return [{ property: stableLeader, why: `${when} ${who}` }];
  }
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
  if (detectsCrashes && isDead(position))
    return [{ property: 'a living process leads', why: `all follow ${leader}, which has crashed` }];
  if (elects === 'any') return [];
  if (survivesCrashes && isDead(position)) return []; // the leader crashed later: the application will notice
  const best = bestOf(ids, elects, (i) => isMember(i) && (!survivesCrashes || !isDead(i)));
  if (leader === best) return [];
  return [{ property: `the ${elects} wins`, why: `${leader} is elected although ${best} is there` }];
}

/** Says which processes follow whom, unless all living ones follow the same living leader. */
function disagreement(
  ids: ArrayLike<number>,
  leaders: ArrayLike<number | null>,
  isDead: (process: Pid) => boolean,
): string | null {
  const followers = new Map<number | null, Pid[]>();
  for (let i = 0; i < leaders.length; i += 1) {
    if (isDead(i)) continue;
    const leader = Number.isNaN(leaders[i]) ? null : leaders[i]!;
    followers.set(leader, [...(followers.get(leader) ?? []), i]);
  }
  const isGone = (leader: number | null) =>
    leader !== null && isDead(Array.prototype.indexOf.call(ids, leader));
  if (followers.size <= 1 && ![...followers.keys()].some((leader) => leader === null || isGone(leader)))
    return null;
  const texts = [...followers].map(([leader, [first, ...more]]) => {
    const who =
      more.length === 0 ? `process ${first} follows` : `processes ${pidList([first!, ...more])} follow`;
    return `${who} ${leader ?? 'nobody'}${isGone(leader) ? ', which has crashed' : ''}`;
  });
  return texts.join('; ');
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
