import type { MemberId, Peer, View } from '../../member/index.ts';

/**
 * Stores the view of a group, changed by compare-and-set, and the leases of its members. Locks do not use it.
 * If a method rejects, the member retries while its lease lasts.
 */
export interface Engine {
  /** Returns the newest view; null if there is no valid one. */
  read(): Promise<View | null>;
  /**
   * Tries to replace the view `after` (null: none) by one of these members. Returns the newest view after the attempt, which is another
   * one if another member was faster.
   */
  change(after: View | null, algorithm: string, members: readonly Peer[]): Promise<View>;
  /** Calls `changed` with new views. It may skip views and miss changes: members also poll. */
  watch(changed: (view: View) => void): void;
  /** Extends a member's lease to `leaseMs` from now, counted at the engine. Call it again long before the lease expires. */
  renew(id: MemberId): Promise<void>;
  /** Returns the members without a lease, or whose process is known to be dead. */
  expired(members: readonly Peer[]): Promise<readonly MemberId[]>;
  /** Removes the lease of a member that is no longer in the view. */
  forget(id: MemberId): Promise<void>;
  close(): Promise<void>;
}
