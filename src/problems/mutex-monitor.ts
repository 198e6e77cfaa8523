import type { Pid, Problems } from '../core/algorithm.ts';
import { fail } from '../core/assert.ts';
import { BypassCounter, type BypassCounts, type BypassLimit } from './bypass-counter.ts';
import type { Monitor, Violation } from './monitor.ts';

const phases = ['idle', 'waiting', 'inside', 'crashed'] as const;
const idle = 0;
const waiting = 1;
const inside = 2;
const crashed = 3;

/**
 * Mutual exclusion: at most one process is inside, every request enters, and others enter at most as often before as the bypass bound
 * allows. While `isSafetySuspended`, only the second property is checked.
 */
export class MutexMonitor implements Monitor<Problems['mutex']['event']> {
  entries = 0;
  isSafetySuspended = false;
  readonly #phase: Uint8Array;
  readonly #bypass: BypassCounter;
  #insiders: Pid[] = [];

  constructor(n: number, limits: readonly BypassLimit[] = []) {
    this.#phase = new Uint8Array(n);
    this.#bypass = new BypassCounter(n, limits);
  }

  /** The most entries of others while a process waited, so far. */
  get bypassed(): Readonly<BypassCounts> {
    return this.#bypass.most;
  }

  /** Stops checking bypass bounds. */
  dropBypassLimits(): void {
    this.#bypass.dropLimits();
  }

  phase(process: Pid): MutexPhase {
    return phases[this.#phase[process]!]!;
  }

  called(process: Pid, call: string): void {
    const from = call === 'request' ? idle : inside;
    if (this.#phase[process] !== from) fail(`${call} at process ${process}, which is ${this.phase(process)}`);
    this.#move(process, call === 'request' ? waiting : idle);
    if (call === 'request') this.#bypass.requestCalled(process);
  }

  messageReceived(): void {}

  /** A request message for this process is sent. */
  requestSent(process: Pid): void {
    this.#bypass.requestSent(process);
  }

  /** A request message for this process is received. */
  requestReceived(process: Pid): void {
    this.#bypass.requestReceived(process);
  }

  emitted(process: Pid): Violation | null {
    const before = this.#phase[process]!;
    if (before !== waiting) return enteredUnasked(process, this.phase(process));
    this.#move(process, inside);
    this.entries += 1;
    const bypassed = this.#bypass.entered(process);
    return this.exclusionViolation() ?? (this.isSafetySuspended ? null : bypassed);
  }

  /** The violation if several processes are inside, unless safety is suspended. */
  exclusionViolation(): Violation | null {
    return this.#insiders.length <= 1 || this.isSafetySuspended ? null : severalInside(this.#insiders);
  }

  crashed(process: Pid): void {
    this.#move(process, crashed);
  }

  restarted(process: Pid): void {
    this.#move(process, idle);
  }

  whenQuiescent(help?: string): Violation[] {
    const left: Pid[] = [];
    this.#phase.forEach((phase, process) => {
      if (phase === waiting) left.push(process);
    });
    return left.length === 0 ? [] : [deadlocked(left, help)];
  }

  #move(process: Pid, to: number): void {
    if (this.#phase[process] === inside) this.#insiders = this.#insiders.filter((i) => i !== process);
    if (to === inside) this.#insiders.push(process);
    this.#phase[process] = to;
  }
}

// The violations of each property, the same for every host.

export type MutexPhase = (typeof phases)[number];

export const enteredUnasked = (process: Pid, phase: MutexPhase): Violation => ({
  property: 'only who asked enters',
  why: `process ${process} enters although it is ${phase}`,
});

export const severalInside = (insiders: readonly Pid[]): Violation => ({
  property: 'at most one inside',
  why: `processes ${insiders.join(' and ')} are inside at the same time`,
});

/** A program that ended without entering the critical section. */
export const returnedWithoutEntering = (process: Pid): Violation => ({
  property: 'the contract is kept',
  why: `process ${process} goes back to its noncritical section without having entered`,
});

export const releaseNeverEnds: Violation = {
  property: 'the run ends',
  why: 'a process goes round after it has left',
};

/** A run without end of an algorithm that does not declare itself perpetual. */
export const neverEnds: Violation = {
  property: 'the run ends',
  why: 'messages or timers never cease: declare `perpetual: true` if they are meant to go on',
};

/** Processes that wait although no event is left. */
export function deadlocked(waiters: readonly Pid[], help = 'message'): Violation {
  const waitersText =
    waiters.length === 1 ? `process ${waiters[0]} waits` : `processes ${pidList(waiters)} wait`;
  return {
    property: 'every request enters',
    why: `${waitersText} for ever: no ${help} is left that could help`,
  };
}

/** A process that waits forever in a fair run. */
export const starved = (process: Pid, help: string): Violation => ({
  property: 'every request enters',
  why: `process ${process} waits for ever while the run goes round, though ${help}`,
});

export const pidList = (pids: readonly Pid[]): string =>
  pids.length <= 10 ? pids.join(', ') : `${pids.slice(0, 10).join(', ')} and ${pids.length - 10} more`;
