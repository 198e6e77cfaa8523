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

/** The engine, as one member reaches it, and the addresses of that member. */
export interface Network {
  readonly url: string;
  readonly addresses: Addresses;
}

export interface Setting {
  readonly contender: string;
  readonly group: string;
  readonly network: Network | null; // null: the members find each other by files
  readonly leaseMs: number;
  readonly locks: readonly string[];
  readonly isVisitor: boolean; // joins and leaves again and again
}

export type Connect = (setting: Setting, changed: (id: string) => void) => Promise<Client>;
