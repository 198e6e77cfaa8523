// Checks safety from the calls and callbacks of applications. It never reads the state of a member.
import type { ExitCause, GroupSnapshot, Leader } from '../../../src/member/index.ts';

/** One lock request of an application, and its outcome. */
export interface LockRequest {
  readonly number: number;
  readonly process: string;
  readonly lock: string;
  readonly isTry: boolean;
  readonly since: number;
  outcome: 'granted' | 'busy' | 'refused' | 'cancelled' | null;
}

export interface Hold {
  readonly request: LockRequest;
  readonly member: string;
  readonly fence: number;
  readonly turn: number; // counts the holds of this lock
  readonly since: number;
}

class Resource {
  fence = 0; // the highest of all accesses
  reached = 0; // the highest turn of all accesses
  version = 0;
}

interface LockHistory {
  turns: number;
  fence: number;
  last: Hold | null;
  readonly open: Set<Hold>; // neither released nor reported as lost
  lastOver: number; // when the last of them ended
  readonly resource: Resource;
}

export class Violation extends Error {
  override readonly name = 'Violation';
}

export class Observer {
  readonly #locks = new Map<string, LockHistory>();
  readonly #unserved = new Set<LockRequest>();
  readonly #terms = new Map<string, string>(); // leaders, by election and term
  readonly #seen = new Map<string, number>(); // highest term, by process and election
  readonly #leaders = new Map<string, Leader>(); // last reported, by process and election
  readonly counts = {
    ...{ granted: 0, busy: 0, refused: 0, cancelled: 0, lost: 0, refusedWrites: 0, writes: 0 },
    ...{ clocks: 0, snapshots: 0 }, // reported clocks, completed snapshots
  };
  readonly outs: Record<ExitCause, number> = {
    'lease over': 0,
    'removed from the group': 0,
    'cut off': 0,
    forgotten: 0,
    broken: 0,
    left: 0,
  };
  now: () => number = () => 0;
  /**
   * The engine lost its data: until this time there may be two holders, and an older fence may be granted later. A leader of the view to which
   * the engine went back may still lead, and processes hear of it that have seen later terms. Only fencing is guaranteed.
   */
  excusedUntil = -1;

  // Requests.

  asked(request: LockRequest): void {
    this.#unserved.add(request);
  }

  ended(request: LockRequest, outcome: NonNullable<LockRequest['outcome']>): void {
    if (request.outcome !== null)
      throw new Violation(`request ${request.number} ends twice: ${request.outcome}, then ${outcome}`);
    if (outcome === 'busy' && !this.#wasBusy(request))
      throw new Violation(
        `request ${request.number} finds ${request.lock} busy, but nobody held or wanted it`,
      );
    request.outcome = outcome;
    this.counts[outcome] += 1;
    this.#unserved.delete(request);
  }

  #wasBusy(request: LockRequest): boolean {
    const { open, lastOver } = this.#lock(request.lock);
    if (open.size > 0 || lastOver >= request.since) return true;
    return this.unserved.some((other) => other !== request && other.lock === request.lock);
  }

  get unserved(): readonly LockRequest[] {
    return [...this.#unserved];
  }

  get isQuiet(): boolean {
    if (this.#unserved.size > 0) return false;
    for (const { open } of this.#locks.values()) if (open.size > 0) return false;
    return true;
  }

  // Holds.

  granted(request: LockRequest, member: string, fence: number): Hold {
    this.ended(request, 'granted');
    const lock = this.#lock(request.lock);
    const isLate = fence < lock.fence && this.now() < this.excusedUntil;
    if (fence <= lock.fence && !isLate)
      throw new Violation(`the fence of ${request.lock} does not rise: ${lock.fence}, then ${fence}`);
    lock.turns += isLate ? 0 : 1;
    const hold = { request, member, fence, turn: isLate ? -1 : lock.turns, since: this.now() };
    lock.open.add(hold);
    if (isLate) return hold;
    lock.fence = fence;
    lock.last = hold;
    return hold;
  }

  /** The application checked its lock, and the check succeeded. */
  holds(hold: Hold): void {
    const { open, last } = this.#lock(hold.request.lock);
    if (open.has(hold) && last !== hold && this.now() >= this.excusedUntil)
      throw new Violation(
        `two hold ${hold.request.lock}: ${hold.request.process} since ${hold.since}, ${last!.request.process} since ${last!.since}`,
      );
  }

  over(hold: Hold): void {
    const lock = this.#lock(hold.request.lock);
    if (lock.open.delete(hold)) lock.lastOver = this.now();
  }

  /** The process that last held a lock. */
  lastHolder(lock: string): string | undefined {
    return this.#lock(lock).last?.request.process;
  }

  /** How often a lock was granted. */
  turns(lock: string): number {
    return this.#lock(lock).turns;
  }

  openHolds(): Hold[] {
    return [...this.#locks.values()].flatMap(({ open }) => [...open]);
  }

  /** Forgets the requests and holds of a dead process. */
  died(process: string): void {
    for (const request of this.#unserved) if (request.process === process) this.#unserved.delete(request);
    for (const hold of this.openHolds()) if (hold.request.process === process) this.over(hold);
    for (const key of this.#leaders.keys()) if (key.startsWith(`${process} `)) this.#leaders.delete(key);
  }

  // Snapshots.

  /** Checks a snapshot: at most one holder and exactly one token of each lock. */
  took(snapshot: GroupSnapshot): void {
    if ('failed' in snapshot) return;
    this.counts.snapshots += 1;
    for (const { lock, holders, tokens } of snapshot.locks) {
      if (holders.length > 1 && this.now() >= this.excusedUntil)
        throw new Violation(`in a snapshot ${holders.length} hold ${lock}`);
      if (tokens !== null && tokens.length !== 1)
        throw new Violation(`in a snapshot there are ${tokens.length} tokens of ${lock}`);
    }
  }

  // A resource that checks the fence of every access.

  read(hold: Hold): number | null {
    return this.#access(hold) ? this.#lock(hold.request.lock).resource.version : null;
  }

  /** Writes the successor of the version that was read. */
  write(hold: Hold, version: number): boolean {
    const { resource } = this.#lock(hold.request.lock);
    this.counts.writes += 1;
    if (!this.#access(hold)) {
      this.counts.refusedWrites += 1;
      return false;
    }
    if (resource.version !== version)
      throw new Violation(`${hold.request.lock}: an update of version ${resource.version} is lost`);
    resource.version += 1;
    return true;
  }

  #access(hold: Hold): boolean {
    const { resource, last, open } = this.#lock(hold.request.lock);
    const isAccepted = hold.fence >= resource.fence;
    if (isAccepted && hold.turn >= 0 && hold.turn < resource.reached)
      throw new Violation(`${hold.request.lock}: a stale access of turn ${hold.turn} is accepted`);
    if (!isAccepted && hold === last && open.has(hold))
      throw new Violation(`${hold.request.lock}: the rightful holder is refused`);
    if (isAccepted) {
      resource.fence = hold.fence;
      resource.reached = Math.max(resource.reached, hold.turn);
    }
    return isAccepted;
  }

  // Elections.

  leads(election: string, member: string, term: number): void {
    this.#isLedBy(election, member, term);
  }

  led(process: string, election: string, leader: Leader): void {
    const key = `${process} ${election}`;
    this.#leaders.set(key, leader);
    if (leader === null) return;
    this.#isLedBy(election, leader.id, leader.term);
    const seen = this.#seen.get(key) ?? 0;
    if (leader.term < seen && this.now() >= this.excusedUntil)
      throw new Violation(`${process} sees the terms of ${election} go back to ${leader.term}`);
    this.#seen.set(key, Math.max(seen, leader.term));
  }

  leaderAs(process: string, election: string): Leader {
    return this.#leaders.get(`${process} ${election}`) ?? null;
  }

  #isLedBy(election: string, member: string, term: number): void {
    const key = `${election} ${term}`;
    const known = this.#terms.get(key) ?? member;
    if (known !== member) throw new Violation(`term ${term} of ${election} has two leaders`);
    this.#terms.set(key, known);
  }

  #lock(name: string): LockHistory {
    let lock = this.#locks.get(name);
    if (lock === undefined) {
      lock = { turns: 0, fence: 0, last: null, lastOver: -1, open: new Set(), resource: new Resource() };
      this.#locks.set(name, lock);
    }
    return lock;
  }
}
