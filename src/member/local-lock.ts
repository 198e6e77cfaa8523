import type { LockRun } from './lock-run.ts';

/** One lock as this member's application sees it: who of it holds, and who waits. */
export class LocalLock<W> {
  readonly name: string;
  readonly algorithm: string;
  readonly waiting: W[] = [];
  readonly attempts = new Map<number, W>(); // those of `waiting` that give up if somebody holds it
  holder: W | null = null;
  fence = 0; // of the holder
  run: LockRun | null = null;
  wasUsedRecently = true; // used since it was last looked at

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

  removeWaiter(wait: W): boolean {
    const index = this.waiting.indexOf(wait);
    if (index < 0) return false;
    this.waiting.splice(index, 1);
    return true;
  }
}
