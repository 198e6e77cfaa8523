import type { MemberMessage } from './member-messages.ts';
import type { MemberId, Peer, View } from './view.ts';

/** Why a member holds no longer what it held, or takes no longer part. */
export type ExitCause =
  | 'lease over'
  | 'removed from the group'
  | 'cut off' // from too many of the others
  | 'forgotten' // the engine has lost the view, or has gone back to an older one
  | 'broken' // its algorithm breaks the contract
  | 'left';

/** Why a word was not handled. */
export type DropReason = 'foreign epoch' | 'after a gap' | 'malformed';

/** Who leads, by the fence that came with it; null while nobody does. */
export type Leader = { readonly id: MemberId; readonly term: number } | null;

/** All a member can do to the world. `W` is how the application knows one of its waits. */
export interface Host<W> {
  send(to: MemberId, word: MemberMessage): void; // reliable and in order until the host says that it `broke`
  /** Asks the engine for a view of these members to follow that one; what comes of it is told by `viewed`. */
  proposeView(after: View, members: readonly Peer[]): void;
  readView(): void; // ask the engine for the newest view, to be told by `viewed`
  after(milliseconds: number, task: () => void): () => void; // gives how to stop it
  holdsLease(): boolean; // the lease is not over
  memberOut(cause: ExitCause): void; // this member is out of the group: the host will `end` it
  contractBroken(reason: string): void; // likewise, for good: another member of this process would fare no better
  /** This member will get the lock after whom it was just sent to. A hint: nothing depends on its being told. */
  hintHandover(to: MemberId): void;
  /** `between`: how often others have entered since this member did; many, if that was in an earlier view. */
  granted(wait: W, fence: number, between: number): void;
  busy(wait: W): void; // somebody holds it, and this wait was to be given up then
  refused(wait: W, reason: string): void;
  lost(wait: W, cause: ExitCause): void; // what it held
  leaderChanged(election: string, leader: Leader): void;
  messageDropped(why: DropReason): void;
}
