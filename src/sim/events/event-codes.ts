import type { Machine } from '../../machine/index.ts';
import type { Setup } from '../scenario/scenario.ts';
import { never, type TimingWheel } from './timing-wheel.ts';

/** How the events in the wheel are told apart: messages by kind from 0, then timers, the application's calls, and the rest. */
export class EventCodes {
  readonly request: number; // messages that ask for the lock; -1: there are none
  readonly firstTimer: number;
  readonly step: number; // of a process on shared memory, scheduled like a timer; -1: there are none
  readonly firstCall: number; // request or start; then release, and snapshot
  readonly fault: number; // it begins; the content says which
  readonly faultEnd: number;
  readonly lose: number; // a message that the network lost would have arrived
  readonly begin: number;
  readonly linkChange: number; // a link appears or goes; the content says which
  readonly removed: number; // what was here has been taken out

  constructor({ problem }: Pick<Setup['algorithm'], 'problem'>, { kinds, timers, hasLines }: Machine) {
    this.request = problem === 'mutex' ? kinds.indexOf('request') : -1;
    this.firstTimer = kinds.length;
    this.step = hasLines ? this.firstTimer : -1;
    this.firstCall = this.firstTimer + timers.length;
    this.fault = this.firstCall + 3;
    this.faultEnd = this.fault + 1;
    this.lose = this.faultEnd + 1;
    this.begin = this.lose + 1;
    this.linkChange = this.begin + 1;
    this.removed = this.linkChange + 1;
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

/** What is to happen whatever the processes do. */
export function scheduleInitialEvents(setup: Setup, wheel: TimingWheel, codes: EventCodes): void {
  const { algorithm, n, faults } = setup;
  for (let i = 0; algorithm.begin && i < n; i += 1) wheel.add(0, i, codes.begin, 0, null);
  for (const fault of faults) {
    if ('between' in fault)
      for (const end of fault.between) wheel.add(fault.at, end, codes.linkChange, 0, fault); // each end is told
  }
  for (const fault of faults) {
    if (!('process' in fault)) continue;
    wheel.add(fault.at, fault.process, codes.fault, 0, fault);
    if (fault.type === 'pause' && fault.until < never)
      wheel.add(fault.until, fault.process, codes.faultEnd, 0, fault);
  }
}
