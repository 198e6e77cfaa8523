import { Claims } from './claims.ts';
import { effect } from './effects.ts';
import type { Sites } from './sites.ts';
import { grown } from './tuples.ts';

const none = 0;
const unknown = -1;

/** For each site a message that may as well arrive first, if there is one. */
export class Early {
  readonly claims: Claims;
  readonly #sites: Sites;
  #effects: Int32Array = new Int32Array(16).fill(unknown); // of each site: that of the message
  #reasons: Int32Array = new Int32Array(16); // and the claim that it may come first

  constructor(sites: Sites) {
    this.#sites = sites;
    this.claims = new Claims(sites);
  }

  /** Where the effect of the message is; 0 if there is none. */
  effectAt(site: number): number {
    const known = site < this.#effects.length ? this.#effects[site]! : unknown;
    return known === unknown ? this.#choose(site) : known;
  }

  claimAt(site: number): number {
    return this.#reasons[site]!;
  }

  /** Chooses anew where a claim was wrong. */
  review(): void {
    this.claims.hasErred = false;
    for (let site = 0; site < this.#effects.length; site += 1)
      if (this.#effects[site]! > none && this.claims.isWrong(this.#reasons[site]!))
        this.#effects[site] = unknown;
  }

  #choose(site: number): number {
    const { claims } = this;
    const local = this.#sites.parts.localOf(site);
    const events = this.#eventsAt(site);
    for (const { move } of events) claims.occurs(local, move);
    let chosen = none;
    let reason = 0;
    for (const { move, at } of events) {
      if (this.#sites.outcomes.moves.of(move).kind !== 'recv' || claims.isEndless) continue;
      reason = claims.make(local, move);
      if (claims.isWrong(reason)) continue;
      chosen = at;
      break;
    }
    claims.settle();
    if (site >= this.#effects.length) this.#extend(2 * site);
    this.#effects[site] = chosen;
    this.#reasons[site] = reason;
    return chosen;
  }

  #eventsAt(site: number): { readonly move: number; readonly at: number }[] {
    const { effects, outcomes } = this.#sites;
    const moveAt = (at: number) => outcomes.events.of(effects.table[at + effect.event]!)[0]!;
    return effects.in(this.#sites.enabled(site)).map((at) => ({ move: moveAt(at), at }));
  }

  #extend(length: number): void {
    const before = this.#effects.length;
    this.#effects = grown(this.#effects, length).fill(unknown, before);
    this.#reasons = grown(this.#reasons, length);
  }
}
