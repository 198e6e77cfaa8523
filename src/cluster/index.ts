export type { Leader, MemberId, MemberRef, Peer, View } from '../member/index.ts';
export { groupsPresent as groups } from './engines/local/group-directory.ts';
export type { OpenStore, Store, StoredRecord, StoreOptions } from './engines/store.ts';
export { BatonError, type ErrorCode } from './errors.ts';
export type {
  ElectionOptions,
  LeaveOptions,
  LockOptions,
  SignalOptions,
  WaitOptions,
} from './group/arguments.ts';
export type { Group } from './group/group.ts';
export type { GroupEvents } from './group/group-events.ts';
export type { Election, LeaderNow, Term } from './group/leader-election.ts';
export type { Lock, LockSet, LockState } from './group/lock.ts';
export type { ClockSkew } from './inspection/clock-skew.ts';
export type { ConsistentInspection, ConsistentLock, TokenAt } from './inspection/consistent-inspection.ts';
export { inspectGroup, inspectGroupConsistently } from './inspection/inspect-group.ts';
export type {
  ClockInspection,
  Inspection,
  LockInspection,
  MemberSince,
} from './inspection/inspection.ts';
export { type JoinOptions, join } from './join.ts';
export type { ConnectionOptions } from './membership/backend.ts';
export type { GroupState } from './membership/group-state.ts';
export type { CertificateSource, Certificates } from './transport/certificates.ts';
