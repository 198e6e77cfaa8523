import type { Machine } from '../../machine/index.ts';
import { never } from '../scenario/number-checks.ts';
import type { Setup } from '../scenario/setup.ts';
import type { TimingWheel } from './timing-wheel.ts';

/** The codes of the events in the wheel: messages by kind from 0, then timers, the application's calls, and the rest. */
export class EventCodes {
  readonly request: number; // a message that requests the lock; -1 if there is none
  readonly notice: number; // a report that a process has crashed; -1 if there is none
  readonly firstTimer: number;
  readonly step: number; // of a process on shared memory, scheduled like a timer; -1 if there is none
  readonly firstCall: number; // request or start; then release, and snapshot
  readonly fault: number; // a fault begins; the content is the fault
  readonly faultEnd: number;
  readonly lose: number; // a lost message would have arrived
  readonly begin: number;
  readonly linkChange: number; // a link appears or goes; the content is the fault
  readonly removed: number; // an intervention has removed the event

  constructor(
    { problem, crashNotice }: Pick<Setup['algorithm'], 'problem' | 'crashNotice'>,
    { kinds, timers, hasLines }: Machine,
  ) {
    this.request = problem === 'mutex' ? kinds.indexOf('request') : -1;
    this.notice = crashNotice === undefined ? -1 : kinds.indexOf(crashNotice);
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

/** Schedules the events that do not depend on the processes: `begin` calls, also where the noncritical section has steps, and faults. */
export function scheduleInitialEvents(setup: Setup, wheel: TimingWheel, codes: EventCodes): void {
  const { algorithm, n, faults } = setup;
  const begins = algorithm.begin !== undefined || (algorithm.program !== undefined && algorithm.perpetual);
  for (let i = 0; begins && i < n; i += 1) wheel.add(0, i, codes.begin, 0, null);
  for (const fault of faults) {
    if ('between' in fault)
      for (const end of fault.between) wheel.add(fault.at, end, codes.linkChange, 0, fault); // one event for each end
  }
  for (const fault of faults) {
    if (!('process' in fault)) continue;
    wheel.add(fault.at, fault.process, codes.fault, 0, fault);
    if (fault.type === 'pause' && fault.until < never)
      wheel.add(fault.until, fault.process, codes.faultEnd, 0, fault);
  }
}
