// When the clocks of two members run at rates so different that it matters to leases.
import type { ClockRateBounds, MemberRef } from '../../member/index.ts';
import { engineLeaseFraction, localLeaseFraction } from '../membership/lease-margin.ts';

/** Two members of which one's lease lasts longer than the other one counts. */
export interface ClockSkew {
  readonly slower: MemberRef;
  readonly faster: MemberRef;
  /** How much longer the slower one takes for the same time at least, in millionths. */
  readonly ratePpm: number;
  /** So much at least of the time from the end of a lease at its holder to its end at the engine. At 1, two may hold a lock. */
  readonly eaten: number;
}

const significantFraction = 0.1; // clocks that NTP keeps eat less than a hundredth

/** Null if they may as well run alike. */
export function skewOf(us: MemberRef, them: MemberRef, { low, high }: ClockRateBounds): ClockSkew | null {
  if (low > 0) return skewBy(low, us, them);
  return high < 0 ? skewBy(1 / (1 + high) - 1, them, us) : null;
}

const skewBy = (longer: number, slower: MemberRef, faster: MemberRef): ClockSkew => ({
  ...{ slower, faster, ratePpm: longer * 1e6 },
  eaten: (longer * localLeaseFraction) / (engineLeaseFraction - localLeaseFraction),
});

export const isSignificantSkew = ({ eaten }: ClockSkew): boolean => eaten >= significantFraction;
