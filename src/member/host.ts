import type { MemberMessage } from './member-messages.ts';
import type { MemberId, Peer, View } from './view.ts';

/** Why a member lost its locks, or left the group. */
export type ExitCause =
  | 'lease over'
  | 'removed from the group'
  | 'cut off' // it cannot reach other members
  | 'forgotten' // the engine lost the view or returned an older one, or the group lost track of a lock that it holds
  | 'broken' // its algorithm breaks the contract
  | 'left';

/** Why a message was dropped. */
export type DropReason =
  | 'foreign epoch'
  | 'after a gap'
  | 'too early' // too much has arrived for a view that is not installed
  | 'stranger' // its sender is not in the view
  | 'malformed'; // no member that works can have sent it

/** The leader of an election; its term is the fence of the election's lock. Null while there is none. */
export type Leader = { readonly id: MemberId; readonly term: number } | null;

/** Calls `task` after some time. Returns a function that cancels it. */
export type After = (milliseconds: number, task: () => void) => () => void;

/** Every effect that a member can have. `R` identifies one lock request of the application. */
export interface Host<R> {
  send(to: MemberId, message: MemberMessage): void; // reliable and in order until `channelBroke`
  /** Asks the engine to replace the view `after` by one of these members. The result arrives by `viewChanged`. */
  proposeView(after: View, members: readonly Peer[]): void;
  readView(): void; // asks the engine for the newest view, which arrives by `viewChanged`
  after(milliseconds: number, task: () => void): () => void; // returns a function that cancels it
  choose(options: number): number; // a random number from 0 to options - 1
  holdsLease(): boolean; // the lease has not expired
  memberOut(cause: ExitCause): void; // the member has left the group: the host calls `end`
  contractBroken(reason: string): void; // as `memberOut`, but the process does not rejoin: a new member would fail in the same way
  /** Hints that `to` gets the lock after the process the token was just sent to. The hint may be lost. */
  hintHandover(to: MemberId): void;
  /** `between` is the number of entries by other members since this member's last one; large if that was in an earlier view. */
  granted(request: R, fence: number, between: number): void;
  busy(request: R): void; // answers a try: the lock is held
  refused(request: R, reason: string): void;
  lost(request: R, cause: ExitCause): void; // the lock that this request held
  leaderChanged(election: string, leader: Leader): void;
  messageDropped(why: DropReason): void;
}
