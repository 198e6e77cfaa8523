import type { MemberId, Peer, View } from '../../member/index.ts';

/**
 * Stores the view of a group, changed by compare-and-set, and the leases of its members. Locks do not use it.
 * If a method rejects, the member retries while its lease lasts. Every error is a BatonError.
 *
 * An engine never returns or creates a view with a lower epoch than it has returned or created before, whatever happens to what is stored.
 */
export interface Engine {
  /** Returns the newest view; null if there is no valid one, or only an older one than this engine has seen. */
  read(): Promise<View | null>;
  /**
   * Tries to replace the view `after` (null: none) by one of these members. Returns the newest view after the attempt, which is another
   * one if another member was faster. It is one without members, and not higher than `after`, if `after` is lost, or if another view was lost
   * and its members may still hold locks: read again.
   */
  change(after: View | null, algorithm: string, members: readonly Peer[]): Promise<View>;
  /** Calls `changed` with new views, and with null when the view is lost. It may skip views and miss changes: members also poll. */
  watch(changed: (view: View | null) => void): void;
  /** Extends a member's lease to `leaseMs` from now, counted at the engine. Call it again long before the lease expires. */
  renew(id: MemberId): Promise<void>;
  /** Returns the members whose lease is over, or whose process is known to be dead. */
  expired(members: readonly Peer[]): Promise<readonly MemberId[]>;
  /** Ends the lease of a member that is out of the group. */
  forget(id: MemberId): Promise<void>;
  close(): Promise<void>;
}
