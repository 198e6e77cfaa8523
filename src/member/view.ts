/** The identity of one incarnation of one process in a group. */
export type MemberId = string;

/** A member, as reports name it. */
export interface MemberRef {
  /** Its identity. A process that rejoins gets a new one. */
  readonly id: MemberId;
  /** Its host and process, like `db1:4711`, for people. */
  readonly label: string;
}

/** One incarnation of one process. A process that rejoins gets a new id. */
export interface Peer extends MemberRef {
  /** Where other members reach it. */
  readonly address: string;
  /** In elections, the candidate with the highest priority wins. */
  readonly priority: number;
  /** The highest version of the protocol between members that it speaks. Missing in versions before 6. */
  readonly speaks?: number;
  /** It did not answer for a while. Until it does, it is home of no lock. */
  readonly isSilent?: boolean;
}

/** The members of a group, oldest first. Only compare-and-set at the engine changes it, and epochs only increase. */
export interface View {
  /** A number that rises with every change. */
  readonly epoch: number;
  /** The algorithm of locks that do not name another one. */
  readonly algorithm: string;
  /** The members, oldest first. */
  readonly members: readonly Peer[];
  /** The epoch of the view that this one replaced. Missing if there was none, or if an older version created the view. */
  readonly after?: number;
}

/** The version of the protocol between members that this code speaks. */
export const protocolVersion = 6;

/** Members before version 6 hand on locks by flush and install. A view with such a member does so, too. */
export const isFlushed = ({ members }: View): boolean =>
  members.some(({ speaks = 0 }) => speaks < protocolVersion);

export const positionIn = (view: View, id: MemberId): number =>
  view.members.findIndex((peer) => peer.id === id);

export const isSilentIn = (view: View, id: MemberId): boolean =>
  view.members.find((peer) => peer.id === id)?.isSilent === true;

export const membersExcept = (view: View, gone: ReadonlySet<MemberId>): readonly Peer[] =>
  view.members.filter(({ id }) => !gone.has(id));

// A fence is one integer, so that a resource needs one comparison. High bits: the epoch. Low bits: the entry of the lock in this view.
const entriesPerView = 2 ** 17;

/** The largest epoch whose fences are still exact numbers. */
export const lastEpoch = 2 ** 36 - 1;

/** A lock requests a new epoch at this entry. The rest is room for members that have not heard of the count yet. */
export const lastEntry = entriesPerView - 2 ** 12;

/** The most members of a view. Each may enter once after the last entry. */
export const mostMembers = 1000;

export const fenceOf = (epoch: number, entry: number): number => epoch * entriesPerView + entry;
export const epochOf = (fence: number): number => Math.floor(fence / entriesPerView);
