// The messages between members.
import type { Address, Message, Plain } from '../core/algorithm.ts';
import type { CausalStamp } from './causal-inbox.ts';
import { epochOf } from './view.ts';

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

/** A message of an election algorithm, for one round in one view. */
export interface ElectionMessage {
  readonly type: 'elect';
  readonly epoch: number;
  readonly election: string;
  readonly round: number;
  readonly as: Address; // the receiver's address of the link from the sender
  readonly message: Message & Plain;
}

/** One candidacy in a round: a position in the view, and the number that its member gave it. */
export interface RoundCandidate {
  readonly by: number;
  readonly number: number;
}

/**
 * Messages of elections by algorithm. Candidates send the first three to the first member of the view; it sends the next two. `round` goes to
 * all members. Without candidates it only says which algorithm decides the election, and with null that none does any longer.
 */
export type ElectionViewMessage =
  | {
      readonly type: 'stand';
      readonly epoch: number;
      readonly election: string;
      readonly algorithm: string;
      readonly number: number; // of the candidacy, different for each one of its member
    }
  | { readonly type: 'withdraw'; readonly epoch: number; readonly election: string; readonly number: number }
  | { readonly type: 'elected'; readonly epoch: number; readonly election: string; readonly round: number } // the sender; round 0: in an earlier view
  | {
      readonly type: 'round';
      readonly epoch: number;
      readonly election: string;
      readonly algorithm: string | null;
      readonly round: number; // rises within a view, over all elections
      readonly candidates: readonly RoundCandidate[];
    }
  | {
      readonly type: 'stand-refused';
      readonly epoch: number;
      readonly election: string;
      readonly number: number;
      readonly algorithm: string | null; // the one that decides the election; null: none
    }
  | ElectionMessage;

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
  | ElectionViewMessage
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

/** Messages that are handled before the view is installed. */
export const handledBeforeInstall: readonly string[] = [
  'flush',
  'flush-piece',
  'install',
  'install-piece',
  'refresh',
];

const runTypes: readonly string[] = [
  ...['run', 'begin', 'agree', 'open', 'marker'],
  ...([
    'stand',
    'withdraw',
    'elected',
    'round',
    'stand-refused',
    'elect',
  ] satisfies ElectionViewMessage['type'][]),
];

/** Whether a message is lost for good if its channel breaks. */
export const isRunMessage = ({ type }: MemberMessage): boolean => runTypes.includes(type);

export const isViewMessage = (message: MemberMessage): message is ViewMessage =>
  'epoch' in message && message.type !== 'view';

/** The epoch of the view that a message is for; -1 if it is for any. */
export function epochIn(message: MemberMessage): number {
  if (message.type === 'leads') return epochOf(message.term);
  return 'epoch' in message ? message.epoch : -1;
}
