// What `baton lab` sends to its page about real processes.
import type { Pid } from '../core/algorithm.ts';
import type { TraceEvent } from '../core/trace.ts';

/** A process that holds, leads or waits. `since` is in milliseconds since 1970. */
export interface TurnNow {
  readonly label: string;
  readonly since: number;
}

export interface LockNow {
  readonly name: string;
  readonly algorithm: string;
  readonly holder: (TurnNow & { readonly fence: number }) | null;
  readonly waiters: readonly TurnNow[];
  readonly perSecond: number | null; // recent entries; null while unknown
}

export interface ElectionNow {
  readonly name: string;
  readonly leader: (TurnNow & { readonly term: number }) | null;
  readonly candidates: readonly TurnNow[];
}

export interface GroupNow {
  readonly name: string;
  readonly epoch: number;
  readonly members: readonly { readonly label: string; readonly answered: boolean }[];
  readonly locks: readonly LockNow[];
  readonly elections: readonly ElectionNow[];
}

export interface GroupsNow {
  readonly groups: readonly GroupNow[];
  readonly problem: string | null; // why the groups could not be inspected
}

/** One process of the demonstration. A new process takes the position of a dead one. */
export interface DemoProcess {
  readonly pid: number;
  readonly state: 'alive' | 'stopped' | 'dead';
  readonly phase: 'idle' | 'waiting' | 'inside';
  readonly isMember: boolean; // of the group, in the view of the others
}

/** The holder of the lock was killed or stopped, and another process entered. */
export interface Takeover {
  readonly ms: number;
  readonly why: 'killed' | 'stopped';
  readonly from: Pid;
  readonly to: Pid;
}

/** The state of the demonstration, and its events since the last frame. Times are in milliseconds since its start. */
export interface Demonstration {
  readonly isFresh: boolean; // the page discards earlier frames
  readonly isRunning: boolean;
  readonly algorithm: string | null; // that elects the leader; null: the processes share a lock
  readonly now: number;
  readonly seats: readonly DemoProcess[];
  readonly epoch: number;
  readonly perSecond: number; // recent handovers
  readonly takeover: Takeover | null;
  readonly events: readonly TraceEvent[];
}

export const maxDemoProcesses = 8;
export const demoActions = ['start', 'kill', 'stop', 'continue', 'add', 'end'] as const;
export type DemoActionName = (typeof demoActions)[number];
