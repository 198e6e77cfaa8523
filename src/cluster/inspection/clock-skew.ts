// Differences between the clock rates of two members, compared with the safety margin of leases.
import type { ClockRateBounds, MemberRef } from '../../member/index.ts';
import { engineLeaseFraction, localLeaseFraction } from '../membership/lease-margin.ts';

/** Two members whose clocks run at different rates, so that leases of the slower one last longer by the faster clock. */
export interface ClockSkew {
  /** The member whose clock runs slower. */
  readonly slower: MemberRef;
  /** The member whose clock runs faster. */
  readonly faster: MemberRef;
  /** How much slower the slower clock runs, at least, in parts per million. */
  readonly ratePpm: number;
  /**
   * The fraction, at least, of the time between the end of a lease at its holder and its end at the engine. At 1, two processes may hold
   * a lock.
   */
  readonly eaten: number;
}

const significantFraction = 0.1; // clocks synchronized by NTP use less than 0.01

/** Returns null if both clocks may run at the same rate. */
export function skewOf(us: MemberRef, them: MemberRef, { low, high }: ClockRateBounds): ClockSkew | null {
  if (low > 0) return skewBy(low, us, them);
  return high < 0 ? skewBy(1 / (1 + high) - 1, them, us) : null;
}

const skewBy = (longer: number, slower: MemberRef, faster: MemberRef): ClockSkew => ({
  ...{ slower, faster, ratePpm: longer * 1e6 },
  eaten: (longer * localLeaseFraction) / (engineLeaseFraction - localLeaseFraction),
});

export const isSignificantSkew = ({ eaten }: ClockSkew): boolean => eaten >= significantFraction;

/** The significant skews of the last report. */
export class SignificantSkews {
  #reported = ''; // pairs of members

  /** Returns the significant skews if they are between other pairs of members than before; else null. */
  changed(skews: readonly ClockSkew[]): ClockSkew[] | null {
    const significant = skews.filter(isSignificantSkew);
    const pairs = significant.map(({ slower, faster }) => `${slower.id} ${faster.id}`).join();
    if (pairs === this.#reported) return null;
    this.#reported = pairs;
    return significant;
  }
}
