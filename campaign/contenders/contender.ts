import type { Site } from '../ground.ts';

/** A lock as one process holds it, as far as its library knows. */
export interface Held {
  readonly fence: number | null; // null: there is none
  /** Whether the library says, now and without waiting, that it is still ours. */
  isOurs(): boolean;
  release(): Promise<void>;
}

export interface Client {
  readonly id: string;
  /** Null: not got in time. */
  acquire(name: string, timeoutMs: number): Promise<Held | null>;
  close(): Promise<void>;
}

export interface Setting {
  readonly contender: string;
  readonly url: string; // of the engine, as this member reaches it
  readonly site: Site;
  readonly leaseMs: number;
  readonly locks: readonly string[];
}

export type Connect = (setting: Setting, changed: (id: string) => void) => Promise<Client>;
