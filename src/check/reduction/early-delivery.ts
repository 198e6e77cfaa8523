import type { ActionId, ClaimId, EffectId, IdArray, ProcessStateId } from '../ids.ts';
import type { EnabledEffects } from '../messages/enabled.ts';
import type { EarlyDeliveryReduction } from '../model/medium.ts';
import { grown } from '../storage/typed-arrays.ts';
import { CommuteClaims } from './commute-claims.ts';

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
