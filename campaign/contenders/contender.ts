import type { Addresses } from '../ground.ts';

/** A lock that one process holds, according to its library. */
export interface Held {
  readonly fence: number | null; // null if the library has none
  /** Returns whether the library says, now and without waiting, that the process still holds the lock. */
  isOurs(): boolean;
  release(): Promise<void>;
}

export interface Client {
  readonly id: string;
  /** Returns null if the lock was not acquired in time. */
  acquire(name: string, timeoutMs: number): Promise<Held | null>;
  close(): Promise<void>;
}

export interface Setting {
  readonly contender: string;
  readonly url: string; // the engine, as this member reaches it
  readonly addresses: Addresses;
  readonly leaseMs: number;
  readonly locks: readonly string[];
}

export type Connect = (setting: Setting, changed: (id: string) => void) => Promise<Client>;
