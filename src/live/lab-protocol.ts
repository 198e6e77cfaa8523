// What `baton lab` tells its page about real processes.
import type { Pid } from '../core/algorithm.ts';
import type { TraceEvent } from '../core/trace.ts';

/** Somebody who holds, leads or waits; since when in milliseconds since 1970. */
export interface TurnNow {
  readonly label: string;
  readonly since: number;
}

export interface LockNow {
  readonly name: string;
  readonly algorithm: string;
  readonly holder: (TurnNow & { readonly fence: number }) | null;
  readonly waiters: readonly TurnNow[];
  readonly perSecond: number | null; // entries, of late; null as long as nobody can tell
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
  readonly problem: string | null; // why they could not be looked at
}

/** The place of one process of the demonstration: who is added takes that of one who is dead. */
export interface DemoProcess {
  readonly pid: number;
  readonly state: 'alive' | 'stopped' | 'dead';
  readonly phase: 'idle' | 'waiting' | 'inside';
  readonly isMember: boolean; // of the group, as the others see it
}

/** Somebody died or was stopped while it held the lock, and another one entered. */
export interface Takeover {
  readonly ms: number;
  readonly why: 'killed' | 'stopped';
  readonly from: Pid;
  readonly to: Pid;
}

/** The demonstration: what has happened since the last time, and how it is now. Times in milliseconds since it began. */
export interface Demonstration {
  readonly isFresh: boolean; // forget what was told before
  readonly isRunning: boolean;
  readonly now: number;
  readonly seats: readonly DemoProcess[];
  readonly epoch: number;
  readonly perSecond: number; // handovers, of late
  readonly takeover: Takeover | null;
  readonly events: readonly TraceEvent[];
}

export const maxDemoProcesses = 8;
export const demoActions = ['start', 'kill', 'stop', 'continue', 'add', 'end'] as const;
export type DemoActionName = (typeof demoActions)[number];
