import type { EnabledEffects } from '../messages/enabled.ts';
import type { Transition } from '../messages/transitions.ts';
import { PairMap } from '../storage/pair-map.ts';

/** That a message may as well arrive now: it commutes with whatever can happen at its receiver before it arrives. */
interface CommuteClaim {
  readonly local: number; // that the receiver has
  readonly action: number; // that the message arrives
  readonly transition: Transition;
  readonly dependents: number[]; // claims that are wrong if this one is
  isWrong: boolean;
}

type Sends = readonly number[];

const seen = { tried: 1, occurs: 2 };

const mostTries = { atFirst: 1000, forEach: 4 }; // that is tried, for each event that occurs

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
export class CommuteClaims {
  hasErred = false; // a claim turned out wrong since this was last set
  hasGivenUp = false; // so much would have to be tried that it is given up
  readonly #states: EnabledEffects;
  readonly #claims: CommuteClaim[] = [];
  readonly #numbers = new PairMap(); // local and move: the claim
  readonly #seen: number[] = []; // of each event, which has the number of what comes of it: whether it was tried, or occurs
  readonly #actions: number[] = []; // by event
  readonly #events: number[][] = []; // that turned up, by local
  readonly #leading: number[][] = []; // claims, by the local after the message
  readonly #work: number[] = []; // claim and event, claim and event, ..
  #tried = 0; // events,
  #occurring = 0; // and those of them

  constructor(states: EnabledEffects) {
    this.#states = states;
  }

  isWrong(claim: number): boolean {
    return this.#claims[claim]!.isWrong;
  }

  /** The search came across an event. */
  occurs(local: number, action: number): void {
    const event = this.#try(local, action);
    if (this.#seen[event] === seen.occurs) return;
    this.#seen[event] = seen.occurs;
    this.#occurring += 1;
  }

  /** The number of the claim about a message that can arrive. */
  make(local: number, action: number): number {
    const claim = this.#claim(local, action);
    this.settle();
    return claim;
  }

  /** The event. */
  #try(local: number, action: number): number {
    const event = this.#states.transitions.numberOf(local, action);
    if (this.#seen[event] !== undefined) return event;
    this.#seen[event] = seen.tried;
    this.#tried += 1;
    this.#actions[event] = action;
    pushTo(this.#events, local, event);
    for (const claim of this.#leading[local] ?? []) this.#work.push(claim, event);
    return event;
  }

  #claim(local: number, action: number): number {
    const known = this.#numbers.at(local, action);
    if (known >= 0) return this.#numbers.valueAt(known);
    const transitions = this.#states.transitions.numbered(this.#try(local, action));
    const then = transitions[0]!;
    const isWrong = transitions.length > 1 || !isHarmless(then) || !this.#leaves(local, then.local);
    const claim = this.#claims.push({ local, action, transition: then, dependents: [], isWrong }) - 1;
    this.#numbers.set(local, action, claim);
    if (isWrong) return claim;
    for (const own of this.#states.ownActionsAt(local)) this.#try(then.local, own); // most that are wrong are so for a call
    pushTo(this.#leading, then.local, claim);
    for (const event of this.#events[then.local] ?? []) this.#work.push(claim, event);
    return claim;
  }

  /** The calls and timers that are possible before are so after. */
  #leaves(before: number, after: number): boolean {
    const still = this.#states.ownActionsAt(after);
    return this.#states.ownActionsAt(before).every((action) => still.includes(action));
  }

  /** Holds claims against what turned up. */
  settle(): void {
    while (this.#work.length > 0) {
      const event = this.#work.pop()!;
      const claim = this.#work.pop()!;
      if (this.#tried > mostTries.atFirst + mostTries.forEach * this.#occurring) this.hasGivenUp = true;
      if (this.#claims[claim]!.isWrong) continue;
      if (this.hasGivenUp || !this.#holds(claim, this.#claims[claim]!, event)) this.#withdraw(claim);
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
  #holds(number: number, { local, action, transition }: CommuteClaim, event: number): boolean {
    const other = this.#actions[event]!;
    if (other === action) return true;
    if (
      this.#states.transitions.actions.of(other).kind !== 'recv' &&
      !this.#states.ownActionsAt(local).includes(other)
    )
      return true;
    const before = this.#states.transitions.numbered(this.#try(local, other));
    const after = this.#states.transitions.numbered(event);
    if (before.length !== after.length) return false;
    for (let k = 0; k < before.length; k += 1) {
      const one = before[k]!;
      const two = after[k]!;
      if (one.violation !== null || two.violation !== null || !isSame(one.coins, two.coins)) return false;
      const next = this.#claims[this.#claim(one.local, action)]!;
      if (next.isWrong || next.transition.local !== two.local) return false;
      if (!doSendSame(one.sends, next.transition.sends, transition.sends, two.sends)) return false;
      next.dependents.push(number);
    }
    return true;
  }
}

/**
 * No coin is tossed, and nothing is broken, or hidden by what others are told: who enters remains inside until it leaves, which no message brings
 * about, so that two who are inside together still are if one more enters. A leader that is told may belie what was false before.
 */
const isHarmless = ({ coins, violation, emits, enters }: Transition): boolean =>
  coins.length === 0 && violation === null && (enters || !emits);

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
