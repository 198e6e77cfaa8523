import type { MemberId, Peer, View } from '../../member/index.ts';

/**
 * Where a group agrees on who is in it: one view, changed by compare-and-set, and the leases of its members. Locks never touch it.
 * A method that rejects has failed for now: the member tries again, and lives on what is left of its lease.
 */
export interface Engine {
  /** The newest view; null if there is none that could be trusted. */
  read(): Promise<View | null>;
  /**
   * A view of these members to follow `after` (null: the first). Gives the newest view after the attempt, which is another one if
   * somebody else was faster.
   */
  change(after: View | null, algorithm: string, members: readonly Peer[]): Promise<View>;
  /** Tells of every view from now on, the newest at least; hints, not promises: members also ask. */
  watch(changed: (view: View) => void): void;
  /** From now on this member's lease lasts `leaseMs`, counted at the engine. To be called again long before it is over. */
  renew(id: MemberId): Promise<void>;
  /** Who of these has no lease, or is known to be dead. */
  expired(members: readonly Peer[]): Promise<readonly MemberId[]>;
  /** Forgets the member's lease; it is not in the view any more. */
  forget(id: MemberId): Promise<void>;
  close(): Promise<void>;
}
