export type { GroupSnapshot, LockSnapshot } from './group-snapshots.ts';
export type { DropReason, ExitCause, Host, Leader } from './host.ts';
export { electionLock, electionOf, isElection } from './leaders.ts';
export { Lease, type LocalClocks } from './lease.ts';
export { LockNetwork } from './lock-network.ts';
export { Member, type MemberOptions, type UnservedRequests } from './member.ts';
export type {
  AlgorithmMessage,
  ElectionMessage,
  HeldLock,
  InheritedLock,
  MemberMessage,
  RoundCandidate,
  ViewMessage,
} from './member-messages.ts';
export {
  type ClockRateBounds,
  nextPeerToPing,
  type PeerClock,
  type PeerClockReading,
  PeerClocks,
} from './peer-clocks.ts';
export {
  epochOf,
  fenceOf,
  lastEpoch,
  type MemberId,
  type MemberRef,
  membersExcept,
  mostMembers,
  type Peer,
  positionIn,
  type View,
} from './view.ts';
