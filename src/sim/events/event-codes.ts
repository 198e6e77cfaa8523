import type { Machine } from '../../machine/index.ts';
import type { Setup } from '../scenario/setup.ts';

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
