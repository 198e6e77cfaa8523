// Waking a sleeping process takes longer than a brief critical section. When locks are held briefly, the holder sends a hint to the
// next waiter, and that process spins its event loop for at most 0.1 ms until the lock arrives.
import { availableParallelism } from 'node:os';
import { performance } from 'node:perf_hooks';
import type { LockRequest } from '../group/lock.ts';

// Milliseconds.
const longestSpinMs = 0.1;
const briefHoldMs = longestSpinMs / 2; // waiters spin only for locks that are held for less

const processors = availableParallelism();

export class SpinWait {
  readonly #isUseful: boolean;
  #wasHeldBriefly = false; // the last lock
  #wasGrantedQuickly = false; // the last lock, and fewer processes share it than there are processors
  #until = 0;
  #isSpinning = false;

  /** Spinning is disabled between machines, where messages take too long, and on a single processor, where it blocks the holder. */
  constructor(spansMachines: boolean) {
    this.#isUseful = !spansMachines && processors > 1;
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
