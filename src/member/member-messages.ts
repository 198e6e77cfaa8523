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

/** A message of a lock algorithm, for one lock in one run. */
export interface StepMessage {
  readonly type: 'step';
  readonly run: number;
  readonly lock: string;
  readonly entry: number; // the highest fence that the sender knows, counted from the first one of the epoch in which the run started
  readonly as: Address; // the receiver's address of the link from the sender
  readonly stamp: CausalStamp | null; // null unless the algorithm assumes causal channels
  readonly message: Message & Plain;
}

/** As `StepMessage`, in a view of the flush protocol: there a run is one lock in one view. */
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

/** What a member that was asked to stop claims. Everybody else may be silent then: nobody can enter before the claimant lets go. */
export type Claim = 'none' | 'token' | 'lock';

/** The parts that one member has in a lock, or that the previous home knew of. */
export interface ReportedLock {
  readonly lock: string;
  readonly parts: readonly number[]; // positions in the view
  readonly latest: number; // the latest run that was started, if the sender was the home; else 0
}

/** A lock that a member has not used for some time. */
export interface IdleLock {
  readonly lock: string;
  readonly run: number; // the highest whose outcome the sender knows
  readonly last: number | null; // the highest fence, if the sender has left the run; null: it takes part and waits to be asked
  readonly closes: number; // the run that it left with the only token, or inside: nobody enters there any more; 0: none
}

/**
 * Messages between the members and the homes of locks. `run` is the number of a run that the home starts in this view: its epoch is that of
 * the view. Members are positions in the view.
 */
export type HomeMessage =
  | {
      readonly type: 'want'; // to the home: start this lock for me
      readonly epoch: number;
      readonly lock: string;
      readonly algorithm: string;
      readonly over: number; // the highest run that the sender knows to be over
      readonly isWaiting: boolean; // false: only other members may be waiting
    }
  | { readonly type: 'stop'; readonly run: number; readonly lock: string } // take part in no earlier run of this lock
  | {
      readonly type: 'stopped';
      readonly run: number;
      readonly lock: string;
      readonly algorithm: string | null; // of its run or of its hold; null: it has none
      readonly claim: Claim;
      readonly closes: number; // the run that it left with the only token, or inside, perhaps in an earlier view; 0: none
      readonly last: number; // the highest fence that it knows
      readonly isWaiting: boolean;
      readonly isUsing: boolean; // recently
    }
  | {
      readonly type: 'start'; // the run starts, with these members; without any, the lock is forgotten
      readonly run: number;
      readonly lock: string;
      readonly algorithm: string | null; // null: nobody named one
      readonly members: readonly number[];
      readonly unanswered: readonly number[]; // those that were asked to stop and have not answered
      readonly root: number; // an index of `members`
      readonly isHeld: boolean; // by the root
      readonly last: number; // the highest fence so far
    }
  | { readonly type: 'sync'; readonly epoch: number; readonly slots: readonly number[] } // in which locks of these slots do you have a part?
  | {
      readonly type: 'report'; // answers `sync`, in one or more pieces
      readonly epoch: number;
      readonly slots: readonly number[]; // those of which the sender was the home: all parts of their locks are named
      readonly locks: readonly ReportedLock[];
      readonly isLast: boolean;
    }
  | { readonly type: 'idle'; readonly epoch: number; readonly locks: readonly IdleLock[] } // to the home
  | { readonly type: 'noted'; readonly epoch: number; readonly locks: readonly string[] }; // answers `idle`: the home knows that the receiver has left these

/** Messages that may arrive before the run starts at their receiver. */
export type EarlyRunMessage =
  | StepMessage
  | { readonly type: 'opened'; readonly run: number; readonly lock: string }; // the holder has re-entered: others may request

/** Messages between the members of a run. They belong to no view. */
export type RunMessage =
  | EarlyRunMessage
  | { readonly type: 'over'; readonly run: number; readonly lock: string } // the sender has left this run
  | { readonly type: 'gap' }; // messages between the two may be lost

/** The state of one lock at one member, recorded for a snapshot. */
export interface RecordedLock {
  readonly lock: string;
  readonly algorithm: string;
  readonly run: number; // 0: the member takes part in no run that can go on
  readonly size: number; // of the run: its members
  readonly isHeld: boolean; // by the application of this member
  readonly hasToken: boolean;
  readonly waiting: number;
}

/** Members are positions in the view. */
export interface TokenInTransit {
  readonly lock: string;
  readonly run: number;
  readonly from: number;
  readonly to: number;
}

/** As `RecordedLock`, in a view of the flush protocol. */
export interface FlushedLock extends Omit<RecordedLock, 'run' | 'size'> {
  readonly root: number; // of the run; a position in the view
}

/** As `TokenInTransit`, in a view of the flush protocol. */
export interface FlushedToken extends Omit<TokenInTransit, 'run'> {
  readonly algorithm: string;
}

/** What one member recorded for snapshot `number` of another. */
export interface SnapshotPart<L = RecordedLock, T = TokenInTransit> {
  readonly epoch: number;
  readonly number: number;
  readonly locks: readonly L[];
  readonly tokens: readonly T[];
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
  | { readonly type: 'poll'; readonly epoch: number } // the first member asks who stands
  | { readonly type: 'polled'; readonly epoch: number } // answers `poll`: every candidacy has been sent before
  | ElectionMessage;

/** Messages that belong to one view. Those with `held`, `open`, `begin` and `agree` are of the flush protocol. */
export type ViewMessage =
  | HomeMessage
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
  | ({ readonly type: 'recorded' } & SnapshotPart) // sent to the initiator of the snapshot
  | ({ readonly type: 'recorded-piece' } & SnapshotPart) // before a `recorded`
  | ({ readonly type: 'part' | 'part-piece' } & SnapshotPart<FlushedLock, FlushedToken>) // the same, in the flush protocol
  | { readonly type: 'refresh'; readonly epoch: number }; // asks for a new epoch of the same members

export type MemberMessage =
  | ViewMessage
  | RunMessage
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

const homeTypes: readonly string[] = [
  ...([
    'want',
    'stop',
    'stopped',
    'start',
    'sync',
    'report',
    'idle',
    'noted',
  ] satisfies HomeMessage['type'][]),
];

export const isHomeMessage = (message: MemberMessage): message is HomeMessage =>
  homeTypes.includes(message.type);

const runTypes: readonly string[] = [
  ...['run', 'begin', 'agree', 'open', 'marker'],
  ...(['step', 'opened', 'over'] satisfies RunMessage['type'][]),
  ...homeTypes,
  ...([
    'stand',
    'withdraw',
    'elected',
    'round',
    'stand-refused',
    'elect',
    'poll',
    'polled',
  ] satisfies ElectionViewMessage['type'][]),
];

/** Whether a message is neither sent nor handled between two members whose channel broke, until a new epoch. */
export const isRunMessage = ({ type }: MemberMessage): boolean => runTypes.includes(type);

export const isViewMessage = (message: MemberMessage): message is ViewMessage =>
  ('epoch' in message && message.type !== 'view') || isRound(message);

/** Of a round: the epoch is that of the run. */
const isRound = ({ type }: MemberMessage): boolean =>
  type === 'stop' || type === 'stopped' || type === 'start';

/** The epoch of the view that a message is for; -1 if it is for any. */
export function epochIn(message: MemberMessage): number {
  switch (message.type) {
    case 'leads':
      return epochOf(message.term);
    case 'stop':
    case 'stopped':
    case 'start':
      return epochOf(message.run);
    default:
      return 'epoch' in message ? message.epoch : -1;
  }
}
