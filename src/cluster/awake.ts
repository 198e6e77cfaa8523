// Who waits falls asleep, and the system takes longer to wake it than a lock that is held for a moment takes to go round. So where locks
// go from hand to hand, who gets one after next is told, and its event loop goes on turning until the lock is there, if that is soon.
import { availableParallelism } from 'node:os';
import { performance } from 'node:perf_hooks';
import type { Wait } from './wait.ts';

// Milliseconds.
const longest = 0.1; // to be awake for nothing
const moment = longest / 2; // for which a lock may be held, for the next ones to stay awake for it

const processors = availableParallelism();

export class Awake {
  readonly #isUseful: boolean;
  #isBrief = false; // the last lock was held for a moment only
  #isQuick = false; // it came soon, and there are no more who want it than processors
  #until = 0;
  #isTurning = false;

  /** Between machines, messages take longer than anybody should stay awake; and who runs alone on a processor is only in the way. */
  constructor(isSpread: boolean) {
    this.#isUseful = !isSpread && processors > 1;
  }

  get isWorthTelling(): boolean {
    return this.#isUseful && this.#isBrief;
  }

  stay(): void {
    if (!this.#isUseful) return;
    this.#until = performance.now() + longest;
    if (this.#isTurning) return;
    this.#isTurning = true;
    setImmediate(this.#turn);
  }

  waiting(): void {
    if (this.#isQuick) this.stay();
  }

  granted({ since, grantedAt }: Wait, between: number): void {
    this.#until = 0;
    this.#isQuick = between > 0 && between < processors && grantedAt - since < longest;
  }

  released({ grantedAt }: Wait, now: number): void {
    this.#isBrief = now - grantedAt < moment;
  }

  readonly #turn = (): void => {
    this.#isTurning = performance.now() < this.#until;
    if (this.#isTurning) setImmediate(this.#turn);
  };
}
