// The messages between members.
import type { Address, Message, Plain } from '../core/algorithm.ts';
import type { CausalStamp } from './causal-inbox.ts';

/** A lock that is held while the view changes. */
export interface HeldLock {
  readonly lock: string;
  readonly algorithm: string;
  readonly fence: number;
}

export interface InheritedLock extends HeldLock {
  readonly by: number; // the holder's position in the view
}

/** A message of a lock algorithm, for one lock in one view. */
export interface AlgorithmMessage {
  readonly type: 'run';
  readonly epoch: number;
  readonly lock: string;
  readonly algorithm: string | null; // null: the group's
  readonly entry: number; // highest entry number that the sender knows
  readonly as: Address; // the receiver's address of the link from the sender
  readonly stamp: CausalStamp | null; // null unless the algorithm assumes causal channels
  readonly message: Message & Plain;
}

/** The state of one lock at one member, recorded for a snapshot. */
export interface RecordedLock {
  readonly lock: string;
  readonly algorithm: string;
  readonly root: number; // of the run; a position in the view
  readonly isHeld: boolean; // by the application of this member
  readonly hasToken: boolean;
  readonly waiting: number;
}

/** Members are positions in the view. */
export interface TokenInTransit {
  readonly lock: string;
  readonly algorithm: string;
  readonly from: number;
  readonly to: number;
}

/** What one member recorded for snapshot `number` of another. */
export interface SnapshotPart {
  readonly epoch: number;
  readonly number: number;
  readonly locks: readonly RecordedLock[];
  readonly tokens: readonly TokenInTransit[];
}

/** Messages that belong to one view. */
export type ViewMessage =
  | { readonly type: 'flush'; readonly epoch: number; readonly held: readonly HeldLock[] }
  | { readonly type: 'install'; readonly epoch: number; readonly held: readonly InheritedLock[] }
  | { readonly type: 'flush-piece'; readonly epoch: number; readonly held: readonly HeldLock[] } // before a `flush`
  | { readonly type: 'install-piece'; readonly epoch: number; readonly held: readonly InheritedLock[] } // before an `install`
  | { readonly type: 'open'; readonly epoch: number; readonly lock: string } // the old holder has re-entered: others may request
  | { readonly type: 'begin'; readonly epoch: number; readonly lock: string; readonly algorithm: string } // asks to take part in the run
  | { readonly type: 'agree'; readonly epoch: number; readonly lock: string } // answers `begin`, unless `conflict` does
  | AlgorithmMessage
  | { readonly type: 'marker'; readonly epoch: number; readonly by: number; readonly number: number } // of snapshot `number` of member `by`
  | ({ readonly type: 'part' } & SnapshotPart) // sent to the initiator of the snapshot
  | ({ readonly type: 'part-piece' } & SnapshotPart) // before a `part`
  | { readonly type: 'refresh'; readonly epoch: number }; // asks for a new epoch of the same members

export type MemberMessage =
  | ViewMessage
  | { readonly type: 'view'; readonly epoch: number } // such a view exists: read it from the engine
  | { readonly type: 'conflict'; readonly lock: string; readonly algorithm: string } // the sender uses this other algorithm
  | { readonly type: 'hail'; readonly isAnswer: boolean } // tests whether a member is reachable
  | { readonly type: 'probe'; readonly lock: string; readonly attempt: number }
  | { readonly type: 'busy'; readonly lock: string; readonly attempt: number } // answers the probe of that attempt
  | { readonly type: 'leads'; readonly election: string; readonly term: number; readonly ends: boolean };
