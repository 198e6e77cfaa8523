import type { AnyAlgorithm } from '../core/algorithm.ts';
import type { MemberId } from './view.ts';

export interface MemberOptions {
  readonly id: MemberId;
  readonly algorithm: string; // of locks that do not name another
  readonly algorithmOf: (name: string) => AnyAlgorithm | undefined;
  readonly electionAlgorithmOf?: (name: string) => AnyAlgorithm | undefined; // defaults to none
  readonly leaseMs: number;
  readonly spansMachines?: boolean; // its members do not share processors. Defaults to false
}

/** Requests that were pending when a member ended. The next incarnation makes them again. */
export interface UnservedRequests<R> {
  readonly name: string;
  readonly algorithm: string;
  readonly requests: readonly R[];
}
