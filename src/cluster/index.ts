export type { Leader, Peer, View } from '../member/index.ts';
export { Election, type LeaderNow, Term } from './election.ts';
export { groupsPresent as groups } from './engines/directory.ts';
export { BatonError, type ErrorCode } from './errors.ts';
export { Group, type GroupEvents, type LockOptions } from './group.ts';
export type { Inspection, LockInspection, Turn, Who } from './inspection.ts';
export { type JoinOptions, join } from './join.ts';
export { Lock, LockSet, type LockState } from './lock.ts';
export { look } from './look.ts';
