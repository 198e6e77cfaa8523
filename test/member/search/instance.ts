import type { AnyAlgorithm } from '../../../src/core/algorithm.ts';
import type { MemberClass } from './scripted-host.ts';

/** What may happen to a group, besides the calls of the application. */
export type Fault =
  | 'join' // of a process that was never in the group
  | 'leave'
  | 'death'
  | 'lease ends'
  | 'broken' // one direction of a channel: the sender is told `channelBroke`
  | 'unreachable' // the same, but the sender is told `peerUnreachable`
  | 'new epoch' // of the same members, as after too many entries
  | 'lost proposal' // the engine fails once
  | 'wipe' // the engine forgets the view
  | 'backup' // the engine goes back to the view before
  | 'cancel'
  | 'hang' // a process does nothing until it wakes up
  | 'speak again' // a member that the view calls silent says that it is not
  | 'impatient' // a member gives up waiting for one that would have answered
  | 'sweep'; // a member has not used its locks for a while

/** Mistakes around the member, to test that the search finds them. */
export type HostMistake =
  | 'lease not checked'
  | 'epoch not raised by a wiped engine'
  | 'forgotten member stays';

export interface Instance {
  readonly algorithm: AnyAlgorithm;
  readonly members: number; // in the first view
  readonly outside?: number; // processes that may join
  readonly old?: readonly number[]; // processes of a version before 6
  readonly asks: readonly (readonly string[])[]; // by process: the locks that it requests, one after the other; with `?`, a try
  readonly faults: readonly Fault[];
  readonly atMost: number; // faults in one run
  readonly isInstalled?: boolean; // the search starts when the first view is installed everywhere
  readonly script?: readonly string[]; // the search starts after these events, given by the beginnings of their labels
  readonly member?: MemberClass; // a planted mistake
  readonly mistake?: HostMistake;
}

/** A property does not hold. */
export class Violation extends Error {}
