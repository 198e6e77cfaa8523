import { optionNames } from '../../core/did-you-mean.ts';
import type { View } from '../../member/index.ts';
import { BatonError, toBatonError } from '../errors.ts';
import type { ClockSkew } from '../inspection/clock-skew.ts';
import { MemberUnreachableError } from '../membership/join-errors.ts';
import { EventLimit } from './event-limit.ts';
import type { LeaderNow } from './leader-election.ts';
import { Listeners } from './listeners.ts';
import type { Lock } from './lock.ts';

/** The events of a group and their arguments. */
export interface GroupEvents {
  /** A view was installed: locks can be granted in it. */
  view: [view: View];
  /** Locks are maybe lost, because the engine was silent for half a lease; or no longer. */
  doubt: [isDoubtful: boolean];
  /** This process was removed from the group, with all locks lost. It rejoins unless it leaves or its algorithm is broken. */
  out: [cause: string];
  /** This process is in the group, for the first time or again. */
  joined: [view: View];
  /** This process lost a lock. */
  lost: [lock: Lock, cause: string];
  /** An election has another leader; null: none that this process knows of. */
  leader: [election: string, leader: LeaderNow | null];
  /**
   * A connection or a frame was refused. `address` is the remote end: the host of a connection that came in, the address of one that was
   * dialled, null if unknown. At most once a second for each reason and address; `count` is how often since the last event of these.
   */
  refused: [why: string, address: string | null, count: number];
  /**
   * An operation of the engine failed, or a member was not reached. It is retried. `address` is that of the engine or of the member, null
   * if unknown. At most once a second for each code and address; `count` is how often since the last event of these.
   */
  failed: [error: unknown, address: string | null, count: number];
  /** All clock skews that reduce the safety margin of leases, whenever the pairs of members change. */
  skew: [skews: readonly ClockSkew[]];
}

export const groupEventNames = optionNames<GroupEvents>({
  view: true,
  doubt: true,
  out: true,
  joined: true,
  lost: true,
  leader: true,
  refused: true,
  failed: true,
  skew: true,
});

/** The listeners of a group, by event. */
export class GroupListeners {
  readonly #listeners = new Map<keyof GroupEvents, Listeners<unknown[]>>();

  /** Returns an unsubscribe function. */
  on<E extends keyof GroupEvents>(event: E, listener: (...args: GroupEvents[E]) => void): () => void {
    const listeners = this.#listeners.get(event) ?? new Listeners();
    this.#listeners.set(event, listeners);
    return listeners.add(listener as (...args: unknown[]) => void);
  }

  emit<E extends keyof GroupEvents>(event: E, ...args: GroupEvents[E]): void {
    this.#listeners.get(event)?.notify(...args);
  }
}

/** Emits the events that peers and the engine can cause at any rate. */
export class LimitedEvents {
  readonly #refusals: EventLimit<string>;
  readonly #failures: EventLimit<unknown>;
  readonly #engineAddress: string | null;

  constructor(
    emit: { readonly [E in 'refused' | 'failed']: (...event: GroupEvents[E]) => void },
    engineAddress: string | null,
  ) {
    this.#refusals = new EventLimit(emit.refused);
    this.#failures = new EventLimit(emit.failed);
    this.#engineAddress = engineAddress;
  }

  refused(why: string, address: string | null): void {
    this.#refusals.report(why, why, address);
  }

  failed(thrown: unknown): void {
    const error = toBatonError(thrown, 'an operation of the engine');
    const address = error instanceof MemberUnreachableError ? error.address : this.#engineAddress;
    this.#failures.report(error instanceof BatonError ? error.code : 'bug', error, address);
  }

  /** Emits the events that were suppressed. */
  flush(): void {
    this.#refusals.flush();
    this.#failures.flush();
  }
}
