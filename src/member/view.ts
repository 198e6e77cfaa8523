export type MemberId = string;

/** A member, as reports name it. */
export interface MemberRef {
  readonly id: MemberId;
  readonly label: string; // host and process
}

/** One incarnation of one process. A process that rejoins gets a new id. */
export interface Peer extends MemberRef {
  readonly address: string; // where its transport listens
  readonly priority: number; // in elections, the largest first
}

/** Who is in the group, the longest-standing first. Changed only by compare-and-set at the engine; epochs only rise. */
export interface View {
  readonly epoch: number;
  readonly algorithm: string; // by which the group's locks are handed on
  readonly members: readonly Peer[];
}

export const positionIn = (view: View, id: MemberId): number =>
  view.members.findIndex((peer) => peer.id === id);

export const membersExcept = (view: View, gone: ReadonlySet<MemberId>): readonly Peer[] =>
  view.members.filter(({ id }) => !gone.has(id));

// A fence is one integer, so that a resource needs one comparison. The epoch leads; below it, the entries of one lock in one view.
const entriesPerView = 2 ** 20;

/** The largest epoch whose fences are still exact numbers. */
export const lastEpoch = 2 ** 33 - 1;

/** At this count a lock asks for a new epoch. Short of the end by what others may enter who have not heard of the count. */
export const lastEntry = entriesPerView - 2 ** 12;

export const fenceOf = (epoch: number, entry: number): number => epoch * entriesPerView + entry;
export const epochOf = (fence: number): number => Math.floor(fence / entriesPerView);
