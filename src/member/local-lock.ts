import type { Message } from '../core/algorithm.ts';
import type { LockRun } from './lock-run.ts';
import type { EarlyRunMessage } from './member-messages.ts';
import { slotOf } from './slots.ts';
import type { MemberId } from './view.ts';

/** A run that this member left when the home asked it to stop. */
interface LeftRun {
  readonly number: number;
  readonly members: readonly MemberId[];
  readonly carriesToken: (message: Message) => boolean; // the only one of the run
}

/** A message of the run that was promised, which has not started here yet. */
interface EarlyStep {
  readonly from: MemberId;
  readonly message: EarlyRunMessage;
  readonly bytes: number;
}

/** One lock at this member: the requests of its application that hold it or wait for it, and its part in the run of the lock. */
export class LocalLock<R> {
  readonly name: string;
  readonly slot: number;
  algorithm: string; // may change while there is no run and no request
  readonly waiting: R[] = [];
  readonly attempts = new Map<number, R>(); // tries among `waiting`: they fail if the lock is held
  holder: R | null = null;
  fence = 0; // of the last grant
  run: LockRun | null = null;
  wasUsedRecently = true; // since the last `countStale`
  // The rest is for runs that a home starts.
  promised = 0; // the highest run that the home asked this member to stop for
  over = 0; // the highest run that is known to be over
  last = 0; // the highest fence of the runs that this member has left
  wantedIn = -1; // the epoch of the view whose home knows that this member waits
  claimed = 0; // the run that it left with the token or inside, until the next run starts; 0: none
  isUntold = false; // it has no run, or will have none, and the home may not know
  isHalfStarted = false; // the view has changed before the outcome of a round: it asks the home until it hears one
  left: LeftRun | null = null; // until the next run starts
  early: readonly EarlyStep[] = [];
  ticks = 0; // how long the first request has waited, since the lock was last granted or started

  constructor(name: string, algorithm: string) {
    this.name = name;
    this.slot = slotOf(name);
    this.algorithm = algorithm;
  }

  get isHeld(): boolean {
    return this.holder !== null;
  }

  get isIdle(): boolean {
    return this.holder === null && this.waiting.length === 0;
  }

  /** Whether the member has answered a stop, and does not know the outcome. */
  get isStopped(): boolean {
    return this.promised > this.over && this.run?.number !== this.promised;
  }

  removeWaiter(request: R): boolean {
    const index = this.waiting.indexOf(request);
    if (index < 0) return false;
    this.waiting.splice(index, 1);
    return true;
  }
}
