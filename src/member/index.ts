export type { GroupSnapshot, LockSnapshot } from './group-snapshots.ts';
export type { DropReason, ExitCause, Host, Leader } from './host.ts';
export { electionLock, electionOf, isElection } from './leaders.ts';
export { Lease, type LocalClocks } from './lease.ts';
export { LockNetwork } from './lock-network.ts';
export { Member } from './member.ts';
export type {
  AlgorithmMessage,
  ElectionMessage,
  FlushedLock,
  FlushedToken,
  HeldLock,
  IdleLock,
  InheritedLock,
  MemberMessage,
  RecordedLock,
  ReportedLock,
  RoundCandidate,
  StepMessage,
  TokenInTransit,
  ViewMessage,
} from './member-messages.ts';
export type { MemberOptions, UnservedRequests } from './member-options.ts';
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
  protocolVersion,
  type View,
} from './view.ts';
