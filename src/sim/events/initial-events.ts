import { never } from '../scenario/number-checks.ts';
import type { Setup } from '../scenario/setup.ts';
import type { EventCodes } from './event-codes.ts';
import type { TimingWheel } from './timing-wheel.ts';

/** Schedules the events that do not depend on the processes: `begin` calls and faults. */
export function scheduleInitialEvents(setup: Setup, wheel: TimingWheel, codes: EventCodes): void {
  const { algorithm, n, faults } = setup;
  for (let i = 0; algorithm.begin && i < n; i += 1) wheel.add(0, i, codes.begin, 0, null);
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
