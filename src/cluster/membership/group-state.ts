/**
 * The state of this process in its group:
 *
 * - `joining`: it is entering the group, for the first time or again. Requests wait.
 * - `member`: locks are granted.
 * - `doubtful`: the lease was not renewed for half its duration. Locks are held and granted until the lease ends.
 * - `out`: it was removed, or its lease is over. All locks are lost, and it tries to rejoin.
 * - `left`: `leave` was called, or the algorithm broke its contract.
 */
export type GroupState = 'joining' | 'member' | 'doubtful' | 'out' | 'left';
