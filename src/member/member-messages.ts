// What members say to each other.
import type { Address, Message, Plain } from '../core/algorithm.ts';
import type { CausalStamp } from './causal-inbox.ts';

/** A lock that somebody holds while the view changes. */
export interface HeldLock {
  readonly lock: string;
  readonly algorithm: string;
  readonly fence: number;
}

export interface InheritedLock extends HeldLock {
  readonly by: number; // the holder's position in the view
}

/** A message of the algorithm that hands one lock on, in one view. */
export interface AlgorithmMessage {
  readonly type: 'run';
  readonly epoch: number;
  readonly lock: string;
  readonly algorithm: string | null; // null: the group's
  readonly entry: number; // the highest that the sender knows of
  readonly as: Address; // by which the receiver knows the link this comes over
  readonly stamp: CausalStamp | null; // where the algorithm assumes causal channels
  readonly message: Message & Plain;
}

/** What a member records of one lock for a snapshot. */
export interface RecordedLock {
  readonly lock: string;
  readonly algorithm: string;
  readonly root: number; // of the run; positions in the view, as below
  readonly isHeld: boolean; // by its application
  readonly hasToken: boolean;
  readonly waiting: number;
}

export interface TokenInTransit {
  readonly lock: string;
  readonly algorithm: string;
  readonly from: number;
  readonly to: number;
}

/** Words that belong to one view. */
export type ViewMessage =
  | { readonly type: 'flush'; readonly epoch: number; readonly held: readonly HeldLock[] }
  | { readonly type: 'install'; readonly epoch: number; readonly held: readonly InheritedLock[] }
  | { readonly type: 'open'; readonly epoch: number; readonly lock: string } // who held it is inside again: ask now
  | { readonly type: 'begin'; readonly epoch: number; readonly lock: string; readonly algorithm: string } // take part
  | { readonly type: 'agree'; readonly epoch: number; readonly lock: string } // answers `begin`; or else `conflict` does
  | AlgorithmMessage
  | { readonly type: 'marker'; readonly epoch: number; readonly by: number; readonly number: number } // of that member's snapshot
  | {
      readonly type: 'part'; // of a snapshot, to who began it
      readonly epoch: number;
      readonly number: number;
      readonly locks: readonly RecordedLock[];
      readonly tokens: readonly TokenInTransit[];
    }
  | { readonly type: 'refresh'; readonly epoch: number }; // please make a new epoch of the same members

export type MemberMessage =
  | ViewMessage
  | { readonly type: 'view'; readonly epoch: number } // there is such a view: look at the engine
  | { readonly type: 'conflict'; readonly lock: string; readonly algorithm: string } // here another one hands it on
  | { readonly type: 'hail'; readonly isAnswer: boolean } // do you hear me?
  | { readonly type: 'probe'; readonly lock: string; readonly attempt: number }
  | { readonly type: 'busy'; readonly lock: string; readonly attempt: number } // answers that attempt's probe
  | { readonly type: 'leads'; readonly election: string; readonly term: number; readonly ends: boolean };
