// What a membership is told, and what it reports.
import type { AnyAlgorithm } from '../../core/algorithm.ts';
import type { DropReason, ExitCause, Leader, MemberId, View } from '../../member/index.ts';
import type { Engine } from '../engines/engine.ts';
import type { BatonError } from '../errors.ts';
import type { LockRequest } from '../group/lock.ts';
import type { RefusalReason, Transport, TransportListener } from '../transport/transport.ts';

export interface GroupConfig {
  readonly group: string;
  readonly algorithm: string;
  readonly algorithmOf: (name: string) => AnyAlgorithm | undefined;
  readonly leaseMs: number;
  readonly priority: number;
  readonly engine: Engine;
  /** Some members may not reach each other: before a process joins, it and all members reach each other. */
  readonly spansMachines: boolean;
  readonly listen: (id: MemberId, listener: TransportListener) => Promise<Transport>;
}

/** Receives events, for the user of the group and for metrics. */
export interface MembershipObserver {
  joined(view: View): void;
  installed(view: View): void;
  out(cause: ExitCause): void;
  contractBroken(failure: BatonError): void;
  doubtful(isDoubtful: boolean): void;
  renewed(lagMs: number): void;
  failed(error: unknown): void; // of the engine
  leaderChanged(election: string, leader: Leader): void;
  granted(request: LockRequest): void;
  released(request: LockRequest): void;
  lost(request: LockRequest, cause: ExitCause): void;
  refused(why: RefusalReason | DropReason, address: string | null): void;
  clocksMeasured(): void; // a peer has answered a ping with its clocks
}
