// A failure detector: how a process notices that another one has crashed. It reports every crash once to every other process, and no
// process that lives. Its own messages are not simulated; the times of its reports are those that they would lead to.
import type { Pid } from '../../core/algorithm.ts';
import { InputError } from '../../core/assert.ts';
import { suggest } from '../../core/did-you-mean.ts';
import type { Random } from '../../core/random.ts';
import type { Latency } from './latency.ts';

/** A failure detector, with its period and its time-out in ticks. */
export interface FailureDetector {
  /** As a scenario writes it. */
  readonly text: string;
  /** The ticks between two questions, or between two handshakes. */
  readonly period: number;
  /** How long a process waits for the answer, or for a handshake that is due. */
  readonly timeout: number;
  /** Returns when `observer` reports that `crashed` has crashed at time `crash`. Never before the crash. */
  reportTime(crash: number, crashed: Pid, observer: Pid, delays: Latency, random: Random): number;
}

/** The first time from `time` on at which a process acts that acts every `period` ticks. Processes begin at different times. */
function nextTurn(time: number, process: Pid, period: number): number {
  const phase = (process * 7) % period; // spreads the processes over a period
  return phase + Math.max(0, Math.ceil((time - phase) / period)) * period;
}

/** Each process asks the others every period, and expects the answer within the time-out. */
class TimeoutDetector implements FailureDetector {
  readonly text: string;
  readonly period: number;
  readonly timeout: number;

  constructor(period: number, timeout: number) {
    this.text = `timeout:${period}:${timeout}`;
    this.period = period;
    this.timeout = timeout;
  }

  /** The first question that arrives after the crash is not answered. */
  reportTime(crash: number, crashed: Pid, observer: Pid, delays: Latency, random: Random): number {
    const earliest = Math.max(0, crash - Math.min(delays.usualMax, this.period - 1));
    const question = nextTurn(earliest, observer, this.period);
    const isTooLate = question + delays.sample(random, observer, crashed) > crash;
    return (isTooLate ? question : question + this.period) + this.timeout;
  }
}

/** Each process sends a handshake to the others every period, and they expect it within the time-out. */
class HandshakeDetector implements FailureDetector {
  readonly text: string;
  readonly period: number;
  readonly timeout: number;

  constructor(period: number, timeout: number) {
    this.text = `handshake:${period}:${timeout}`;
    this.period = period;
    this.timeout = timeout;
  }

  /** The last handshake was sent before the crash. Before the first one, a process counts from 0. */
  reportTime(crash: number, crashed: Pid, observer: Pid, delays: Latency, random: Random): number {
    const missed = nextTurn(crash, crashed, this.period);
    const last = missed - this.period;
    const heard = last < 0 ? 0 : last + delays.sample(random, crashed, observer);
    return Math.max(crash, heard + this.period) + this.timeout;
  }
}

const kinds = ['timeout', 'handshake'] as const;

/**
 * Reads a failure detector. Defaults to `timeout:2D:2D`, where D is the longest delay that processes assume.
 * @throws {InputError} if the text is not a detector, or its time-out would suspect processes that live.
 */
export function parseDetector(text: string | undefined, longestDelay: number): FailureDetector {
  const roundTrip = 2 * longestDelay;
  if (text === undefined) return new TimeoutDetector(roundTrip, roundTrip);
  const [, kind, period, timeout] = /^([a-z]+):(\d+):(\d+)$/.exec(text) ?? [];
  if (kind === undefined)
    throw new InputError(
      `detector '${text}': write KIND:PERIOD:TIMEOUT, where KIND is timeout or handshake, like timeout:20:25`,
    );
  if (!kinds.some((known) => known === kind))
    throw new InputError(`no failure detector is called '${kind}'${suggest(kind, kinds)}`);
  if (Number(period) < 1) throw new InputError(`detector '${text}': the period is at least 1 tick`);
  const least = kind === 'timeout' ? roundTrip : longestDelay;
  if (Number(timeout) < least)
    throw new InputError(
      `detector '${text}': a time-out of ${timeout} would suspect processes that live; use at least ${least} ticks`,
    );
  const Detector = kind === 'timeout' ? TimeoutDetector : HandshakeDetector;
  return new Detector(Number(period), Number(timeout));
}
