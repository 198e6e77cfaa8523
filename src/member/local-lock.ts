import type { LockRun } from './lock-run.ts';

/** One lock at this member: the requests of its application that hold it or wait for it. */
export class LocalLock<R> {
  readonly name: string;
  readonly algorithm: string;
  readonly waiting: R[] = [];
  readonly attempts = new Map<number, R>(); // tries among `waiting`: they fail if the lock is held
  holder: R | null = null;
  fence = 0; // of the last grant
  run: LockRun | null = null;
  wasUsedRecently = true; // since the last `countStale`

  constructor(name: string, algorithm: string) {
    this.name = name;
    this.algorithm = algorithm;
  }

  get isHeld(): boolean {
    return this.holder !== null;
  }

  get isIdle(): boolean {
    return this.holder === null && this.waiting.length === 0;
  }

  removeWaiter(request: R): boolean {
    const index = this.waiting.indexOf(request);
    if (index < 0) return false;
    this.waiting.splice(index, 1);
    return true;
  }
}
