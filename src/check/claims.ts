import { Memo } from './memo.ts';
import type { Outcome } from './outcomes.ts';
import type { Sites } from './sites.ts';

/** That a message may as well arrive now: it commutes with whatever can happen at its receiver before it arrives. */
interface Claim {
  readonly local: number; // that the receiver has
  readonly move: number; // that the message arrives
  readonly then: Outcome;
  readonly dependents: number[]; // claims that are wrong if this one is
  isWrong: boolean;
}

type Sends = readonly number[];

const how = { tried: 1, occurs: 2 };

const most = { atFirst: 1000, forEach: 4 }; // that is tried, for each event that occurs

/**
 * Claims about messages on channels that keep no order. What can happen at a process is not known beforehand, so a claim is made, the search
 * relies on it, and every event that turns up after the message is tried before it: both orders must lead to the same and send the
 * same, and what is claimed must hold there as well. What was tried counts as an event that turned up.
 *
 * Why that is enough. Let a search that is over have followed only message m, to process p, from world s, and let a run w from s begin otherwise.
 * Events elsewhere commute with m, and m can arrive until it does. Suppose d is the first event of w at p, before m, that does not commute with m. What
 * comes before d in w commutes with m, so it can also happen in the world after m, and then d. If every event that follows that world
 * has turned up, d was tried before m. It has: the world after m had not been looked at when s was, so going on from one such world to the next ends in
 * one from which everything was followed, and there the rest of w is one event shorter. By induction over the length of w, and
 * over the number of such worlds, whatever happens in any run has turned up, and m commutes with all of w that comes before it. A search may begin anew
 * with the claims it has: what turned up before can only have made more of them wrong.
 */
export class Claims {
  hasErred = false; // a claim turned out wrong since this was last set
  isEndless = false; // so much would have to be tried that it is given up
  readonly #sites: Sites;
  readonly #claims: Claim[] = [];
  readonly #numbers = new Memo(); // local and move: the claim
  readonly #turnedUp: number[] = []; // of each event, which has the number of what comes of it: whether it was tried, or occurs
  readonly #moves: number[] = []; // by event
  readonly #events: number[][] = []; // that turned up, by local
  readonly #leading: number[][] = []; // claims, by the local after the message
  readonly #work: number[] = []; // claim and event, claim and event, ..
  #tried = 0; // events,
  #occurring = 0; // and those of them

  constructor(sites: Sites) {
    this.#sites = sites;
  }

  isWrong(claim: number): boolean {
    return this.#claims[claim]!.isWrong;
  }

  /** The search came across an event. */
  occurs(local: number, move: number): void {
    const event = this.#try(local, move);
    if (this.#turnedUp[event] === how.occurs) return;
    this.#turnedUp[event] = how.occurs;
    this.#occurring += 1;
  }

  /** The number of the claim about a message that can arrive. */
  make(local: number, move: number): number {
    const claim = this.#claim(local, move);
    this.settle();
    return claim;
  }

  /** The event. */
  #try(local: number, move: number): number {
    const event = this.#sites.outcomes.numberOf(local, move);
    if (this.#turnedUp[event] !== undefined) return event;
    this.#turnedUp[event] = how.tried;
    this.#tried += 1;
    this.#moves[event] = move;
    pushTo(this.#events, local, event);
    for (const claim of this.#leading[local] ?? []) this.#work.push(claim, event);
    return event;
  }

  #claim(local: number, move: number): number {
    const known = this.#numbers.at(local, move);
    if (known >= 0) return this.#numbers.valueAt(known);
    const outcomes = this.#sites.outcomes.numbered(this.#try(local, move));
    const then = outcomes[0]!;
    const isWrong = outcomes.length > 1 || !isHarmless(then) || !this.#leaves(local, then.local);
    const claim = this.#claims.push({ local, move, then, dependents: [], isWrong }) - 1;
    this.#numbers.set(local, move, claim);
    if (isWrong) return claim;
    for (const own of this.#sites.ownMovesAt(local)) this.#try(then.local, own); // most that are wrong are so for a call
    pushTo(this.#leading, then.local, claim);
    for (const event of this.#events[then.local] ?? []) this.#work.push(claim, event);
    return claim;
  }

  /** The calls and timers that are possible before are so after. */
  #leaves(before: number, after: number): boolean {
    const still = this.#sites.ownMovesAt(after);
    return this.#sites.ownMovesAt(before).every((move) => still.includes(move));
  }

  /** Holds claims against what turned up. */
  settle(): void {
    while (this.#work.length > 0) {
      const event = this.#work.pop()!;
      const claim = this.#work.pop()!;
      if (this.#tried > most.atFirst + most.forEach * this.#occurring) this.isEndless = true;
      if (this.#claims[claim]!.isWrong) continue;
      if (this.isEndless || !this.#holds(claim, this.#claims[claim]!, event)) this.#withdraw(claim);
    }
  }

  #withdraw(claim: number): void {
    this.hasErred = true;
    const wrong = [claim];
    for (let number = wrong.pop(); number !== undefined; number = wrong.pop()) {
      const one = this.#claims[number]!;
      if (one.isWrong) continue;
      one.isWrong = true;
      for (const dependent of one.dependents) wrong.push(dependent);
    }
  }

  /** Whether a claim stands against an event after the message. A call or timer that is not possible before it does not matter. */
  #holds(number: number, { local, move, then }: Claim, event: number): boolean {
    const other = this.#moves[event]!;
    if (other === move) return true;
    if (
      this.#sites.outcomes.moves.of(other).kind !== 'recv' &&
      !this.#sites.ownMovesAt(local).includes(other)
    )
      return true;
    const before = this.#sites.outcomes.numbered(this.#try(local, other));
    const after = this.#sites.outcomes.numbered(event);
    if (before.length !== after.length) return false;
    for (let k = 0; k < before.length; k += 1) {
      const one = before[k]!;
      const two = after[k]!;
      if (one.violation !== null || two.violation !== null || !isSame(one.coins, two.coins)) return false;
      const next = this.#claims[this.#claim(one.local, move)]!;
      if (next.isWrong || next.then.local !== two.local) return false;
      if (!doSendSame(one.sends, next.then.sends, then.sends, two.sends)) return false;
      next.dependents.push(number);
    }
    return true;
  }
}

/**
 * No coin is tossed, and nothing is broken, or hidden by what others are told: who enters remains inside until it leaves, which no message brings
 * about, so that two who are inside together still are if one more enters. A leader that is told may belie what was false before.
 */
const isHarmless = ({ coins, violation, tells, enters }: Outcome): boolean =>
  coins.length === 0 && violation === null && (enters || !tells);

function pushTo(lists: number[][], k: number, value: number): void {
  const list = lists[k];
  if (list === undefined) lists[k] = [value];
  else list.push(value);
}

/** Whether what two events send together is the same as what two others do. */
function doSendSame(one: Sends, two: Sends, three: Sends, four: Sends): boolean {
  if (isSame(one, four) && isSame(two, three)) return true;
  return isSame(sorted([...one, ...two]), sorted([...three, ...four]));
}

function sorted(sends: Sends): Sends {
  const pairs: [to: number, item: number][] = [];
  for (let k = 0; k < sends.length; k += 2) pairs.push([sends[k]!, sends[k + 1]!]);
  return pairs.sort(([a, x], [b, y]) => a - b || x - y).flat();
}

function isSame(one: Sends, two: Sends): boolean {
  if (one.length !== two.length) return false;
  for (let k = 0; k < one.length; k += 1) if (one[k] !== two[k]) return false;
  return true;
}
