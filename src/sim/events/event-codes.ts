import type { Machine } from '../../machine/index.ts';
import type { Setup } from '../scenario/setup.ts';

/** The codes of the events in the wheel: messages by kind from 0, then timers, the application's calls, and the rest. */
export class EventCodes {
  readonly request: number; // a message that requests the lock; -1 if there is none
  readonly firstTimer: number;
  readonly step: number; // of a process on shared memory, scheduled like a timer; -1 if there is none
  readonly firstCall: number; // request or start; then release, and snapshot
  readonly fault: number; // a fault begins; the content is the fault
  readonly faultEnd: number;
  readonly lose: number; // a lost message would have arrived
  readonly begin: number;
  readonly linkChange: number; // a link appears or goes; the content is the fault
  readonly removed: number; // an intervention has removed the event

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
