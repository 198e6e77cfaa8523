export type { Cause, Host, Leader, Unheard } from './host.ts';
export { Layout } from './layout.ts';
export { electionLock, electionOf, isElection } from './leaders.ts';
export { type Clocks, Lease } from './lease.ts';
export { Member, type MemberOptions, type Unserved } from './member.ts';
export { type PeerClock, PeerClocks, peerToAsk, type Rate, type Reading } from './peer-clocks.ts';
export type { GroupSnapshot, LockSnapshot } from './snapshots.ts';
export {
  epochOf,
  fenceOf,
  lastEpoch,
  type MemberId,
  type Peer,
  positionIn,
  type View,
  without,
} from './view.ts';
export type { Held, Inherited, RunWord, ViewWord, Word } from './words.ts';
