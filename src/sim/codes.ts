import type { AnyAlgorithm } from '../core/algorithm.ts';
import type { Setup } from './scenario.ts';
import { never, type Wheel } from './wheel.ts';

/** How the events in the wheel are told apart: messages by kind from 0, then timers, the application's calls, and the rest. */
export class Codes {
  readonly kinds: readonly string[];
  readonly timers: readonly string[];
  readonly asking: number; // messages that ask for the lock; -1: there are none
  readonly firstTimer: number;
  readonly firstCall: number; // request or start; then release, and snapshot
  readonly fault: number; // it begins; the content says which
  readonly faultEnd: number;
  readonly lose: number; // a message that the network lost would have arrived
  readonly begin: number;
  readonly relink: number; // a link appears or goes; the content says which
  readonly nothing: number; // what was here has been taken out

  constructor({ problem, on, timers = [] }: AnyAlgorithm) {
    this.timers = timers;
    this.kinds = Object.keys(on).filter((type) => !timers.includes(type));
    this.asking = problem === 'mutex' ? this.kinds.indexOf('request') : -1;
    this.firstTimer = this.kinds.length;
    this.firstCall = this.firstTimer + timers.length;
    this.fault = this.firstCall + 3;
    this.faultEnd = this.fault + 1;
    this.lose = this.faultEnd + 1;
    this.begin = this.lose + 1;
    this.relink = this.begin + 1;
    this.nothing = this.relink + 1;
  }

  /** What was counted by kind, as people read it. */
  byType(counts: readonly number[]): Record<string, number> {
    return Object.fromEntries(this.kinds.map((kind, i) => [kind, counts[i]!]));
  }

  isMessage(code: number): boolean {
    return code < this.firstTimer;
  }

  isFault(code: number): boolean {
    return code === this.fault || code === this.faultEnd;
  }

  isTimer(code: number): boolean {
    return code >= this.firstTimer && code < this.firstCall;
  }
}

/** The same where memory is shared. */
export const sharedCodes = { step: 0, firstCall: 1, fault: 3, faultEnd: 4, nothing: 5 }; // request is 1, release 2

/** What strikes a process is an event like any other. */
export function scheduleFaults(
  { faults }: Pick<Setup, 'faults'>,
  wheel: Wheel,
  codes: Pick<Codes, 'fault' | 'faultEnd'>,
): void {
  for (const fault of faults) {
    if (!('process' in fault)) continue;
    wheel.add(fault.at, fault.process, codes.fault, 0, fault);
    if (fault.type === 'pause' && fault.until < never)
      wheel.add(fault.until, fault.process, codes.faultEnd, 0, fault);
  }
}

/** What is to happen whatever the processes do. */
export function schedule(setup: Setup, wheel: Wheel, codes: Codes): void {
  const { algorithm, n, faults } = setup;
  for (let i = 0; algorithm.begin && i < n; i += 1) wheel.add(0, i, codes.begin, 0, null);
  for (const fault of faults) {
    if ('between' in fault) for (const end of fault.between) wheel.add(fault.at, end, codes.relink, 0, fault); // each end is told
  }
  scheduleFaults(setup, wheel, codes);
}
