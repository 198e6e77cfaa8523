import type { AnyAlgorithm } from '../core/algorithm.ts';
import type { Setup } from './scenario.ts';
import { never, type Wheel } from './wheel.ts';

/** How the events in the wheel are told apart: messages by kind from 0, then timers, the application's calls, and the rest. */
export class Codes {
  readonly kinds: readonly string[];
  readonly timers: readonly string[];
  readonly asking: number; // messages that ask for the lock; -1: there are none
  readonly firstTimer: number;
  readonly firstCall: number; // request or start; then release
  readonly fault: number; // it begins; the detail says which
  readonly faultEnd: number;
  readonly lose: number; // a message that the network lost would have arrived
  readonly begin: number;
  readonly relink: number; // a link appears or goes

  constructor({ problem, on, timers = [] }: AnyAlgorithm) {
    this.timers = timers;
    this.kinds = Object.keys(on).filter((type) => !timers.includes(type));
    this.asking = problem === 'mutex' ? this.kinds.indexOf('request') : -1;
    this.firstTimer = this.kinds.length;
    this.firstCall = this.firstTimer + timers.length;
    this.fault = this.firstCall + 2;
    this.faultEnd = this.fault + 1;
    this.lose = this.faultEnd + 1;
    this.begin = this.lose + 1;
    this.relink = this.begin + 1;
  }

  /** What was counted by kind, as people read it. */
  byType(counts: readonly number[]): Record<string, number> {
    return Object.fromEntries(this.kinds.map((kind, i) => [kind, counts[i]!]));
  }

  isMessage(code: number): boolean {
    return code < this.firstTimer;
  }

  isTimer(code: number): boolean {
    return code >= this.firstTimer && code < this.firstCall;
  }
}

/** What strikes a process is an event like any other. */
export function scheduleFaults(
  { faults }: Pick<Setup, 'faults'>,
  wheel: Wheel,
  codes: Pick<Codes, 'fault' | 'faultEnd'>,
): void {
  faults.forEach((fault, index) => {
    if (!('process' in fault)) return;
    wheel.add(fault.at, fault.process, codes.fault, index, null);
    if (fault.type === 'pause' && fault.until < never)
      wheel.add(fault.until, fault.process, codes.faultEnd, index, null);
  });
}

/** Each end of a link is told. */
export function scheduleLinks({ faults }: Setup, wheel: Wheel, { relink }: Codes): void {
  faults.forEach((fault, index) => {
    if ('between' in fault) for (const end of fault.between) wheel.add(fault.at, end, relink, index, null);
  });
}
