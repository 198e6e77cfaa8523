import type {
  ActionId,
  ClaimId,
  EffectId,
  IdArray,
  LocalStateId,
  ProcessStateId,
  TransitionsId,
} from '../ids.ts';
import type { EnabledEffects } from '../messages/enabled.ts';
import type { Transition } from '../messages/transitions.ts';
import type { EarlyDeliveryReduction } from '../model/medium.ts';
import { PairMap } from '../storage/pair-map.ts';
import { grown } from '../storage/typed-arrays.ts';

const none = 0;
const unknown = -1;

/** Chooses for each process state a message that may as well be received first, if there is one. */
export class EarlyDelivery implements EarlyDeliveryReduction {
  readonly #claims: CommuteClaims;
  readonly #states: EnabledEffects;
  #effects = new Int32Array(16).fill(unknown) as Int32Array as IdArray<EffectId | 0 | -1>; // by process state: of the message
  #reasons = new Int32Array(16) as IdArray<ClaimId>; // by process state: the claim that it may come first

  constructor(states: EnabledEffects) {
    this.#states = states;
    this.#claims = new CommuteClaims(states);
  }

  get hasErred(): boolean {
    return this.#claims.hasErred;
  }

  get hasGivenUp(): boolean {
    return this.#claims.hasGivenUp;
  }

  get bytes(): number {
    return this.#effects.byteLength + this.#reasons.byteLength + this.#claims.bytes;
  }

  effectAt(state: ProcessStateId): EffectId | 0 {
    const known = state < this.#effects.length ? this.#effects[state]! : unknown;
    return known === unknown ? this.#choose(state) : known;
  }

  claimAt(state: ProcessStateId): ClaimId {
    return this.#reasons[state]!;
  }

  isWithdrawn(claim: ClaimId): boolean {
    return this.#claims.isWrong(claim);
  }

  review(): void {
    this.#claims.hasErred = false;
    for (let state = 0; state < this.#effects.length; state += 1)
      if (this.#effects[state]! > none && this.#claims.isWrong(this.#reasons[state]!))
        this.#effects[state] = unknown;
  }

  #choose(state: ProcessStateId): EffectId | 0 {
    const claims = this.#claims;
    const local = this.#states.processStates.localOf(state);
    const enabled = this.#enabledAt(state);
    for (const { action } of enabled) claims.occurs(local, action);
    let chosen: EffectId | 0 = none;
    let reason = 0 as ClaimId;
    for (const { action, effect } of enabled) {
      if (this.#states.transitions.actions.of(action).kind !== 'recv' || claims.hasGivenUp) continue;
      reason = claims.make(local, action);
      if (claims.isWrong(reason)) continue;
      chosen = effect;
      break;
    }
    claims.settle();
    if (state >= this.#effects.length) this.#extend(2 * state);
    this.#effects[state] = chosen;
    this.#reasons[state] = reason;
    return chosen;
  }

  #enabledAt(state: ProcessStateId): { readonly action: ActionId; readonly effect: EffectId }[] {
    const { effects, transitions } = this.#states;
    const actionOf = (effect: EffectId) => transitions.events.of(effects.eventOf(effect))[0]! as ActionId;
    return effects.in(this.#states.enabled(state)).map((effect) => ({ action: actionOf(effect), effect }));
  }

  #extend(length: number): void {
    const before = this.#effects.length;
    this.#effects = grown(this.#effects, length);
    this.#effects.fill(unknown, before);
    this.#reasons = grown(this.#reasons, length);
  }
}

/** The claim that a message may as well be received now: it commutes with every step its receiver can take before. */
interface CommuteClaim {
  readonly local: LocalStateId; // of the receiver
  readonly action: ActionId; // the receipt
  readonly transition: Transition; // its only one
  readonly dependents: ClaimId[]; // claims that are wrong if this one is
  isWrong: boolean;
}

/** An action in a local state. It is known by the id of its transitions. */
type LocalStep = TransitionsId;

type Sends = readonly number[];

const seen = { tried: 1, occurs: 2 };

const weight = { claim: 250, dependent: 16 }; // bytes, as measured

const manySends = 16; // numbers in a list of sends that take as long as a try: in states that do not occur, a handler can send without measure

const triesPerStep = 4; // besides `claimTries`: steps that are tried, for each step that occurs

/**
 * Claims about messages on channels that keep no order. The steps a process can take are not known beforehand. So a claim is made, and the
 * search relies on it. Every step that turns up after the message is then tried before it: both orders must lead to the same local
 * state and send the same messages, and the claim must hold in between as well. A step that was tried counts as one that turned up.
 *
 * Why that is enough. Let a finished search have followed only the receipt of message m, at process p, from world s. Let w be a run from s that
 * begins otherwise. Steps at other processes commute with m, and m can be received until it is. Suppose d is the first step of w at p,
 * before m, that does not commute with m. The steps before d in w commute with m, so they can also be taken in the world after m, and then d. If
 * every step that follows that world has turned up, d was tried before m. It has: the world after m had not been expanded when s was,
 * so the chain from one such world to the next ends in a world from which everything was followed, and there the rest of w is one
 * step shorter. By induction over the length of w, and over the number of such worlds, every step of every run has turned up, and m
 * commutes with all of w that comes before it. A search may start again with the claims it has: steps that turned up before can only
 * have made more of them wrong.
 */
export class CommuteClaims {
  hasErred = false; // a claim was withdrawn since this was last cleared
  hasGivenUp = false; // too much would have to be tried
  readonly #states: EnabledEffects;
  readonly #claims: CommuteClaim[] = [];
  readonly #ids = new PairMap<LocalStateId, ActionId, ClaimId>();
  readonly #seen: number[] = []; // by step: one of `seen`
  readonly #actions: ActionId[] = []; // by step
  readonly #steps: LocalStep[][] = []; // that turned up, by local state
  readonly #leading: ClaimId[][] = []; // claims, by the local state after the message
  readonly #work: { readonly claim: ClaimId; readonly step: LocalStep }[] = [];
  #dependents = 0; // of all claims
  #tried = 0; // steps, and more for those that send much
  #occurring = 0; // steps
  readonly #tries: number; // the budget of steps to try

  constructor(states: EnabledEffects) {
    this.#states = states;
    this.#tries = states.processStates.config.claimTries;
  }

  /** An estimate: most of it is in objects. */
  get bytes(): number {
    return this.#ids.bytes + weight.claim * this.#claims.length + weight.dependent * this.#dependents;
  }

  isWrong(claim: ClaimId): boolean {
    return this.#claims[claim]!.isWrong;
  }

  /** The search came across a step. */
  occurs(local: LocalStateId, action: ActionId): void {
    const step = this.#try(local, action);
    if (this.#seen[step] === seen.occurs) return;
    this.#seen[step] = seen.occurs;
    this.#occurring += 1;
  }

  /** Claims that a message may be received first. The claim may turn out wrong at once. */
  make(local: LocalStateId, action: ActionId): ClaimId {
    const claim = this.#claim(local, action);
    this.settle();
    return claim;
  }

  #try(local: LocalStateId, action: ActionId): LocalStep {
    const step = this.#states.transitions.idOf(local, action);
    if (this.#seen[step] !== undefined) return step;
    this.#seen[step] = seen.tried;
    for (const { sends } of this.#states.transitions.withId(step))
      this.#tried += 1 + sends.length / manySends;
    this.#actions[step] = action;
    pushTo(this.#steps, local, step);
    for (const claim of this.#leading[local] ?? []) this.#work.push({ claim, step });
    return step;
  }

  #claim(local: LocalStateId, action: ActionId): ClaimId {
    const known = this.#ids.at(local, action);
    if (known >= 0) return this.#ids.valueAt(known);
    const transitions = this.#states.transitions.withId(this.#try(local, action));
    const transition = transitions[0]!;
    const isWrong =
      transitions.length > 1 || !isHarmless(transition) || !this.#keepsOwnActions(local, transition.local);
    const claim = (this.#claims.push({ local, action, transition, dependents: [], isWrong }) - 1) as ClaimId;
    this.#ids.set(local, action, claim);
    if (isWrong) return claim;
    for (const own of this.#states.ownActionsAt(local)) this.#try(transition.local, own); // most wrong claims fail for a call
    pushTo(this.#leading, transition.local, claim);
    for (const step of this.#steps[transition.local] ?? []) this.#work.push({ claim, step });
    return claim;
  }

  /** Says whether the calls and timers that are possible before the message are possible after it. */
  #keepsOwnActions(before: LocalStateId, after: LocalStateId): boolean {
    const still = this.#states.ownActionsAt(after);
    return this.#states.ownActionsAt(before).every((action) => still.includes(action));
  }

  /** Checks claims against the steps that turned up. */
  settle(): void {
    for (let next = this.#work.pop(); next !== undefined; next = this.#work.pop()) {
      const { claim, step } = next;
      if (this.#tried > this.#tries + triesPerStep * this.#occurring) this.hasGivenUp = true;
      if (this.#claims[claim]!.isWrong) continue;
      if (this.hasGivenUp || !this.#holds(claim, this.#claims[claim]!, step)) this.#withdraw(claim);
    }
  }

  #withdraw(claim: ClaimId): void {
    this.hasErred = true;
    const wrong = [claim];
    for (let id = wrong.pop(); id !== undefined; id = wrong.pop()) {
      const one = this.#claims[id]!;
      if (one.isWrong) continue;
      one.isWrong = true;
      for (const dependent of one.dependents) wrong.push(dependent);
    }
  }

  /** Says whether a claim stands against a step after the message. A call or timer that is not possible before the message does not matter. */
  #holds(id: ClaimId, { local, action, transition }: CommuteClaim, step: LocalStep): boolean {
    const other = this.#actions[step]!;
    if (other === action) return true;
    if (
      this.#states.transitions.actions.of(other).kind !== 'recv' &&
      !this.#states.ownActionsAt(local).includes(other)
    )
      return true;
    const before = this.#states.transitions.withId(this.#try(local, other));
    const after = this.#states.transitions.withId(step);
    if (before.length !== after.length) return false;
    for (let k = 0; k < before.length; k += 1) {
      const one = before[k]!;
      const two = after[k]!;
      if (one.violation !== null || two.violation !== null || !isSame(one.coins, two.coins)) return false;
      const next = this.#claims[this.#claim(one.local, action)]!;
      if (next.isWrong || next.transition.local !== two.local) return false;
      if (!doSendSame(one.sends, next.transition.sends, transition.sends, two.sends)) return false;
      next.dependents.push(id);
      this.#dependents += 1;
    }
    return true;
  }
}

/** Says whether a receipt tosses no coin, breaks nothing and hides nothing. */
const isHarmless = (transition: Transition): boolean =>
  transition.coins.length === 0 && transition.violation === null && !transition.isVisible;

function pushTo<T>(lists: T[][], k: number, value: T): void {
  const list = lists[k];
  if (list === undefined) lists[k] = [value];
  else list.push(value);
}

/** Says whether two steps together send the same as two others. */
function doSendSame(one: Sends, two: Sends, three: Sends, four: Sends): boolean {
  if (isSame(one, four) && isSame(two, three)) return true;
  return isSame(sorted([...one, ...two]), sorted([...three, ...four]));
}

function sorted(sends: Sends): Sends {
  const pairs: [to: number, envelope: number][] = [];
  for (let k = 0; k < sends.length; k += 2) pairs.push([sends[k]!, sends[k + 1]!]);
  return pairs.sort(([a, x], [b, y]) => a - b || x - y).flat();
}

function isSame(one: Sends, two: Sends): boolean {
  if (one.length !== two.length) return false;
  for (let k = 0; k < one.length; k += 1) if (one[k] !== two[k]) return false;
  return true;
}
