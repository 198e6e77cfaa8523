// Who waits falls asleep, and the system takes longer to wake it than a lock that is held for a moment takes to go round. So where locks
// go from hand to hand, who gets one after next is told, and its event loop goes on turning until the lock is there, if that is soon.
import { availableParallelism } from 'node:os';
import { performance } from 'node:perf_hooks';
import type { LockRequest } from '../group/lock-request.ts';

// Milliseconds.
const longestSpinMs = 0.1; // to be awake for nothing
const briefHoldMs = longestSpinMs / 2; // for which a lock may be held, for the next ones to stay awake for it

const processors = availableParallelism();

export class SpinWait {
  readonly #isUseful: boolean;
  #wasHeldBriefly = false; // the last lock was held for a moment only
  #wasGrantedQuickly = false; // it came soon, and there are no more who want it than processors
  #until = 0;
  #isSpinning = false;

  /** Between machines, messages take longer than anybody should stay awake; and who runs alone on a processor is only in the way. */
  constructor(isSpread: boolean) {
    this.#isUseful = !isSpread && processors > 1;
  }

  get shouldSendHint(): boolean {
    return this.#isUseful && this.#wasHeldBriefly;
  }

  spin(): void {
    if (!this.#isUseful) return;
    this.#until = performance.now() + longestSpinMs;
    if (this.#isSpinning) return;
    this.#isSpinning = true;
    setImmediate(this.#spinOnce);
  }

  spinIfQuick(): void {
    if (this.#wasGrantedQuickly) this.spin();
  }

  granted({ since, grantedAt }: LockRequest, between: number): void {
    this.#until = 0;
    this.#wasGrantedQuickly = between > 0 && between < processors && grantedAt - since < longestSpinMs;
  }

  released({ grantedAt }: LockRequest, now: number): void {
    this.#wasHeldBriefly = now - grantedAt < briefHoldMs;
  }

  readonly #spinOnce = (): void => {
    this.#isSpinning = performance.now() < this.#until;
    if (this.#isSpinning) setImmediate(this.#spinOnce);
  };
}
