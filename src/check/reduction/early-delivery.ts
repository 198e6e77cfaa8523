import type { EnabledEffects } from '../messages/enabled.ts';
import { effectField } from '../model/effect-table.ts';
import { grown } from '../storage/tuple-table.ts';
import { CommuteClaims } from './commute-claims.ts';

const none = 0;
const unknown = -1;

/** For each site a message that may as well arrive first, if there is one. */
export class EarlyDelivery {
  readonly claims: CommuteClaims;
  readonly #states: EnabledEffects;
  #effects: Int32Array = new Int32Array(16).fill(unknown); // of each site: that of the message
  #reasons: Int32Array = new Int32Array(16); // and the claim that it may come first

  constructor(states: EnabledEffects) {
    this.#states = states;
    this.claims = new CommuteClaims(states);
  }

  /** Where the effect of the message is; 0 if there is none. */
  effectAt(state: number): number {
    const known = state < this.#effects.length ? this.#effects[state]! : unknown;
    return known === unknown ? this.#choose(state) : known;
  }

  claimAt(state: number): number {
    return this.#reasons[state]!;
  }

  /** Chooses anew where a claim was wrong. */
  review(): void {
    this.claims.hasErred = false;
    for (let state = 0; state < this.#effects.length; state += 1)
      if (this.#effects[state]! > none && this.claims.isWrong(this.#reasons[state]!))
        this.#effects[state] = unknown;
  }

  #choose(state: number): number {
    const { claims } = this;
    const local = this.#states.processStates.localOf(state);
    const events = this.#eventsAt(state);
    for (const { move: action } of events) claims.occurs(local, action);
    let chosen = none;
    let reason = 0;
    for (const { move: action, at } of events) {
      if (this.#states.transitions.actions.of(action).kind !== 'recv' || claims.hasGivenUp) continue;
      reason = claims.make(local, action);
      if (claims.isWrong(reason)) continue;
      chosen = at;
      break;
    }
    claims.settle();
    if (state >= this.#effects.length) this.#extend(2 * state);
    this.#effects[state] = chosen;
    this.#reasons[state] = reason;
    return chosen;
  }

  #eventsAt(state: number): { readonly move: number; readonly at: number }[] {
    const { effects, transitions } = this.#states;
    const moveAt = (at: number) => transitions.events.of(effects.table[at + effectField.event]!)[0]!;
    return effects.in(this.#states.enabled(state)).map((at) => ({ move: moveAt(at), at }));
  }

  #extend(length: number): void {
    const before = this.#effects.length;
    this.#effects = grown(this.#effects, length).fill(unknown, before);
    this.#reasons = grown(this.#reasons, length);
  }
}
