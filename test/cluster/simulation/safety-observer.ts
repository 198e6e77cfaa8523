// Judges what applications do and are told. It never looks into a member.
import type { ExitCause, GroupSnapshot, Leader } from '../../../src/member/index.ts';

/** One wait for a lock by one application, and the hold that may come of it. */
export interface Wait {
  readonly number: number;
  readonly process: string;
  readonly lock: string;
  readonly isTry: boolean;
  readonly since: number;
  outcome: 'granted' | 'busy' | 'refused' | 'cancelled' | null;
}

export interface Hold {
  readonly wait: Wait;
  readonly member: string;
  readonly fence: number;
  readonly turn: number; // the how manieth of this lock
  readonly since: number;
}

class Resource {
  fence = 0; // the highest that came with an access
  reached = 0; // the turn of the latest hold that got here
  version = 0;
}

interface Judged {
  turns: number;
  fence: number;
  last: Hold | null;
  readonly open: Set<Hold>; // neither released nor known to be lost
  lastOver: number; // when the last of them ended
  readonly resource: Resource;
}

export class Violation extends Error {
  override readonly name = 'Violation';
}

export class Observer {
  readonly #locks = new Map<string, Judged>();
  readonly #unserved = new Set<Wait>();
  readonly #terms = new Map<string, string>(); // who led, by election and term
  readonly #seen = new Map<string, number>(); // the highest term, by process and election
  readonly #leaders = new Map<string, Leader>(); // as last told, by process and election
  readonly counts = {
    ...{ granted: 0, busy: 0, refused: 0, cancelled: 0, lost: 0, refusedWrites: 0, writes: 0 },
    ...{ clocks: 0, snapshots: 0 }, // that were told, and taken
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
  /** Until then two may hold at a time, and the older fence may be granted later: nothing but the fence is promised. */
  excusedUntil = -1;

  // Waits.

  asked(wait: Wait): void {
    this.#unserved.add(wait);
  }

  ended(wait: Wait, outcome: NonNullable<Wait['outcome']>): void {
    if (wait.outcome !== null)
      throw new Violation(`wait ${wait.number} ends twice: ${wait.outcome}, then ${outcome}`);
    if (outcome === 'busy' && !this.#wasBusy(wait))
      throw new Violation(`wait ${wait.number} finds ${wait.lock} busy, but nobody held or wanted it`);
    wait.outcome = outcome;
    this.counts[outcome] += 1;
    this.#unserved.delete(wait);
  }

  #wasBusy(wait: Wait): boolean {
    const { open, lastOver } = this.#lock(wait.lock);
    if (open.size > 0 || lastOver >= wait.since) return true;
    return this.unserved.some((other) => other !== wait && other.lock === wait.lock);
  }

  get unserved(): readonly Wait[] {
    return [...this.#unserved];
  }

  get isQuiet(): boolean {
    if (this.#unserved.size > 0) return false;
    for (const { open } of this.#locks.values()) if (open.size > 0) return false;
    return true;
  }

  // Holds.

  granted(wait: Wait, member: string, fence: number): Hold {
    this.ended(wait, 'granted');
    const lock = this.#lock(wait.lock);
    const isLate = fence < lock.fence && this.now() < this.excusedUntil;
    if (fence <= lock.fence && !isLate)
      throw new Violation(`the fence of ${wait.lock} does not rise: ${lock.fence}, then ${fence}`);
    lock.turns += isLate ? 0 : 1;
    const hold = { wait, member, fence, turn: isLate ? -1 : lock.turns, since: this.now() };
    lock.open.add(hold);
    if (isLate) return hold;
    lock.fence = fence;
    lock.last = hold;
    return hold;
  }

  /** The application asked whether it still holds, and was told that it does. */
  holds(hold: Hold): void {
    const { open, last } = this.#lock(hold.wait.lock);
    if (open.has(hold) && last !== hold && this.now() >= this.excusedUntil)
      throw new Violation(
        `two hold ${hold.wait.lock}: ${hold.wait.process} since ${hold.since}, ${last!.wait.process} since ${last!.since}`,
      );
  }

  over(hold: Hold): void {
    const lock = this.#lock(hold.wait.lock);
    if (lock.open.delete(hold)) lock.lastOver = this.now();
  }

  openHolds(): Hold[] {
    return [...this.#locks.values()].flatMap(({ open }) => [...open]);
  }

  /** A process is gone, with all that it waited for and held. */
  died(process: string): void {
    for (const wait of this.#unserved) if (wait.process === process) this.#unserved.delete(wait);
    for (const hold of this.openHolds()) if (hold.wait.process === process) this.over(hold);
    for (const key of this.#leaders.keys()) if (key.startsWith(`${process} `)) this.#leaders.delete(key);
  }

  // Snapshots.

  /** Of one view: one holder at most, and one token. */
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
    return this.#access(hold) ? this.#lock(hold.wait.lock).resource.version : null;
  }

  /** Writes what follows the version that was read. */
  write(hold: Hold, version: number): boolean {
    const { resource } = this.#lock(hold.wait.lock);
    this.counts.writes += 1;
    if (!this.#access(hold)) {
      this.counts.refusedWrites += 1;
      return false;
    }
    if (resource.version !== version)
      throw new Violation(`${hold.wait.lock}: an update of version ${resource.version} is lost`);
    resource.version += 1;
    return true;
  }

  #access(hold: Hold): boolean {
    const { resource, last, open } = this.#lock(hold.wait.lock);
    const isAccepted = hold.fence >= resource.fence;
    if (isAccepted && hold.turn >= 0 && hold.turn < resource.reached)
      throw new Violation(`${hold.wait.lock}: a stale access of turn ${hold.turn} is accepted`);
    if (!isAccepted && hold === last && open.has(hold))
      throw new Violation(`${hold.wait.lock}: the rightful holder is refused`);
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
    if (leader.term < (this.#seen.get(key) ?? 0))
      throw new Violation(`${process} sees the terms of ${election} go back to ${leader.term}`);
    this.#seen.set(key, leader.term);
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

  #lock(name: string): Judged {
    let lock = this.#locks.get(name);
    if (lock === undefined) {
      lock = { turns: 0, fence: 0, last: null, lastOver: -1, open: new Set(), resource: new Resource() };
      this.#locks.set(name, lock);
    }
    return lock;
  }
}
